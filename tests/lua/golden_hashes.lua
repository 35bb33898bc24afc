-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "6e369962236bae99 e02fb4b42a1674bf 9cb90b7a825e47de bbcdd6054622db2f abfe1217d6bf7471",
	pile = "8f4756f5a2a88869 51bef65ee7ef688f 450d5587569daad3 597725f59abbb126 affb9556f38de36f",
	mixed = "68f317dd80ddaa80 080cc8f20372f983 9b39862dc4eb1e0a 5aa9a4f98e800d71 ac4b9d405a6a1497",
	caves = "7956d26a50327d77 7cdb3d0e03928ce8 997f048f6b5b8593 fd106976fa095f3a 19b8041519e7b448",
	machines = "32ff770b29e3d9a9 ad1f76fd6b3ad451 68996ba36ef973d0 09695e4cca9b5c7e 7f5c4c6e7d61fe22",
	pond = "cb2dbbc752896756 86529ee2046a938a 74790afa8a0a97cb 152b824f597a36ae 5328978c2807405e",
	shots = "b6bfbd2450e00e3f b4b085b3308cf900 b7bdacd529e9267c 1e82ef48fd0ba918 c41a7fab67a80e85",
	meshes = "630b6c13900cedfa 37d8c0658ad37f10 d05b6e82ebf3400c 30ffb34a2e5b03fb 624df0a03b737c88",
	sleepers = "8710b445d13323ee 9a56b588e2e95e54 cf04f92b34738ead e0db4660f78b052f de9f0bf5b992d42c",
	rewind = "662e883ff828d9ae c9b28dcafb9148ae 9f60a01d0e988231 8e5deb200d956c80 bbb36b9e5a668fb0",
	rubble = "85ba342a4c8d7b65 16a3e96e9ca57aa8 1bbb43e8b87cd91b 23782f4ec96d923e 33f89599c39f1ac9",
}
