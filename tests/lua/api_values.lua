-- Values by the types of the interface's table (scree.api): right ones, wrong ones, and whether one is right.

local ffi = require "ffi"
local scree = require "scree"
local api = require "scree.api"
local process = require "process"
local region = require "scree.region"
local materials = require "scree.materials"

local values = {}

local NAN, INF = 0 / 0, math.huge

-- ---- a small world with one of everything --------------------------------------------------------------------------

local JOINTS = {
	{ type = "weld" }, { type = "ball", axis = { 0, 1, 0 }, cone = 1 }, { type = "hinge", axis = { 0, 0, 1 } },
	{ type = "slider", axis = { 0, 1, 0 } }, { type = "cylindrical", axis = { 0, 1, 0 } }, { type = "rope" },
	{ type = "rod" }, { type = "spring", frequency = 2 }, { type = "spring", stiffness = 50 }, { type = "align" },
}

-- Joints of every kind, each from the world to a body of its own.
local function add_joints(world, into)
	for i, options in ipairs(JOINTS) do
		local body = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 3 * i, 6, 9 } }
		local copy = { b = body }
		for key, value in pairs(options) do
			copy[key] = value
		end
		copy.at = copy.type ~= "align" and { 3 * i, 7.5, 9 } or nil
		into[#into + 1] = world:joint(copy)
	end
end

local function add_bodies(world, into)
	local function spawn(options)
		into[#into + 1] = world:spawn(options)
	end
	spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 }, tag = "box" }
	spawn { shape = "ball", radius = 0.5, position = { 2, 0.6, 0 }, velocity = { 1, 0, 0 } }
	spawn { shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, position = { -3, 1, 0 } }
	spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 9, 0 }, motion = "kinematic" }
	spawn { shape = "mesh", vertices = { 0, 0, 0, 0, 0, 1, 1, 0, 0 }, indices = { 1, 2, 3 }, position = { 6, 2, 0 } }
	spawn { parts = { { shape = "ball", radius = 1 }, { shape = "cone", radius = 1, length = 1, position = { 0, 1, 0 } } },
		position = { -6, 3, 0 } }
end

local made

-- Recordings of another world; made once.
local function recordings()
	if not made then
		local recorder = require("scree.record").start()
		local world = scree.world {}
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 4, 2, 4 }, material = "rock" }
		world:spawn { shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, tag = "hull" }
		local ball = world:spawn { shape = "ball", radius = 1 }
		world:joint { type = "weld", b = ball }
		world:step(1 / 60, 2)
		ball.parts[1].material, world.materials.rock = "ice", { color = 0x111111 }
		world:step(1 / 60)
		made = recorder.finish()
		values.recorder = recorder
	end
	return made
end

--- A small world with one of everything, and what else calls need. folder: where its files may be.
function values.context(folder)
	local world = scree.world { sleep = { time = 0.4 } }
	local c = { world = world, folder = folder, assemblies = {}, joints = {}, doubles = ffi.new "double[12]" }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 16, 4, 16 }, material = "rock" }
	world.terrain:fill_box { position = { 5, 1, 5 }, size = { 4, 2, 4 }, material = "water" }
	add_bodies(world, c.assemblies)
	world.terrain:set(-6, 8, -6, "rock")
	c.assemblies[#c.assemblies + 1] = world.terrain:detach_all()[1]
	add_joints(world, c.joints)
	c.region = world.terrain:read({ -1, -1, -1 }, { 0, 0, 0 })
	c.mask = ffi.new "uint8_t[12]" -- 8 cells, 2 x 2 pixels
	world:step(1 / 60, 3)
	c.recordings = recordings()
	c.snapshot = world:snapshot()
	return c
end

--- Things that are destroyed, and of another world.
function values.add_strangers(c)
	local other = scree.world {}
	local function ball()
		return other:spawn { shape = "ball", radius = 1 }
	end
	c.foreign = { ball(), other:joint { type = "weld", b = ball() }, other.terrain:read({ 0, 0, 0 }, { 1, 1, 1 }) }
	local gone = scree.world {}
	local body = gone:spawn { shape = "ball", radius = 1 }
	local weld, cells = gone:joint { type = "weld", b = body }, gone.terrain:read({ 0, 0, 0 }, { 1, 1, 1 })
	c.stale = { weld, body, gone.terrain, cells, gone }
	gone:destroy()
	local mine = c.world:spawn { shape = "ball", radius = 1, position = { 0, 50, 0 } }
	mine:destroy()
	c.stale[#c.stale + 1] = mine
end

--- Files of every kind that can be read.
function values.write_files(folder)
	local world = scree.world {}
	local terrain = world.terrain
	terrain:fill_box { position = { 0, 0, 0 }, size = { 4, 4, 4 }, material = "sand" }
	for _, ending in ipairs { "vox", "obj", "stl", "ply", "glb" } do
		assert(terrain:export(folder .. "/a." .. ending))
	end
	assert(terrain:save(folder .. "/a.terrain"))
	assert(world:save(folder .. "/a.world"))
	process.write(folder .. "/a.r16", ("\0\1\0\0\1\0\0\1"):rep(1))
	process.write(folder .. "/a.schem", "nothing")
end

-- ---- right values --------------------------------------------------------------------------------------------------

local FILES = {
	"a.vox", "a.obj", "a.stl", "a.ply", "a.glb", "a.terrain", "a.world", "a.r16", "a.schem", "none.png", "none.mts",
}

-- right[kind](c, random): one right value of many. random(n): a whole number from 1 to n.
local right = {}
values.right_of_kind = right

local function pick(list)
	return function(_, random)
		return list[random(#list)]
	end
end

local NUMBERS = { 0, 1, -1, 0.5, 2, -3.25, 7, 1e-9 }

right.any = pick { 1, "tag", true }
right.boolean = pick { true, false }
right.number = pick(NUMBERS)
right.finite = right.number
right.positive = pick { 1, 0.5, 2, 3.25 }
right.not_negative = pick { 0, 0.25, 1, 0.05 }
right.fraction = pick { 0, 0.5, 1, 0.1 }
right.share = pick { -1, 0, 0.5, 1 }
right.lean = pick { 0, 1, 3 }
right.budget = pick { 0, 100, 1e6, INF }
right.integer = pick { 0, 1, 0, 1, -1, 2 }
right.count = pick { 0, 1, 2, 3 }
right.index = pick { 1, 1, 2 }
right.threads = pick { 1, 2 }
right.level = pick { 1, 3 }
right.color = pick { 0, 0xFFFFFF, 0x123456 }
right.string = function(c, random)
	return random(2) == 1 and c.snapshot or "text"
end
right.path = function(c, random)
	return c.folder .. "/" .. FILES[random(#FILES)]
end
right.trace_name = pick { "a", "b-1", "c.d" }
right.small_cells = pick { 0, 3, 4096 }
right.undo_name = pick { "dig", "a name" }
right.group = pick { "default", "rocks", 0, 31 }
right.groups = pick { "all", "none", "default", { "default" }, 0 }
right.material = pick { "rock", "sand", "air", "water" }
right.solid = pick { "rock", "sand", "metal" }
right.scale = pick { 1, 2, { 1, 2, 1 } }
right.pair = pick { { 0, 0 }, { 4, 4 }, { -3, 2 } }
right.range = pick { { -1, 1 }, { 0, 0 }, { -0.5, 2 } }
right.inertia = pick { { 100, 110, 120 }, { 100, 0, 0, 0, 100, 0, 0, 0, 100 } }
right.vertices = pick { { { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }, { 0, 0, 0, 0, 0, 1, 1, 0, 0 } }
right.indices = pick { { 1, 2, 3 }, { { 1, 2, 3 } }, { 0, 1, 2 } }
right.heights = pick { { 0, 1, 0, 1 } }
right.height_function = pick {
	function(x) return x * 0.1 end, function() return false end, function() return 1, "sand" end,
}
right.handler = pick { function() end }
right.ignored = function(c, random)
	local one = c.assemblies[random(#c.assemblies)]
	return random(2) == 1 and one or { one }
end
right.mask = function(c, random)
	return random(2) == 1 and c.mask or c.region
end
right.pixels = pick { { 8, 6 }, { 5, 1 } }
right.samples = pick { 1, 4 }
right.recordings = function(c)
	return c.recordings
end
right.side = pick { 1, 2 }
right.recorded_ground = pick { true, false, "end" }
right.frame_handler = pick { function() end }
right.color_function = pick { function() return 0xFF0000 end, function() end }
right.bytes = function(c)
	return c.mask
end
right.doubles = function(c)
	return c.doubles
end

local function three(of)
	return function(c, random)
		local x, y, z = of(c, random), of(c, random), of(c, random)
		return random(3) == 1 and scree.vec3(x, y, z) or { x, y, z }
	end
end

right.vector = three(right.number)
right.vec3_operand = right.vector
right.size = three(right.positive)
right.cells = three(right.integer)
right.rotation = pick { { 0, 0, 0, 1 }, { 0, 1, 0, 1 }, scree.axis_angle({ 1, 2, 3 }, 1) }

local function right_object(c, name, random)
	if name == "World" then
		return c.world
	elseif name == "Terrain" then
		return c.world.terrain
	elseif name == "Materials" then
		return c.world.materials
	elseif name == "Region" then
		return c.region
	elseif name == "Assembly" then
		return c.assemblies[random(#c.assemblies)]
	elseif name == "Joint" then
		return c.joints[random(#c.joints)]
	elseif name == "Recording" then
		return c.recordings[1]
	elseif name == "Recorder" then
		return values.recorder
	elseif name == "Cursor" then
		local _, cursor = c.recordings[1]:frames()()
		return cursor
	elseif name == "vec3" then
		return scree.vec3(1, 2, 3)
	elseif name == "quat" then
		return scree.axis_angle({ 1, 2, 3 }, 0.5)
	end
	return require(name == "scree" and name or "scree." .. name)
end

values.object = right_object

-- Of a record's fields those that must be there, and some of the others.
local function right_record(c, record, random)
	local result = {}
	for _, field in ipairs(api.fields(record)) do
		if not field.optional or random(6) == 1 then
			result[field.name] = values.right(field.type, c, random)
		end
	end
	return result
end

-- Records whose fields cannot be chosen one by one.
local SHAPES = {
	{ shape = "ball", radius = 1 }, { shape = "box", size = { 1, 2, 1 } }, { shape = "capsule", radius = 0.5, length = 1 },
	{ shape = "cylinder", radius = 0.5, length = 1 }, { shape = "cone", radius = 0.5, length = 1 },
	{ shape = "wedge", size = { 1, 1, 1 } },
	{ shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
}
local MESHES = {
	{ shape = "mesh", vertices = { 0, 0, 0, 0, 0, 1, 1, 0, 0 }, indices = { 1, 2, 3 } },
	{ shape = "mesh", path = "a.obj" },
}
local DIMENSIONS = {
	shape = true, size = true, radius = true, length = true, points = true, path = true, vertices = true, indices = true,
	scale = true, parts = true,
}

-- The fields of a record but those of its shape, and a shape.
local function with_shape(c, record, random, shapes)
	local result = {}
	for _, field in ipairs(record.fields) do
		if not DIMENSIONS[field.name] and random(8) == 1 then
			result[field.name] = values.right(field.type, c, random)
		end
	end
	for key, value in pairs(shapes[random(#shapes)]) do
		result[key] = key == "path" and c.folder .. "/" .. value or value
	end
	return result
end

local special = {}

function special.PartOptions(c, random)
	return with_shape(c, api.records.PartOptions, random, random(5) == 1 and MESHES or SHAPES)
end

function special.QueryShape(c, random)
	return with_shape(c, api.records.QueryShape, random, SHAPES)
end

function special.Compound(c, random)
	return { parts = { special.QueryShape(c, random), special.QueryShape(c, random) }, position = { 0, 1, 0 } }
end

function special.SpawnOptions(c, random)
	if random(3) == 1 then
		return { parts = { special.PartOptions(c, random), special.PartOptions(c, random) }, position = { 0, 20, 0 } }
	end
	return with_shape(c, api.records.SpawnOptions, random, random(5) == 1 and MESHES or SHAPES)
end

function special.JointOptions(c, random)
	local result = { a = c.assemblies[1], b = c.assemblies[2] }
	for key, value in pairs(JOINTS[random(#JOINTS)]) do
		result[key] = value
	end
	return result
end

function special.GroundBlock(c)
	return c.recordings[1].blocks[1]
end

function special.Motor(_, random)
	return random(2) == 1 and { speed = 1, max_torque = 10 } or { target = 1, speed = 2 }
end

local function placed(name)
	special[name] = function(c, random)
		local result = right_record(c, api.records[name], random)
		result.center, result.position = nil, { 0, 1, 0 }
		if name == "FillCylinder" then
			result.length, result.height = nil, 2
		end
		if name:find "^Fill" then
			result.material = result.material or "rock"
		end
		return result
	end
end

for _, name in ipairs { "FillBall", "FillBox", "FillCylinder", "Smooth", "Grow" } do
	placed(name)
end

function special.Part(c, random)
	return right_object(c, "Assembly", random).parts[1]
end

function special.Mesh(c)
	return c.assemblies[3]:part_mesh(1)
end

function special.RenderOptions(c, random)
	local result = right_record(c, api.records.RenderOptions, random)
	result.size, result.from = { 8, 6 }, { 30, 20, 30 }
	return result
end

function special.Heightmap(c, random)
	if random(2) == 1 then
		return { path = c.folder .. "/a.r16", min = 0, max = 3 }
	end
	return { heights = { 0, 1, 0, 1 }, width = 2, depth = 2, position = { 0, 0, 0 }, material = "sand" }
end

function special.Generate(_, random)
	return { min = { 0, 0 }, max = { 4, 4 }, height = right.height_function(nil, random), mode = "add" }
end

function special.Layer()
	return { material = "rock" }
end

local ENDINGS = { "vox", "obj", "stl", "ply", "glb", "world", "png" }

--- Right arguments for a function; what is optional may be missing. Of n places, from first on.
function values.arguments(fn, first, c, random)
	local arguments = {}
	for i, argument in ipairs(fn.args) do
		if not (argument.optional and random(2) == 1) or argument.type == "RenderOptions" then
			arguments[first + i - 1] = values.right(argument.type, c, random)
		end
		if fn.writes and argument.type == "path" then -- not over the files that are read
			arguments[first + i - 1] = c.folder .. "/out." .. ENDINGS[random(#ENDINGS)]
		end
	end
	return arguments
end

--- One right value of a type.
---@param random fun(n: integer): integer from 1 to n
function values.right(type_, c, random)
	if type(type_) == "string" then
		local kind = api.kinds[type_]
		if kind and kind.choice then
			return kind.choice[random(#kind.choice)]
		elseif kind then
			return (right[type_] or error("no right value of " .. type_))(c, random)
		elseif api.records[type_] then
			local make = special[type_]
			return make and make(c, random) or right_record(c, api.records[type_], random)
		end
		return right_object(c, type_, random)
	elseif type_.choice then
		return type_.choice[random(#type_.choice)]
	elseif type_.list then
		if type_.list == "Layer" then
			return { { material = "sand", depth = 1 }, { material = "rock" } }
		elseif type_.list == "vector" then
			return { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
		end
		return { values.right(type_.list, c, random), values.right(type_.list, c, random) }
	elseif type_.from then
		return { [values.right(type_.from, c, random)] = values.right(type_.to, c, random) }
	end
	return values.right(type_.either[random(#type_.either)], c, random)
end

-- ---- whether a value is of a type ----------------------------------------------------------------------------------

local fits_kind = {}

local function of_lua_type(name)
	return function(value)
		return type(value) == name
	end
end

for _, name in ipairs {
	"number", "positive", "not_negative", "fraction", "share", "finite", "lean", "budget",
} do
	fits_kind[name] = of_lua_type "number"
end
for _, name in ipairs { "integer", "count", "index", "threads", "level", "color", "small_cells" } do
	fits_kind[name] = function(value)
		return type(value) == "number" and value % 1 == 0
	end
end
for _, name in ipairs { "string", "path", "trace_name", "undo_name", "material", "solid" } do
	fits_kind[name] = of_lua_type "string"
end
for _, name in ipairs { "stop", "assemblies", "joints", "events", "frames" } do
	fits_kind[name] = of_lua_type "function"
end
for _, name in ipairs { "doubles", "bytes", "indices_out" } do
	fits_kind[name] = of_lua_type "cdata"
end
fits_kind.boolean = of_lua_type "boolean"
fits_kind.any = function()
	return true
end
fits_kind.named_true = function(value)
	return value == true
end
fits_kind.undone = function(value)
	return type(value) == "string" or type(value) == "boolean"
end
fits_kind.vec3 = function(value)
	return ffi.istype(require("scree.vec3").type, value)
end
fits_kind.quat = function(value)
	return ffi.istype(require("scree.quat").type, value)
end
fits_kind.range = function(value)
	return type(value[1]) == "number" and type(value[2]) == "number"
end
fits_kind.group = function(value)
	return type(value) == "string" or type(value) == "number"
end
fits_kind.groups = function(value)
	return type(value) == "string" or type(value) == "table"
end
fits_kind.vector = fits_kind.vec3
fits_kind.rotation = fits_kind.quat

local function fits_object(name, value)
	if name == "Region" then
		return type(value) == "table" and rawget(value, region.DATA) ~= nil
	elseif name == "Materials" then
		return type(value) == "table" and value.names == materials.methods.names
	end
	if name == "Recording" then
		return require("scree.record").is_recording(value)
	elseif name == "Recorder" or name == "Cursor" then
		return type(value) == "table" and type(value[name == "Cursor" and "pose" or "finish"]) == "function"
	end
	local class = require("scree." .. name:lower()).class
	return getmetatable(value) == class.meta
end

local function index(value, key)
	return value[key]
end

-- Of a motor that has no such limit to ask for it is an error.
local function field_of(value, field)
	local ok, inner = pcall(index, value, field.name)
	if ok then
		return inner
	end
end

-- Every field that is there is in the table and of its type, and what must be there is.
local function record_fault(name, value, where)
	local known = {}
	for _, field in ipairs(api.fields(api.records[name])) do
		known[field.name] = true
		local inner
		if field.optional then
			inner = field_of(value, field)
		else
			inner = value[field.name]
		end
		if inner == nil and not field.optional then
			return where .. "." .. field.name .. " is missing"
		end
		local fault = inner ~= nil and values.fault(field.type, inner, where .. "." .. field.name)
		if fault then
			return fault
		end
	end
	for key in pairs(value) do
		if type(key) == "string" and not known[key] and not key:find "^%z" then
			return where .. "." .. key .. " is not in the table"
		end
	end
end

--- What is wrong with a value that should be of a type; nil: nothing.
---@return string?
function values.fault(type_, value, where)
	local function unless(ok)
		return not ok and ("%s is %s"):format(where, tostring(value)) or nil
	end
	if type(type_) == "string" then
		local kind = api.kinds[type_]
		if kind and kind.choice then
			return values.fault(kind, value, where)
		elseif kind then
			return unless((fits_kind[type_] or error("no test of " .. type_))(value))
		elseif api.objects[type_] then
			return unless(fits_object(type_, value))
		end
		return unless(type(value) == "table") or record_fault(type_, value, where)
	elseif type_.choice then
		for _, name in ipairs(type_.choice) do
			if value == name then
				return nil
			end
		end
		return unless(false)
	elseif type(value) ~= "table" then
		return unless(type_.either ~= nil)
	elseif type_.list then
		for i, inner in ipairs(value) do
			local fault = values.fault(type_.list, inner, where .. "[" .. i .. "]")
			if fault then
				return fault
			end
		end
	elseif type_.from then
		for key, inner in pairs(value) do
			local fault = values.fault(type_.from, key, where .. " key") or values.fault(type_.to, inner, where)
			if fault then
				return fault
			end
		end
	elseif type_.either then
		local fault
		for _, part in ipairs(type_.either) do
			fault = values.fault(part, value, where)
			if not fault then
				return nil
			end
		end
		return fault
	end
end

--- What a call made is ended, if it would go on.
function values.finish(made_by_call)
	if type(made_by_call) == "table" and type(rawget(made_by_call, "finish")) == "function" then
		made_by_call.finish()
	end
end

-- ---- wrong values --------------------------------------------------------------------------------------------------

local cyclic = {}
cyclic[1], cyclic.self = cyclic, cyclic

--- Values that few calls take.
function values.wrong(c, random)
	local list = {
		NAN, INF, -INF, 1e38, -1e38, 1.7e308, 5e-324, -1, 0, 0.5, 2 ^ 31, -2 ^ 31, 2 ^ 53, 2 ^ 63, "", "x", "1", "a\0b",
		"rok", ("x"):rep(300), true, false, {}, { 1 }, { 1, 2 }, { 1, 2, 3 }, { 1, 2, 3, 4 }, { NAN, 0, 0 }, { 0, INF, 0 },
		{ "a" }, { 1, nil, 3 }, { x = 1 }, { [0] = 1 }, { { 1, 2, 3 } }, cyclic,
		setmetatable({ 1, 2, 3 }, { __index = error }), print, coroutine.create(print), io.stdout, scree,
		scree.vec3(1, 2, 3), scree.vec3(1, 2, 3) / 0, scree.quat(0, 0, 0, 1), 1LL, 2ULL ^ 40, ffi.new "char *",
		ffi.new "double[2]", ffi.new "uint8_t[1]", ffi.typeof "int", c.world, c.world.terrain, c.world.materials, c.region,
		c.assemblies[1], c.joints[1], c.foreign[1], c.foreign[2], c.foreign[3], unpack(c.stale),
	}
	return list[random(#list)]
end

return values
