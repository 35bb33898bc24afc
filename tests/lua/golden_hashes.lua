-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "d1d0f87e1be6c6b2 85929869ad5074f9 6d6d0036b0aad5bd cc8814ca3dc2c470 f675b3f261dee0da",
	pile = "ccec3a4141128c2f 3587bfab779b8431 74713787289f8f26 447fcd9f3d125301 cfd48ea7dc2c5904",
	mixed = "29b73a4db08b859c 43938b74252c6c93 5f475338edc50706 70d74eda6dbe1c2b 47d6796fdaab9058",
	caves = "cf39eb5297246d4d 5402318350a16366 7696edeba1852363 43d0aa1458a2d6aa 04ca9f17be0bd291",
}
