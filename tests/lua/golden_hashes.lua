-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "57f71ae68dc21a85 0a2445b2eac0d1ef ba38c9487b24e25a 7f93f371fa94906f 9fcf262bb51cdfc5",
	pile = "43246d2d83c2f319 0c5cb6956a972939 ba60fa5e06513d9e f064844cfe90d59a 3ad97a84d558b51d",
	mixed = "581149f97608090b d6c4fa56b5d86d06 11a23de00e9ab5da 70560e9f889a43f0 79a49a994fc5ba8d",
	caves = "73a8890d23d71dd9 f82e769d0bdc706f 45ddcf39ae569965 f6da2a44c3b8074f eb2730e8d3b379b9",
}
