-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "6e369962236bae99 e02fb4b42a1674bf 9cb90b7a825e47de ff44a256a49a8c07 30772816b3c68629",
	pile = "8f4756f5a2a88869 51bef65ee7ef688f 450d5587569daad3 597725f59abbb126 affb9556f38de36f",
	mixed = "7fce5a2803a4a0fe 0ec97c6d899a87ef e3b21fb2965ca991 d0c6768ef2940bab d31f5a9836e2bf99",
	caves = "7956d26a50327d77 7cdb3d0e03928ce8 997f048f6b5b8593 fd106976fa095f3a 19b8041519e7b448",
	machines = "004d62258452ddac 47a49e3992221dee 40db37a33adffc4d 4b5acd5e05f32df7 dfc7bdbebd823eb1",
	pond = "cb2dbbc752896756 86529ee2046a938a 74790afa8a0a97cb 152b824f597a36ae 5328978c2807405e",
	shots = "2e6891e07765ca99 e02d8e9e58cb5073 b55c7e6f0c8b9cdd 129cdb169a09c4c6 8eb87a90811c8ee8",
	meshes = "630b6c13900cedfa 37d8c0658ad37f10 d05b6e82ebf3400c 30ffb34a2e5b03fb 624df0a03b737c88",
	sleepers = "8710b445d13323ee 9a56b588e2e95e54 cf04f92b34738ead e0db4660f78b052f de9f0bf5b992d42c",
	rewind = "3fadd88f84e94d93 6205cf63eda60443 8c44e8914d61e0a7 1f4f8195914f9571 62719103579f1d18",
	rubble = "85ba342a4c8d7b65 a5326b309b145e2b d9511ac7489ad745 2a33f8508847a627 ea24eb48efeb288b",
}
