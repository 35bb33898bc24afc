-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "7e8d4f7527e36bb2 28cf8ff30b7010ef 0e76a6ce2c117fbc d18eaf8b301fcd7d 45ec7aa330e62853",
	pile = "845071f85fcf6c54 0642314aedaf527f a8ba5ac362079d3e 11160c841137d91d d6c114e379ba8c6b",
	mixed = "1d914144757bd01f 262104509fbd1712 0715b66186e77b5b 5e761bd351319202 0b723436385d8cf2",
}
