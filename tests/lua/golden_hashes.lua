-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "bbddcb5a54ebc31c f7cc317721aa52a7 e13c2d944eef2330 40d7b2bcdf18f761 7c1f923588eb4f57",
	pile = "845071f85fcf6c54 0642314aedaf527f a8ba5ac362079d3e 11160c841137d91d d6c114e379ba8c6b",
	mixed = "1d914144757bd01f 262104509fbd1712 0715b66186e77b5b 5e761bd351319202 0b723436385d8cf2",
	caves = "9e70f74abfe5bf0c 00c6195244a8545f f012421669d5643a f0ec637e2a0a5729 5642433355c4fc59",
}
