-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "8ee5688083550e8f 87d472462749aa45 85dd5eeebe6164b3 90f7ca3c3958d3f2 14c133a22d39eb77",
	pile = "43246d2d83c2f319 0d9f210f95f41871 560dda68fe8285b1 9ef67cfacf33508c 7399b7d1e45f8374",
	mixed = "fb471696f91e728e 847834bb99a24b09 4aba1811f9fd4575 036ee53f03a573c2 7a493a5ff4e03304",
	caves = "802694a16b33705f c1c8bc51536fe7e7 031fcd8c7422337b 4ada4abb50202797 02e26895c24659d6",
	machines = "cc3573124895dbaf 971bab5d25edd029 ab52bbb37aab33bf f860a97891a0d2f4 9824fde1e8adaa8a",
	pond = "78cc228949dc30f2 b735410badc464e4 f39319167651c8b9 275abd3dd0127eb8 de9303f462f54eaf",
	shots = "aea6f68671074060 c525fd2f1c874168 66820f6acc0967c7 0f1856ef039b2eb8 c85e92701471f81c",
	meshes = "b064066b3e2749ab ac40b19d8f9d42f2 aa7c1426d6e598a0 f5fed5379d289693 0271d866833893ca",
	sleepers = "61b3091fd85d9200 b33aaccd3d457e34 fbbb5e4c32717001 d8ba3743dfb3db57 026158b5b22578b7",
	rewind = "68f3ebea9385de96 41ebb8cbcca5b673 2f3676d5663760c1 9ce11f50b9cf11de 03516692b86a0c3a",
}
