-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "6e369962236bae99 e02fb4b42a1674bf bc96c30b007abf8b f3c0d8f83469ca1b 350851560f2bae45",
	pile = "bf7848a13dab51c8 5a5ffe96b9ca3077 032d18070c7df676 414395ef0639629d 9164f0e62f2fa336",
	mixed = "1db36d61ca7d8969 1f1891fa265e9bfa 7fc049337865a799 bbb80ebc92dba2ac 688b88d610cdcac3",
	caves = "cdbe1d612c7104e5 9bc540e458749e8a df9f39509cd7a9e1 95ec9f228d26e859 b47421d0e64786df",
	machines = "e385b901aeb60ffb 0ab0562bbffcabee dc5f2e2f9c3ae1d2 1158498b2dbce9dc 38ed0ad79d4d2355",
	pond = "59595e754b716f51 41153bbfb19fd9c5 fe40974a283d0081 28e5bb493476995e fe1b07968a562244",
	shots = "2e6891e07765ca99 e02d8e9e58cb5073 b55c7e6f0c8b9cdd 129cdb169a09c4c6 8eb87a90811c8ee8",
	meshes = "630b6c13900cedfa 37d8c0658ad37f10 7836c8af669cd168 0ef072fdb4fbcd9b 8425a739e591d242",
	sleepers = "68d53fad281d222e 5ce9548f38f7cc2a 13bea06e24904019 527e04685cde6759 90c31149d4a559fd",
	rewind = "eb58bf23449227ee 0d80c63c24e9d355 138b810cc5f3b528 d6f93392e9d77236 db20aaf55056d8b1",
	rubble = "85ba342a4c8d7b65 a5326b309b145e2b d9511ac7489ad745 2a33f8508847a627 eb54f85e98e0ab7b",
}
