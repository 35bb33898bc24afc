-- Records a scene as it stands into a .glb file: export_gltf.lua SCENE FILE

local path, output = ...
local record = require "scree.record"
local recorder = record.start()
local exit = os.exit
local function write()
	print(assert(require("scree.gltf").write(recorder.finish(), output)).bytes .. " bytes in " .. output)
end
os.exit = function() -- luacheck: ignore 122
	write()
	exit(0)
end
assert(loadfile(path))()
write()
