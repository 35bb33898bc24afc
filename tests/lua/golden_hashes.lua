-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "dbee120972b86a01 fcd1b11e5fcc02ae d81452869b85e91c bd06464044c5b89e dacd06ba6b2ebdcb",
	pile = "845071f85fcf6c54 0642314aedaf527f a8ba5ac362079d3e 11160c841137d91d d6c114e379ba8c6b",
	mixed = "500eb4f1ba6ce248 96dcb43e98b83164 b30fee676810c162 a72ddb58a69afea5 7df795a663050521",
	caves = "04def18a2acd01f8 085682097125c3f2 031eb082b7f0a314 530f9da022e49bf3 853dbe16249e46b3",
}
