-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "05c3deae1dcf062a cdc438ad969c90de 5609693f15dcd168 bcdda637aa8d1f38 c69267fe4799ec4a",
	pile = "845071f85fcf6c54 0642314aedaf527f a8ba5ac362079d3e 11160c841137d91d d6c114e379ba8c6b",
	mixed = "bd699dde56342d4c e25106a0b2079310 a42dec7e0e6e4a32 7d968581543c36f5 eab90e37f8967bad",
}
