-- The table of the interface (scree.api) against the live module: the same names on both sides, the types that it says,
-- and what is made from it is as the files are.

local lu = require "luaunit"
local scree = require "scree"
local api = require "scree.api"
local golden = require "scree.golden"
local process = require "process"
local support = require "support"
local values = require "api_values"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
local root = os.getenv "SCREE_SOURCE_ROOT" or here .. "/../.."

local function sorted(set)
	local names = {}
	for name in pairs(set) do
		if type(name) == "string" and name:find "^%a" then
			names[#names + 1] = name
		end
	end
	table.sort(names)
	return names
end

-- The names of a list of entries.
local function names_of(...)
	local set = {}
	for _, list in ipairs { ... } do
		for _, entry in ipairs(list) do
			set[entry.name] = true
		end
	end
	return sorted(set)
end

local function union(...)
	local set = {}
	for _, group in ipairs { ... } do
		for name in pairs(group) do
			set[name] = true
		end
	end
	return sorted(set)
end

local function set_of(list)
	local set = {}
	for _, name in ipairs(list) do
		set[name] = true
	end
	return set
end

-- ---- files ---------------------------------------------------------------------------------------------------------

local TestFiles = {}

function TestFiles.testWhatIsMadeOfTheTableIsCurrent()
	local make = dofile(root .. "/lua/build/make_reference.lua")
	local files = make.files()
	lu.assertEquals(#files, 3)
	for _, made in ipairs(files) do
		lu.assertTrue(process.read(made.path) == made.text, made.path .. ": run luajit lua/build/make_reference.lua")
	end
end

function TestFiles.testAnnotationsAreLua()
	for _, name in ipairs { "objects", "records" } do
		local path = ("%s/lua/scree/meta/%s.lua"):format(root, name)
		assert(loadfile(path))
		local text = process.read(path)
		lu.assertStrContains(text, "---@meta")
		for line in text:gmatch "[^\n]+" do
			local tag = line:match "^%-%-%-@(%a+)"
			if tag then
				local wanted = {
					meta = "_", class = "^%-%-%-@class scree[%.%w]*:? ?[%w.]*$", field = "^%-%-%-@field %[?[%w_]+%]?%?? [%w%({\"]",
					param = "^%-%-%-@param [%w_]+%?? [%w%({\"]", ["return"] = "^%-%-%-@return [%w%({\"].* [%w_]+",
					operator = "^%-%-%-@operator %a+",
				}
				lu.assertNotNil(wanted[tag], line)
				lu.assertNotNil(line:find(wanted[tag]), line)
			end
		end
	end
end

-- Every class that the annotations name is one that they define.
function TestFiles.testAnnotationsNameWhatIsThere()
	local text = process.read(root .. "/lua/scree/meta/objects.lua") .. process.read(root .. "/lua/scree/meta/records.lua")
	local defined = {}
	for name in text:gmatch "%-%-%-@class (scree[%w_.]*)" do
		lu.assertNil(defined[name], name)
		defined[name] = true
	end
	local sources = {} -- which also have classes that belong to no script
	for name in io.popen(('ls "%s/lua/scree"'):format(root)):lines() do
		sources[name] = name:find "%.lua$" and process.read(root .. "/lua/scree/" .. name) or nil
		for class in (sources[name] or ""):gmatch "%-%-%-@class (scree[%w_.]*)" do
			defined[class] = true
		end
	end
	for line in text:gmatch "[^\n]+" do
		if line:find "^%-%-%-@[fprc]" then
			for name in line:gsub("`.-`", ""):gmatch "scree%.[%w_]+" do
				lu.assertTrue(defined[name] or scree[name:sub(7)] ~= nil, line)
			end
		end
	end
	for name, source in pairs(sources) do
		for line in source:gmatch "[^\n]+" do
			for class in (line:match "^%s*%-%-%-@[pr].*" or ""):gmatch "scree%.[%w_]+" do
				lu.assertTrue(defined[class], name .. ": " .. line)
			end
		end
	end
end

-- Functions as the annotations have them: { class =, name =, is_method =, arguments = "from, to", params = { names } }.
local function annotated_functions(text)
	local list, class, params = {}, nil, {}
	for line in text:gmatch "[^\n]+" do
		local sign, name, arguments = line:match "^function [%w_]+([.:])([%w_]+)%((.-)%) end$"
		class = line:match "^%-%-%-@class (scree[%w_.]*)" or class
		if name then
			list[#list + 1] = {
				class = class, name = name, is_method = sign == ":", arguments = arguments, params = params,
			}
		end
		local param = line:match "^%-%-%-@param ([%w_]+)"
		params = line:find "^%-%-%-@" and params or {}
		params[#params + 1] = param
	end
	return list
end

-- What some are called in the code, where another thing has the name.
local CALLED = {
	["World.cast"] = "moved, from, to, opts", ["World.overlap"] = "placed, position, opts", ["World.restore"] = "from",
	["Terrain.write"] = "min, from, mask", ["golden.check"] = "self, name, tolerances", ["golden.record"] = "self, opts",
	["gltf.write"] = "list, path", ["Recording.arrows"] = "frame, at", ["replay.page"] = "list, options",
}
for name, arguments in pairs { dot = "b", cross = "b", distance = "b", lerp = "b, t" } do
	CALLED["vec3." .. name] = arguments
end

-- Every function that the annotations declare takes as many arguments as it does live, of these names in this order,
-- and each has its line.
function TestFiles.testAnnotationsHaveTheLiveSignatures()
	local c = values.context "/tmp"
	local list = annotated_functions(process.read(root .. "/lua/scree/meta/objects.lua"))
	local count = 0
	for _, object in ipairs(api.objects) do
		count = count + #object.functions
	end
	lu.assertEquals(#list, count)
	for _, declared in ipairs(list) do
		local class = declared.class:match "^scree%.(.+)$" or declared.class
		local name = class .. "." .. declared.name
		local live = class == "scree" and scree or values.object(c, class, function() return 1 end)
		local fn = live[declared.name]
		local info = debug.getinfo(fn, "u")
		lu.assertFalse(info.isvararg, name)
		local arguments = {}
		for i = declared.is_method and 2 or 1, info.nparams do
			arguments[#arguments + 1] = debug.getlocal(fn, i)
		end
		arguments = table.concat(arguments, ", ")
		lu.assertEquals(CALLED[name] and #CALLED[name]:gsub("[^,]", "") or arguments,
			CALLED[name] and #declared.arguments:gsub("[^,]", "") or declared.arguments, name)
		lu.assertEquals(arguments, CALLED[name] or declared.arguments, name)
		lu.assertEquals(table.concat(declared.params, ", "), declared.arguments, name)
	end
end

-- ---- names ---------------------------------------------------------------------------------------------------------

local TestNames = {}

function TestNames.testModule()
	local functions, others = {}, {}
	for name, value in pairs(scree) do
		local set = type(value) == "function" and functions or others
		set[name] = true
	end
	lu.assertEquals(names_of(api.objects.scree.functions), sorted(functions))
	lu.assertEquals(names_of(api.objects.scree.properties), sorted(others))
end

function TestNames.testObjects()
	for _, name in ipairs { "World", "Assembly", "Joint", "Terrain" } do
		local object, class = api.objects[name], require("scree." .. name:lower()).class
		lu.assertEquals(names_of(object.functions), sorted(class.methods), name)
		lu.assertEquals(names_of(object.properties), union(class.getters), name)
		local writable = {}
		for _, property in ipairs(object.properties) do
			writable[property.name] = property.write and true or nil
		end
		lu.assertEquals(sorted(writable), sorted(class.setters), name)
	end
end

-- What a value that has no class says it has, when it is asked for a name that is none.
local function known_to(fn, ...)
	local ok, message = pcall(fn, ...)
	lu.assertFalse(ok)
	local list = message:match "%(known: (.*)%)$"
	lu.assertNotNil(list, message)
	local names = {}
	for name in list:gmatch "[%w_]+" do
		names[#names + 1] = name
	end
	table.sort(names)
	return names
end

local function ask(value)
	return value[false]
end

function TestNames.testValues()
	local world = scree.world {}
	local cases = {
		vec3 = { scree.vec3(1, 2, 3), require("scree.vec3").methods },
		quat = { scree.quat(0, 0, 0, 1), require("scree.quat").methods },
		Region = { world.terrain:read({ 0, 0, 0 }, { 0, 0, 0 }), require("scree.region").methods },
	}
	for name, case in pairs(cases) do
		local object = api.objects[name]
		lu.assertEquals(names_of(object.functions), sorted(case[2]), name)
		lu.assertEquals(names_of(object.functions, object.properties), known_to(ask, case[1]), name)
	end
	lu.assertEquals(names_of(api.objects.Materials.functions), sorted(require("scree.materials").methods))
	for _, name in ipairs { "golden", "record", "replay", "solids", "gltf" } do
		local functions = {}
		for key, value in pairs(require("scree." .. name)) do
			functions[key] = type(value) == "function" or nil
		end
		lu.assertEquals(names_of(api.objects[name].functions), sorted(functions), name)
	end
end

-- No name stands twice in the table.
function TestNames.testNamesAreUnique()
	for _, lists in ipairs { api.objects, api.records } do
		for _, one in ipairs(lists) do
			local seen = {}
			for _, list in ipairs { one.properties or {}, one.functions or {}, one.fields or {} } do
				for _, entry in ipairs(list) do
					lu.assertNil(seen[entry.name], one.name .. "." .. entry.name)
					seen[entry.name] = true
				end
			end
		end
	end
end

-- Objects that recordings are made of: what can be called on them is in the table.
function TestNames.testRecordings()
	local c = values.context "/tmp"
	for _, name in ipairs { "Recorder", "Recording", "Cursor" } do
		local live = values.object(c, name)
		local functions = {}
		for key, value in pairs((getmetatable(live) or {}).__index or live) do
			functions[key] = type(value) == "function" or nil
		end
		lu.assertEquals(names_of(api.objects[name].functions), sorted(functions), name)
	end
end

-- What the pages call by the usual names of objects is there: `world:step`, `terrain.bounds`.
function TestNames.testPagesNameWhatIsThere()
	local owners = { world = "World", terrain = "Terrain", region = "Region", golden = "golden", assembly = "Assembly" }
	local known, seen = {}, 0
	for variable, name in pairs(owners) do
		known[variable] = set_of(names_of(api.objects[name].functions, api.objects[name].properties))
	end
	known.scree = set_of(names_of(api.objects.scree.functions, api.objects.scree.properties))
	for page in io.popen(('ls "%s"/docs/*.md "%s"/*.md'):format(root, root)):lines() do
		local text = process.read(page)
		for variable, sign, name in ("\n" .. text):gmatch "[^%w_./]([%l]+)([:.])([%l][%w_]*)" do
			local is_file = sign == "." and (name == "lua" or name == "md" or name == "h")
			local is_module = variable == "scree" and process.read(("%s/lua/scree/%s.lua"):format(root, name)) ~= nil
			if known[variable] and not is_file and not is_module then
				seen = seen + 1
				lu.assertTrue(known[variable][name] == true, page .. " names " .. variable .. sign .. name)
			end
		end
	end
	lu.assertTrue(seen > 300, seen)
end

-- ---- options: the keys that each constructor takes -----------------------------------------------------------------

local TestOptions = {}

local UP, DOWN = { 0, 9, 0 }, { 0, -9, 0 }

-- record -> calls that hand it a table; the keys of one that is taken by several are those of all of them.
local takers = {
	WorldOptions = { function(_, t) scree.world(t) end },
	Sleep = { function(c, t) c.world.sleep = t end, function(_, t) scree.world { sleep = t } end },
	LoadOptions = { function(_, t) scree.load("none", t) end },
	SaveOptions = { function(c, t) c.world:save("/none/x", t) end, function(c, t) c.world.terrain:save("/none/x", t) end },
	SpawnOptions = { function(c, t) c.world:spawn(t) end },
	PartOptions = { function(c, t) c.world:spawn { parts = { t } } end },
	SleepLimits = { function(c, t) c.assemblies[1].sleep_limits = t end },
	JointOptions = { function(c, t) c.world:joint(t) end },
	Motor = {
		function(c, t) c.joints[3].motor = t end, function(c, t) c.joints[4].servo = t end,
		function(c, t) c.joints[5].motor = t end, any = true,
	},
	QueryOptions = {
		function(c, t) c.world:raycast(UP, DOWN, t) end, function(c, t) c.world:raycast_all(UP, DOWN, t) end,
		function(c, t) c.world:cast({ shape = "ball", radius = 1 }, UP, DOWN, t) end,
		function(c, t) c.world:overlap({ shape = "ball", radius = 1 }, UP, t) end,
		function(c, t) c.world:raycasts(1, c.doubles, c.doubles, c.doubles, t) end,
	},
	QueryShape = {
		function(c, t) c.world:cast(t, UP, DOWN) end, function(c, t) c.world:overlap({ parts = { t } }, UP) end,
	},
	Compound = { function(c, t) t.parts = {} c.world:overlap(t, UP) end },
	FillBall = { function(c, t) c.world.terrain:fill_ball(t) end },
	FillBox = { function(c, t) c.world.terrain:fill_box(t) end, function(c, t) c.world.terrain:fill_wedge(t) end },
	FillCylinder = { function(c, t) c.world.terrain:fill_cylinder(t) end },
	Smooth = { function(c, t) c.world.terrain:smooth(t) end },
	Grow = { function(c, t) c.world.terrain:grow(t) end },
	Dig = { function(c, t) c.world.terrain:dig(t) end },
	SmallPieces = { function(c, t) c.world.terrain.small_pieces = t end },
	Blast = { function(c, t) c.world:blast(t) end },
	Heightmap = { function(c, t) c.world.terrain:fill_heightmap(t) end },
	Generate = { function(c, t) c.world.terrain:generate(t) end },
	Layer = {
		function(c, t) c.world.terrain:fill_heightmap { heights = { 0, 0, 0, 0 }, width = 2, depth = 2, layers = { t } } end,
	},
	RenderOptions = {
		function(c, t) c.world:render("/none/x.png", t) end, function(c, t) require("scree.render").draw(c.world, t) end,
	},
	TerrainQueryOptions = { function(c, t) c.world.terrain:raycast(UP, DOWN, t) end },
	VoxOptions = { function(c, t) c.world.terrain:import("none.vox", t) end },
	BlockOptions = {
		function(c, t) c.world.terrain:import("none.schem", t) end, function(c, t) c.world.terrain:import("none.mts", t) end,
	},
	MeshOptions = {
		function(c, t) c.world.terrain:import("none.obj", t) end, function(c, t) c.world.terrain:import("none.glb", t) end,
	},
	TerrainLoadOptions = { function(c, t) c.world.terrain:load("none", t) end },
	Material = { function(c, t) c.world.materials.rock = t end },
	Tolerances = { function(c, t) golden.check(c.world, "x", t) end },
	RecordOptions = { function(c, t) golden.record(c.world, t) end },
	RecorderOptions = { function(_, t) require("scree.record").start(t) end },
	ReplayOptions = { function(c, t) require("scree.replay").page(c.recordings, t) end },
}

function TestOptions.testKeysAreThoseOfTheTable()
	local c = values.context "/tmp"
	for _, record in ipairs(api.records) do
		lu.assertEquals(takers[record.name] ~= nil, record.options, record.name)
		local all = {}
		for _, taker in ipairs(takers[record.name] or {}) do
			local known = known_to(taker, c, { [false] = 1 })
			for _, name in ipairs(known) do
				all[name] = true
			end
			if not takers[record.name].any then
				lu.assertEquals(known, names_of(record.fields), record.name)
			end
		end
		if record.options then
			lu.assertEquals(sorted(all), names_of(record.fields), record.name)
		end
	end
end

-- ---- types: what is read and returned is what the table says -------------------------------------------------------

local TestTypes = {}

local function random_from(seed)
	local state = seed
	return function(n)
		state = (state * 16807) % 2147483647
		return state % n + 1
	end
end

local function fits(type_, value, where)
	local fault = values.fault(type_, value, where)
	if fault then
		lu.fail(fault)
	end
end

-- Interpreted: LuaJIT of Debian 12 now and then keeps half of an address in what it makes of these calls.
function TestTypes:setUp()
	jit.off()
	jit.flush()
	self.folder = process.new_folder()
	values.write_files(self.folder)
	self.c = values.context(self.folder)
end

function TestTypes:tearDown()
	jit.on()
	process.remove_folder(self.folder)
end

-- All objects of a name.
local function all_of(c, name)
	local lists = { Assembly = c.assemblies, Joint = c.joints }
	return lists[name] or { values.object(c, name, random_from(1)) }
end

function TestTypes:testProperties()
	local c = self.c
	for _, object in ipairs(api.objects) do
		for i, live in ipairs(all_of(c, object.name)) do
			for _, property in ipairs(object.properties) do
				local value = live[property.name]
				local where = ("%s %d.%s"):format(object.name, i, property.name)
				if value == nil then
					lu.assertTrue(property.optional, where .. " is nil")
				else
					fits(property.type, value, where)
				end
			end
		end
	end
	c.joints[3].limits, c.joints[3].servo, c.joints[2].twist = { -1, 1 }, { target = 0 }, { -1, 1 }
	fits("range", c.joints[3].limits, "limits")
	fits("Motor", c.joints[3].motor, "motor")
	fits("Motor", c.joints[3].servo, "servo")
	fits("range", c.joints[2].twist, "twist")
end

-- What is assigned is read again.
function TestTypes:testPropertiesThatCanBeAssigned()
	local c, count = self.c, 0
	for _, object in ipairs(api.objects) do
		for _, property in ipairs(object.properties) do
			for _, live in ipairs(property.write and object.name ~= "golden" and all_of(c, object.name) or {}) do
				local before = live[property.name]
				local is_settable = before ~= nil or property.name == "tag"
				local is_still = object.name == "Assembly" and live.motion == "static"
				if is_settable and not is_still then
					live[property.name] = before -- what was read can be written back
					local value = values.right(property.write, c, random_from(count + 3))
					local ok, message = pcall(function() live[property.name] = value end)
					if ok then
						count = count + 1
						fits(property.type, live[property.name], object.name .. "." .. property.name)
					else -- inertia that no body has, motor of another joint
						lu.assertStrContains(message, property.name)
					end
				elseif not is_still and not object.open then
					support.fails(function() live[property.name] = 1 end, property.name)
				end
			end
		end
	end
	lu.assertTrue(count > 100, count)
end

function TestTypes:testPropertiesThatCannot()
	local c = self.c
	for _, object in ipairs(api.objects) do
		for _, live in ipairs(object.variable and not object.open and all_of(c, object.name) or {}) do
			for _, property in ipairs(object.properties) do
				if not property.write then
					lu.assertFalse(pcall(function() live[property.name] = live[property.name] end),
						object.name .. "." .. property.name)
				end
			end
			lu.assertFalse(pcall(function() live.no_such_name = 1 end), object.name)
		end
	end
end

-- Every function with right arguments, again and again: what it returns is of the types that the table says.
function TestTypes:testResults()
	local called = {}
	local SKIP = { ["World.destroy"] = true, ["golden.check"] = true }
	for seed = 1, 30 do
		local random = random_from(seed)
		local c = values.context(self.folder)
		for _, object in ipairs(api.objects) do
			for _, fn in ipairs(object.functions) do
				local name = object.name .. "." .. fn.name
				if not SKIP[name] then
					local live = object.name == "scree" and scree or values.object(c, object.name, random)
					local first = object.variable and 1 or 0 -- before the arguments there is the object
					local arguments = values.arguments(fn, first + 1, c, random)
					arguments[1] = first == 1 and live or arguments[1]
					local function call()
						return (live[fn.name])(unpack(arguments, 1, first + #fn.args))
					end
					local results = { pcall(call) }
					values.finish(results[2])
					if results[1] and not (fn.file and results[2] == nil) then
						called[name] = true
						for i, value in ipairs(fn.returns) do
							local got = results[i + 1]
							if got == nil then
								lu.assertTrue(value.optional, ("%s, seed %d: %s is nil"):format(name, seed, value.name))
							else
								fits(value.type, got, name .. " " .. value.name)
							end
						end
						lu.assertTrue(#results - 1 <= #fn.returns, name)
					end
					if object.name == "Assembly" and (fn.name == "destroy" or fn.name == "to_terrain") or object.name == "Joint" then
						c = values.context(self.folder)
					end
				end
			end
		end
	end
	local missed = {}
	for _, object in ipairs(api.objects) do
		for _, fn in ipairs(object.functions) do
			local name = object.name .. "." .. fn.name
			if not SKIP[name] and not called[name] then
				missed[#missed + 1] = name
			end
		end
	end
	lu.assertEquals(missed, {})
end

function TestTypes:testEventsAndContacts()
	local world = support.world_with_floor()
	local ball = support.box(world, { position = { 0, 3, 0 } })
	local anchor = world:joint { type = "rope", b = ball, at = { 0, 60, 0 } }
	anchor.break_force = 1
	world.terrain:fill_box { position = { 8, 1, 8 }, size = { 4, 2, 4 }, material = "water" }
	support.box(world, { position = { 8, 4, 8 } })
	local kinds = {}
	for _ = 1, 240 do
		world:step()
		for event in world:events() do
			kinds[event.kind] = true
			fits("Event", event, event.kind)
		end
		for _, contact in ipairs(ball:contacts()) do
			fits("Contact", contact, "contact")
			kinds.contact = true
		end
	end
	for _, kind in ipairs { "contact_begin", "hit", "sleep", "joint_break", "water_enter", "contact" } do
		lu.assertTrue(kinds[kind], kind)
	end
end

-- What is in the table of events is what `on` takes.
function TestTypes:testKindsOfEvents()
	for _, kind in ipairs(api.kinds.event_kind.choice) do
		self.c.world:on(kind, print)()
	end
	local _, message = pcall(self.c.world.on, self.c.world, "none", print)
	for kind in message:match("must be (.-), got"):gmatch '"([%w_]+)"' do
		lu.assertTrue(set_of(api.kinds.event_kind.choice)[kind], kind)
	end
end

-- Each choice of words is the one that the module has.
function TestTypes:testChoices()
	local function choices(fn)
		local _, message = pcall(fn)
		local words = {}
		for word in message:match("must be (.-), got"):gmatch '"([%w_]+)"' do
			words[#words + 1] = word
		end
		table.sort(words)
		return words
	end
	local function of_table(type_)
		local list = { unpack((type_.choice or api.kinds[type_].choice)) }
		table.sort(list)
		return list
	end
	local c = self.c
	local world, terrain = c.world, c.world.terrain
	local function field(record, name)
		for _, one in ipairs(api.records[record].fields) do
			if one.name == name then
				return of_table(one.type)
			end
		end
	end
	lu.assertEquals(choices(function() world:spawn { shape = "x" } end), of_table "any_shape")
	lu.assertEquals(choices(function() world:spawn { shape = "ball", radius = 1, motion = "x" } end), of_table "motion")
	lu.assertEquals(choices(function() world:joint { type = "x" } end), of_table "joint_type")
	lu.assertEquals(choices(function()
		terrain:fill_ball { position = UP, radius = 1, mode = "x" }
	end), of_table "mode")
	lu.assertEquals(choices(function() terrain:import("x.obj", { mode = "x" }) end), of_table "mode")
	lu.assertEquals(choices(function() scree.world { narrowphase = "x" } end), field("WorldOptions", "narrowphase"))
	lu.assertEquals(choices(function() scree.world { broadphase = "x" } end), field("WorldOptions", "broadphase"))
	lu.assertEquals(choices(function() world.sleep = { rule = "x" } end), field("Sleep", "rule"))
	lu.assertEquals(choices(function() terrain:load("x", { materials = "x" }) end),
		field("TerrainLoadOptions", "materials"))
	lu.assertEquals(choices(function() c.region:mirrored "w" end), { "x", "y", "z" })
end


return { TestApiFiles = TestFiles, TestApiNames = TestNames, TestApiOptions = TestOptions, TestApiTypes = TestTypes }
