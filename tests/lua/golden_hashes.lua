-- The hashes of scenes.lua, which every machine, compiler and optimisation level must reproduce. A change of the
-- simulation changes them: run `luajit scenes.lua NAME` for the new line.

return {
	landslide = "f7df634d3d5b7c61 7f2aef54378c3880 38668efcbbbb33d4 f2739d1c8fe682a3 7f8b4c87cd98011f",
	pile = "ae88413ebb1404ff d5a2476884eb1082 cc080477628b04d9 f4a5ee2bbf4e4faa 6fc9798e8963a298",
	mixed = "80f02d08ffed03c6 96ca480cf98aa4d4 d392f86521cf6542 1eac121442ab360c b0919b5ad4399ab7",
}
