-- scree: voxel terrain and rigid-body physics.

local raise = require "scree.raise"
raise.own()

local ffi = require "ffi"
local text = require "scree.text"
local C = require("scree.ffi").C
local functions = require "scree.functions"
local snapshot = require "scree.snapshot"
local world = require "scree.world"

---@class scree
local scree = {
	version = ffi.string(C.scree_version()),
	world = world.new,
	load = snapshot.load,
	vec3 = functions.vec3,
	quat = functions.quat,
	axis_angle = functions.axis_angle,
	euler = functions.euler,
	sin = functions.sin,
	cos = functions.cos,
	tan = functions.tan,
	asin = functions.asin,
	acos = functions.acos,
	atan = functions.atan,
	atan2 = functions.atan2,
	exp = functions.exp,
	log = functions.log,
	pow = functions.pow,
	sqrt = functions.sqrt,
}

local names = {}
for name in pairs(scree) do
	names[#names + 1] = name
end
table.sort(names)

return setmetatable(scree, {
	__index = function(_, key)
		raise.error("scree: no function " .. text.key(key) .. text.hint(key, names))
	end,
})
