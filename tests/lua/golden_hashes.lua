-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "af5f392f7d52cbd6 634b735b64637b69 02af3923294c91c1 c5a7315a5f9b82a7 5ac601bfec5e0f45",
	pile = "5cec16957c8fb3c0 788f220cef1caf8e d0a5cfd5d7e65e40 57efb67e067e057b dd2f3b8099a343c9",
	mixed = "29129b54f2a88b36 a459bd3ed337f1b5 3231c9f2f58b4898 9622f5c41d7a4d02 6c4199d45f191d2e",
	caves = "66b20a1f42c858e6 8f6bb49fb15487ae d5a4d0fed61c92e1 2db240d328a7ea4b dd88001dbb75feaf",
}
