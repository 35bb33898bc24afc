-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "0bfc507c745ea29f 65f321a6d43b9daf d6309c3dc371093e 12c405be996f2146 fcbc7d84433d326b",
	pile = "8f4756f5a2a88869 51bef65ee7ef688f cb6734695ca51803 00ed10d20c7471e8 8660f4c759af4978",
	mixed = "4f564661ed46dc73 70c74c59691872c3 00f45fec2a6b88e5 76e6e9f267af0058 ea3b361b702d33ed",
	caves = "4bd0490ce2c12bff 29c73e0608a960b7 9dce7d488c442fda aa859ca8fb309bf1 bbe4e39365657eb4",
	machines = "bbe5028e905fa752 aa4d172f90b80be3 00ade48d4d3ad9cd 75891673fe58e0df bcedce4d3927c041",
	pond = "997ed319c02624ca b05f42bf659963c3 1b0dcc772aec8e34 0cd2ba2f4c9f41ff bf180103dfdc7ba9",
	shots = "24649e2bb25ce14b e79ee73199aedea7 3e83af2543dd0f08 b975cb072dbff6d2 f539b25762a6623b",
	meshes = "7111bccf790b4342 41051c4c1eafa731 dd326bf8fe52c2dc 2cfb7ef4ea476ad4 928171c92f094ee3",
	sleepers = "a34b3ccae0b6343e 5b9230f6490de1fa 5b21831abba9793c 79956c62225090b5 a9305589cd9ccc49",
	rewind = "86a117e5ded45cef 4ed8e4887a98ff8a 2feeb663499b0be4 25eadaa070b2f350 4f865615d2cb5f0a",
	rubble = "85ba342a4c8d7b65 0ef15651ed5f28ea c188d33d339c3f93 3a3e1605d5f77eda 888600be3c24feab",
}
