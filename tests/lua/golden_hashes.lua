-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "46fed328a746ec81 b86ca1ca9e8a97ea 87d465db82e1518c ab2a1f3af8f5c1fa ea4ab8a75d6b3c6b",
	pile = "0e57c5d581457d4c 166b3e9c728b3420 4692fddaab1a09fc 510558f9762c1d05 445f2d2ae00d4a95",
	mixed = "0f9933f9323e3d82 5e9d0f428fd59aa2 2e312950d9acada4 9e99adc53b3cf94d 6ed8d43b3d3ac89f",
	caves = "eca6806e8b9639d9 96c3b5beb031d1f1 8b9aec5d54c87e4d d8f34c1408d20239 1fc8d67ac2d9ab48",
}
