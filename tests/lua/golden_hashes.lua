-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "6e369962236bae99 e02fb4b42a1674bf 9cb90b7a825e47de bbcdd6054622db2f abfe1217d6bf7471",
	pile = "8f4756f5a2a88869 51bef65ee7ef688f cb6734695ca51803 00ed10d20c7471e8 8660f4c759af4978",
	mixed = "68f317dd80ddaa80 080cc8f20372f983 2a4bbfe22e123530 a2b3916bba1ce228 e6bf619eb3623aad",
	caves = "7956d26a50327d77 363cb9746c0cdfef b01182eae6436460 a649a5f4312a6e3e e8e65bcadf87b9ca",
	machines = "32ff770b29e3d9a9 ad1f76fd6b3ad451 ef5742528e7b0ed0 88c0d00ad189147e 7fc3e35e793d7efc",
	pond = "cb2dbbc752896756 86529ee2046a938a 74790afa8a0a97cb 152b824f597a36ae 5328978c2807405e",
	shots = "b6bfbd2450e00e3f b4b085b3308cf900 b7bdacd529e9267c 1e82ef48fd0ba918 c41a7fab67a80e85",
	meshes = "630b6c13900cedfa 37d8c0658ad37f10 ba4bacd4e9179912 e728d909b7ebd636 24ba77e49a3a4538",
	sleepers = "a34b3ccae0b6343e 5b9230f6490de1fa 5b21831abba9793c 663a7440c55fda3a b7e0d077908b96ff",
	rewind = "662e883ff828d9ae c9b28dcafb9148ae 9f60a01d0e988231 8e5deb200d956c80 5b9a3697cb05339f",
	rubble = "85ba342a4c8d7b65 0ef15651ed5f28ea 01b00a929fde01d8 2a33f8508847a627 53b1fdf1c239d1c3",
}
