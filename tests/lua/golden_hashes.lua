-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "8ee5688083550e8f 6b760339e8aa8cde 95fa753be74bc325 355d6e068e82c1f3 b5db1a88d9dfe635",
	pile = "09b78f7419f8e370 62008c856e398c0b 16ca6afba985a64d 1b088fb7d68c3609 b1d73aa7e3a650a6",
	mixed = "deab1e04c202b78e 440af48c2ad3402f 3859a67ae6ffc133 ecc89a5a0a1d7fdc 39aa4b8647bfd16d",
	caves = "802694a16b33705f 6014e0b603fd8650 b6631ee168a248cc cb62a736671c2ec1 8fd6378d282be84d",
	machines = "c81be7e6c00a93a2 553e749462e6065f 0f6c9d14150d278c 5d89608aee02aeaa c44a43be853047ec",
	pond = "cb2dbbc752896756 86529ee2046a938a ecafe730343033ce 06fd59a6222a25d4 b50a9641bf395456",
	shots = "afc66ee21d56fa83 0c4e03b7f37daf72 d3597ff014aa8449 5fc644d7bb6b9352 6d3e06acb182577e",
	meshes = "78c93680bc73835b 7cacc14e40e0d4c9 4dbc2d7671be5214 54e20e9fb29a1715 29e447828f5b8adb",
	sleepers = "cd9db679b2171024 c606ce366d84ecae 8f2c2cbd62f30760 734f9b5d127cff46 a90020263e80a105",
	rewind = "637c1cd45b1ff9bc 45383d5dec8906db 38dc4e13b5a359d7 7551676c13d3fb78 6db92874082d8893",
}
