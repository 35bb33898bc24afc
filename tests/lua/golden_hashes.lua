-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "6e369962236bae99 e02fb4b42a1674bf 9cb90b7a825e47de ff44a256a49a8c07 30772816b3c68629",
	pile = "8f4756f5a2a88869 51bef65ee7ef688f cb6734695ca51803 00ed10d20c7471e8 8660f4c759af4978",
	mixed = "7fce5a2803a4a0fe 0ec97c6d899a87ef bbf1a89f58b4d16f b24715b6d1ebb847 34b87b2cfe000c1c",
	caves = "7956d26a50327d77 363cb9746c0cdfef b01182eae6436460 a649a5f4312a6e3e e8e65bcadf87b9ca",
	machines = "004d62258452ddac 47a49e3992221dee 653a77c2c383a46e f3c90dc0ee1df44a 886d45e010a9a9d8",
	pond = "cb2dbbc752896756 86529ee2046a938a 74790afa8a0a97cb 152b824f597a36ae 5328978c2807405e",
	shots = "2e6891e07765ca99 e02d8e9e58cb5073 b55c7e6f0c8b9cdd 129cdb169a09c4c6 8eb87a90811c8ee8",
	meshes = "630b6c13900cedfa 37d8c0658ad37f10 ba4bacd4e9179912 e728d909b7ebd636 24ba77e49a3a4538",
	sleepers = "a34b3ccae0b6343e 5b9230f6490de1fa 5b21831abba9793c 663a7440c55fda3a b7e0d077908b96ff",
	rewind = "3fadd88f84e94d93 6205cf63eda60443 8c44e8914d61e0a7 1f4f8195914f9571 b852af112869d24b",
	rubble = "85ba342a4c8d7b65 0ef15651ed5f28ea 01b00a929fde01d8 2a33f8508847a627 53b1fdf1c239d1c3",
}
