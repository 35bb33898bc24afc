-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "978c54490942c412 110e5cbdc6a5c20d 55a8be0f58efc2dc 6cf75027e188c3f9 2821f9298c9de7de",
	pile = "12c3539e54d928a7 7f3d7097959b4374 a5c14ce624045507 cd3375f0a35e01fd 5adcfea65758b2f2",
	mixed = "cbcbac67c61528ae 923e8af6a56d6fe6 d5ad0f48f1248163 1b9b0c583c260ed9 49a6ec06f622ce81",
	caves = "5c3e0cd268bfc725 14642be0b2f563de 7c69ba189c95c84d 98c1ca9210d39ed0 d071e618315bdc68",
	machines = "86a909dd4cb0cbb2 e9cc1b39c72eeada 976c5e7d3e0ebb20 b88ba94094d81f3e 3d2d27cde9bf1dc7",
	pond = "46f8545de508493d 8f7fb77f3e061438 637ab6f1677e97f9 2049100079ebc061 160aae5c41a25384",
	shots = "79f79634f8908265 7994de683e1f6e7e 466276091c883790 8116a41e5728c443 3ad2614b3ceb19ad",
	meshes = "edd09a70824c4494 2cfce17efef97757 dfa3db2c0500db8e 177b02e8ecfdee84 430872dfd2f0d762",
	sleepers = "f15aefec3383d567 c9717a050a173d15 f030f10286880e54 c3d9c37a2ef76764 e06c99f5262855c1",
	rewind = "80747b51d823b0b0 468b2906ef65de00 66261a057c6c2233 09fc048dc0bb2972 01db53f2414a76e3",
	rubble = "85ba342a4c8d7b65 a5326b309b145e2b 2b774292f3c787a7 124c3ae06fb86820 5a47ef48d81d29a5",
}
