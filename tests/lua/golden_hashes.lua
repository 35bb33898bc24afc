-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "af5f392f7d52cbd6 634b735b64637b69 02af3923294c91c1 c5a7315a5f9b82a7 5ac601bfec5e0f45",
	pile = "5cec16957c8fb3c0 788f220cef1caf8e d0a5cfd5d7e65e40 57efb67e067e057b dd2f3b8099a343c9",
	mixed = "f5fd83bd8e2f87e4 67d9323360fc01d9 b12c0cf91d8f3d50 85a2454ec87e188a a5e142e99d155ec1",
	caves = "2133a8ec33dc2481 0636e591bb09651c 5ac61854684d743d 6d31a3f4b5985274 66b5ef395b2ac424",
}
