-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "e103b937eee0f973 6b0bba52f7b59aa0 58ef6263eecb9c50 d1c8769ef98c2d34 286b0f50e9fd7432",
	pile = "814703136f2a60a9 7901ab5f31032847 865d87188c899e2e d4224bba1ee873ed ad2c71f4daa83d53",
	mixed = "2a874ec2c63d7442 04319b0cf48f1cc6 ee177f37fe9d1cb4 538e3b86394df329 6ba957b6e9f96f87",
	caves = "9f3ddf8fa489d65f 78e2f7461883e9f6 fd83e4f084a9546d 736b391466dea439 d6895753fd38032c",
}
