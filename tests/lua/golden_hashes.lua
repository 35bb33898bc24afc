-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "01c34705574d9e97 159c4324ff899ebd 8dccdee6fa30df90 e35eba0ebd19f64d e17c39b6f719a120",
	pile = "2d8342e9456ed4c3 d4950baf61a1f3d8 acbeb167c0db73d2 72b7a157424cbc76 cd9be721f72c7cce",
	mixed = "2ab6b0a2d7571065 d92b5b2b2c05466a 9dc6df0a61f92cc3 b3ec5416d47a6226 6aee70fcd9f0e45c",
	caves = "73ad18713e77e5eb 02237dfc55ffe513 5a3a850b96d94b0f f136c890924beb37 a7f83c6688156f85",
}
