-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "a69cc720493e240c 01efdbe43d1b7183 0a519aa68b6e9d39 81b450e82bdeb3de f6913c5be43d3d17",
	pile = "a7bcffcb4d545b23 349d0c45fbc0be45 1d09f763da7987bb 90288a9663e2b955 bba165a3bea3865f",
	mixed = "aca423976c84d760 5916a09006d41ce0 2d7e9d27b64fa8a3 524e749d541519ca 393db1c182c8a177",
	caves = "ddf699c324fe3f10 d5aa5219df335f10 03e2a0e3a05b590d 74d6a66f59c1360d 870569195470b49a",
	machines = "86a909dd4cb0cbb2 215ae09a30a6a58c 8b6140a87346ff98 f1a6382b0e852cca 05df750d27eddb80",
	pond = "e40563111dab6748 ffcf075c262c0338 08e5cd932383b41a 8df2387dc0d85981 ce398ff9545fdb0b",
	shots = "79f79634f8908265 7994de683e1f6e7e 466276091c883790 8116a41e5728c443 3ad2614b3ceb19ad",
	meshes = "7875ce32df3c47d4 397d4369a7848a45 2fa2b4e7d4a830b0 e5c2ee23bed33435 eda29964be46edfd",
	sleepers = "68d53fad281d222e 5ce9548f38f7cc2a 13bea06e24904019 b5dc3694b34d6c50 362ecaa4a657ce7b",
	rewind = "397452a79ae9bf81 11f0d11e3b030542 52440b851db6d626 017df7b691ca0e11 7f828f350b2892da",
	rubble = "85ba342a4c8d7b65 a5326b309b145e2b 2b774292f3c787a7 124c3ae06fb86820 5a47ef48d81d29a5",
}
