-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "6e369962236bae99 e02fb4b42a1674bf 9cb90b7a825e47de ff44a256a49a8c07 30772816b3c68629",
	pile = "8f4756f5a2a88869 b26d00b3d2decce4 d0044d8bc22fdaa1 1650087fcc5816b4 cb12cedb86b806fe",
	mixed = "7fce5a2803a4a0fe 0ec97c6d899a87ef f000f5fc4a09a2c7 d0b40b11bcc97f8a 24578848817bf84f",
	caves = "7956d26a50327d77 7cdb3d0e03928ce8 9b329024f476e95b 448d30dfe4f07388 343664fa88db1879",
	machines = "529355501cfd1024 67e0544e88fd7a21 cacc8c8c58d0ebf5 01eeb76db389a69f ec9025a5e6e9c8d4",
	pond = "cb2dbbc752896756 86529ee2046a938a 74790afa8a0a97cb 152b824f597a36ae 5328978c2807405e",
	shots = "2e6891e07765ca99 e02d8e9e58cb5073 b55c7e6f0c8b9cdd 129cdb169a09c4c6 8eb87a90811c8ee8",
	meshes = "630b6c13900cedfa 37d8c0658ad37f10 b8e364e42ea27230 e89b5f96b85b4c7f b5b0da913735f9b5",
	sleepers = "68d53fad281d222e 547d255938b2b1df 348d76fa4b37602d 7ea3254df4f9c359 08ceb4c7d13db9b2",
	rewind = "5e598f9bba35cf7d 3f45bf56035b2d68 120630d49cffcd61 6bda720abda1d6e3 675945b75ac48113",
	rubble = "85ba342a4c8d7b65 a5326b309b145e2b d9511ac7489ad745 2a33f8508847a627 ea24eb48efeb288b",
}
