-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "8ee5688083550e8f 87d472462749aa45 85dd5eeebe6164b3 665b7d020988001c 03790f3973c7efc4",
	pile = "6e31b5345852b0ca e7d5b65bb548127a 604c2992a8c1c770 4041e007ef8e1881 1cc08a2c85511c2c",
	mixed = "48b80036cdb59d6c a3452f3585953584 18c977f33df46eda 25fa4ecabe082a80 39a9d1b2b54a2e40",
	caves = "8d39f0c1d81b8d01 69f3dafd7019bf4f ebab014bec2ec772 d9ef9148794cd89b f1df65da715c9efe",
}
