-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "90d93d9c5119062e 7344f437fcfa3072 43b247299b5c83d3 325c8c5e3316b706 9e591ed1cf3c1eeb",
	pile = "b87d42e7a27abd68 2342a1cd73b1e86b 444fc8238d6b6dbf 94a4ae14409579f1 5ca2991454671a7b",
	mixed = "1bdfc6ed035cfec1 f01b740d3f31e582 5b196fb97820ff64 554e234b78fe48e2 16c65512717bcb48",
	caves = "9051814692f9ad87 a867e029d8d670cd dd53c5eb88e64af3 c90a89bfc0f4c82b e1923a324e1240a9",
	machines = "f3e85bfdf421c8d8 6fe1d22ec694fea8 107dcf0c219e0656 19a104d7c595d532 a3e8fab10bb9dde2",
	pond = "7682b5bb901e448f bb4a2b0d99a47b14 9b38f65489b15719 476bf1d3bc08699d b2b67f5eea8692ad",
	shots = "4f43e8a006c8abc6 1004fb74c32cebe9 a956f27c35b766f2 0911f2e53993ab45 930d4ace81606440",
	meshes = "efb0a9f7ef24ed73 fa89f13bceda1ae3 02f133cd859df080 2a72be30b6470898 a21240833f43bd8b",
	sleepers = "68d53fad281d222e 5ce9548f38f7cc2a 13bea06e24904019 651161f1f3832ece a639489355916139",
	rewind = "c4c81fce0ffedc77 dd982c142b9da5ec b0e2b8ce581d4155 7eeac17f15bd4017 e880c43a95a62b3d",
	rubble = "85ba342a4c8d7b65 a5326b309b145e2b a8184e053c447e6e 334b81e88e37b55b b5695308d40d154c",
}
