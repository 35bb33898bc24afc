-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "8ee5688083550e8f 87d472462749aa45 85dd5eeebe6164b3 90f7ca3c3958d3f2 14c133a22d39eb77",
	pile = "43246d2d83c2f319 0d9f210f95f41871 560dda68fe8285b1 9ef67cfacf33508c 7399b7d1e45f8374",
	mixed = "fb471696f91e728e 847834bb99a24b09 4aba1811f9fd4575 036ee53f03a573c2 7a493a5ff4e03304",
	caves = "802694a16b33705f c1c8bc51536fe7e7 031fcd8c7422337b 4ada4abb50202797 02e26895c24659d6",
	rubble = "85ba342a4c8d7b65 16a3e96e9ca57aa8 78452547f97aee4d dd30c0ba6a80f55d 276e5a3a53e34fd2",
}
