-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "48be061a9eace29f 1d06d24f0d0643bd 26316e46fe54675c d4784497be9135ff 046ebf69a70c8f06",
	pile = "8f4756f5a2a88869 0d8de20c7740af8d f247ff9d90f6b742 12d860715aec391b 58d9f97fb34c6927",
	mixed = "a81b1833860af1af 2b513d81be340a45 57afab36864a3f8d a8b180b243ac9063 fe027f5a27fc6f3c",
	caves = "f2bbb91e2b53345a 37f362fef5098a87 f7b4ea0190529214 a6b3c7eaaf8a4ac8 c3f47484a6eeb2cf",
	machines = "c81be7e6c00a93a2 7df07682e0a82167 1d0dd71fcb889b49 d6a0073dae9b1ac7 fca04135409c8ea1",
	pond = "cb2dbbc752896756 86529ee2046a938a 74790afa8a0a97cb d3e3186852ed3bec 5d56d42e4b39ac3b",
	shots = "b6bfbd2450e00e3f b4b085b3308cf900 b7bdacd529e9267c 1e82ef48fd0ba918 c41a7fab67a80e85",
	meshes = "2330e18ed4d63ba4 244a18c1ca7bb305 335b0a785bf36dbd 0dac4e01739b16ea 6c2154d4ec010c47",
	sleepers = "cd9db679b2171024 c606ce366d84ecae 8f2c2cbd62f30760 69e745615e515e51 69cc5d1e9d318dea",
	rewind = "42cfb8c3ed36749e f4d3b1c348302ae1 e361b435a4500123 d47861c33ff360c2 4c46f7114e1fae46",
}
