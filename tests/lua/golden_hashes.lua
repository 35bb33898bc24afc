-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "8ceaedc80a11a6e5 0c8162e4a26a7638 529fa82980dd42ed 4548d81294275672 ff5c2112ea8d2d80",
	pile = "5cec16957c8fb3c0 788f220cef1caf8e d0a5cfd5d7e65e40 57efb67e067e057b dd2f3b8099a343c9",
	mixed = "29129b54f2a88b36 a459bd3ed337f1b5 3231c9f2f58b4898 9622f5c41d7a4d02 6c4199d45f191d2e",
	caves = "66b20a1f42c858e6 8f6bb49fb15487ae d5a4d0fed61c92e1 2db240d328a7ea4b dd88001dbb75feaf",
}
