-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "48be061a9eace29f 8bee77e5cae58f85 5e40d1a6a2710e92 1fcd10686be97449 3c84daafc519667a",
	pile = "7c5ad894691ebc00 c39eeb3df103e7fd 00cbf09710af7a66 266433dce685392a 732226a985824747",
	mixed = "f28cbba03963b146 6f21ee9e9f732705 25da39204196993e f0df45bc0736f31f cf939897f71e1d1d",
	caves = "f2bbb91e2b53345a c65a5f32242c6bff f03b39eea22a23c8 67e31edf690626ce ba0d8772949c1ac7",
}
