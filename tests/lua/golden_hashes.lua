-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "6e369962236bae99 e02fb4b42a1674bf bc96c30b007abf8b f3c0d8f83469ca1b 350851560f2bae45",
	pile = "ed78a630cb9831d0 6d56cbd9eefa2283 183d60dea49dd0f3 dc01d7f93e0ec3f8 cb7f200c73f3a20d",
	mixed = "7fce5a2803a4a0fe 9cbe293bd05a0c34 ce37c59cf511b09d 91ab74c3561b0baf 7796487357bfa660",
	caves = "7956d26a50327d77 040eb196c3619b6e c003ff1efe94252c 44418466438fb8e7 71a4862599d08516",
	machines = "529355501cfd1024 67e0544e88fd7a21 6169653c36a11501 6e87d1d5b9c1a2bc f7ee3847f21531e7",
	pond = "cb2dbbc752896756 86529ee2046a938a 74790afa8a0a97cb 152b824f597a36ae 5328978c2807405e",
	shots = "2e6891e07765ca99 e02d8e9e58cb5073 b55c7e6f0c8b9cdd 129cdb169a09c4c6 8eb87a90811c8ee8",
	meshes = "630b6c13900cedfa 37d8c0658ad37f10 5ed4652430f4b5cc 63129648c5dc657d c438c4a335534ac2",
	sleepers = "68d53fad281d222e 25d6f08d712cb56b 84e03c0091b7b336 a0ee09f6ac467d0b 6fb0dfd90d8b3b9c",
	rewind = "5e598f9bba35cf7d 3f45bf56035b2d68 120630d49cffcd61 6bda720abda1d6e3 d2620f5d6be11212",
	rubble = "85ba342a4c8d7b65 a5326b309b145e2b d9511ac7489ad745 2a33f8508847a627 ea24eb48efeb288b",
}
