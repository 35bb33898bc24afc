-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "f80b8017b540c034 87eef92c998e07f0 f2f5bb3de4c8c98f 38cf4b75606a7b55 74d79df5c4ba7a87",
	pile = "2d8342e9456ed4c3 d4950baf61a1f3d8 acbeb167c0db73d2 72b7a157424cbc76 cd9be721f72c7cce",
	mixed = "2ab6b0a2d7571065 106f950f458a82cc 6fa6c668b3b9b5ed 079fab122e2a8978 0c259ffb469c533d",
	caves = "73ad18713e77e5eb 02237dfc55ffe513 98d54141366f1eed 6fa08e0444146f1f a7f83c6688156f85",
}
