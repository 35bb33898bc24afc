-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "dfb7db4371ea8562 e55916509361b8db 167be9f5e1d3a59b e850a0c599870505 cf0aa3d04bd3e4ab",
	pile = "2d8342e9456ed4c3 d4950baf61a1f3d8 acbeb167c0db73d2 72b7a157424cbc76 cd9be721f72c7cce",
	mixed = "9ad034522489c47a 0a678421ff8dbfdc 071de5dbec5f2343 aa23f3fada94ce7c e38dadb54e8960ae",
	caves = "71f810133b728a46 851ccc830095437e 7aaa8c706106e24f fd9435c99cb727bd 94ad422bb591d6a7",
}
