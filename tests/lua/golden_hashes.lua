-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "8ee5688083550e8f d51b51cd3c9ad55d ca80c667467e3f67 ee5bd33bd208351d 654ddaa831d75893",
	pile = "75c1285d6ff5865f ce259a0852810ca9 c174b9dc12bc03e1 db31abadfd6ad739 8ab97378e0298691",
	mixed = "24f702ca055ca169 c50ce0be77d25ab8 5f96de4e09e96a44 e0de00e936dcbf60 463f5f7742cf0651",
	caves = "802694a16b33705f e945325a687da107 5d562bf15656b814 ad87e36655cc8e9f aaa5526918b854f9",
	machines = "cc3573124895dbaf 1e6e5f00672437e2 052e1c1bd241d2fe 16110a2366eeac87 dcb1a1253b127425",
	pond = "78cc228949dc30f2 b735410badc464e4 1c7698bb756beefb 2f530e4583202813 a5a37489543c3b9f",
	shots = "622b35630932b330 da0e0db639b73ac3 8fed6473a6034403 86fc80f9e826b971 b2b4384eec180466",
	meshes = "b064066b3e2749ab b5ab1bedee9cccd1 5d95f236c23d1cf1 614a3a149feb7a6b b900ca86a4c1adb0",
	sleepers = "560f02391352c31c f9bdd22c1a77572d 26cc320d9e5161c6 a83f012baf021e7f d84b90186918a3f9",
	rewind = "d9598cb047661a35 c9ca27607c1b2dac b25bcda43b7fe3ac 659c665e39b9fe7a 95b922e4284d6c9f",
}
