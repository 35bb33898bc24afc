-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "c79299f5f7019a58 aa3de96bc273d974 93768647e8ca20d1 0a8c4b610085b5dc 2531c0b8c713dc49",
	pile = "6555035b3d8dd486 31202d129c8dee58 d91f99062f914ff9 bd42fd8b09d3f5fc 969a183dbd55a130",
	mixed = "75bb2063acfa749d b044e5bb9e274dd3 7afce2974676580a db687df9df6a244a a58552efc6f3e737",
	caves = "a34b15f98caeb52a 9c56e9f6cdb81d6e 00e307c261cd75e8 337eaea336e9c974 b284f37ded4c8a83",
}
