-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "8ceaedc80a11a6e5 0c8162e4a26a7638 529fa82980dd42ed 4548d81294275672 ff5c2112ea8d2d80",
	pile = "4c6017387c3e26bc e330d3bbe9f61e0e bf48d72bec93c007 8ee371d9e2198c9d 6973509aa14ad73e",
	mixed = "e2f20f79c5233484 e9a32925b06ba097 1fb527b6844c40bc 148687f142868708 5473c62d9f920f59",
	caves = "b1bf3005cb6e0b35 6d7624af031e9969 96df3642298e867a c405fd76dc456a2b a0078f9a1e7aa763",
}
