-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "6e369962236bae99 e02fb4b42a1674bf bc96c30b007abf8b f3c0d8f83469ca1b 350851560f2bae45",
	pile = "ed78a630cb9831d0 a979f8f725563528 06b735ee29e14005 7748ce544a1fdf0b 2ab95a7605354926",
	mixed = "7fce5a2803a4a0fe 49e0d05455fc23ae 0f41799d57e27014 30c4f6b0ab092f6f 5bf635066cf79b31",
	caves = "7956d26a50327d77 f18d2ef1e077693a dc1c517f54294a0a 0d8d4eec41db34da 664bd08bd3128471",
	machines = "529355501cfd1024 67e0544e88fd7a21 6169653c36a11501 6e87d1d5b9c1a2bc f7ee3847f21531e7",
	pond = "917dcf87eb8cec6b 9d075ae45412134e f8c855916d013fa9 a10f9f84894498b8 d9cdd53e2085108e",
	shots = "2e6891e07765ca99 e02d8e9e58cb5073 b55c7e6f0c8b9cdd 129cdb169a09c4c6 8eb87a90811c8ee8",
	meshes = "630b6c13900cedfa 37d8c0658ad37f10 7836c8af669cd168 0ef072fdb4fbcd9b 8425a739e591d242",
	sleepers = "68d53fad281d222e 5ce9548f38f7cc2a 13bea06e24904019 527e04685cde6759 90c31149d4a559fd",
	rewind = "d1428355fbfd0da2 3bb22049d2a8d1df 7e357b38fb89fd90 fe21e4b6125b335f e3d870ceaf27ba48",
	rubble = "85ba342a4c8d7b65 a5326b309b145e2b d9511ac7489ad745 2a33f8508847a627 ea24eb48efeb288b",
}
