-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "fa5d2e5b80650897 4d16ce3883c2a176 27a623c7d20ff957 cb63f528e320d2f3 b3cf0a04847ae970",
	pile = "2d8342e9456ed4c3 d4950baf61a1f3d8 acbeb167c0db73d2 72b7a157424cbc76 cd9be721f72c7cce",
	mixed = "bfc337dec13ab3dd 28ce02ca95b2ce0c 25603416cb225595 fcc0e6883fcc8c73 addb6df3ec6104b2",
	caves = "73ad18713e77e5eb 91fde1f796a1ddf5 a85c127ea70616b6 1beec7a073832621 5244436c72d90874",
}
