-- What calls from Lua cost: nanoseconds and bytes of garbage a call, with the compiler and without, and beside each the
-- same work by functions of Lua's C API (face_classic.c, which needs -Dbench=true). Medians of passes in turn.
--
--   meson compile -C build bench-face

local ffi = require "ffi"
local object = require "scree.object"
local scree = require "scree"

local module = ...
local PASSES, SECONDS = 5, 0.005

-- ---- one world for all ---------------------------------------------------------------------------------------------

local SIDE = 64

local function make_world()
	local world = scree.world {}
	world.terrain:generate {
		min = { -40, -40 }, max = { 40, 40 },
		height = function(x, z)
			return 3 * scree.sin(0.1 * x) + 3 * scree.cos(0.13 * z), "grass"
		end,
	}
	local bodies = {}
	for i = 1, 100 do
		bodies[i] = world:spawn {
			shape = "box", size = { 0.5, 0.5, 0.5 }, position = { i % 10 * 2 - 9, 8, math.floor(i / 10) * 2 - 9 },
		}
	end
	world:step(1 / 60, 50) -- they land just now, so that there are events
	repeat
		world:step()
		local count = 0
		for _ in world:events() do
			count = count + 1
		end
	until count >= 5 or world.step_count > 300
	return world, bodies
end

local world, bodies = make_world()
local terrain = world.terrain
local body, v, w = bodies[1], scree.vec3(1, 2, 3), scree.vec3(3, 2, 1)
local up, down = scree.vec3(0.3, 30, 0.2), scree.vec3(0.3, -30, 0.2)
local from, to, fractions = ffi.new "double[300]", ffi.new "double[300]", ffi.new "double[100]"
for i = 0, 99 do
	from[3 * i], from[3 * i + 1], from[3 * i + 2] = 0.3 + 0.1 * i, 30, 0.2
	to[3 * i], to[3 * i + 1], to[3 * i + 2] = 0.3 + 0.1 * i, -30, 0.2
end
local first, last = { -32, -32, -32 }, { SIDE - 33, SIDE - 33, SIDE - 33 }
local region = terrain:read(first, last)
local box = { shape = "box", size = { 1, 1, 1 }, position = { 0, 80, 0 } }

local classic, their_body
if module then
	local load = assert(package.loadlib(module, "luaopen_face_classic"))
	classic = load().wrap(("%x"):format(tonumber(ffi.cast("uintptr_t", world[object.POINTER]))))
	their_body = classic:body(body.id)
end

local event_count = 0
for _ in world:events() do
	event_count = event_count + 1
end

-- ---- what is timed -------------------------------------------------------------------------------------------------

-- name, how many calls a turn has, the turn, the same by the C API. What turns return is used, so nothing is left out.
local rows = {
	{ "a number: body.mass", 1, function() return body.mass end, function() return their_body:getMass() end },
	{
		"a vector: body.position.y", 1, function() return body.position.y end,
		function() return (select(2, their_body:getPosition())) end,
	},
	{
		"positions of 100 bodies", 100,
		function()
			local sum = v
			for i = 1, 100 do
				sum = sum + bodies[i].position
			end
			return sum.x
		end,
	},
	{
		"body.velocity = v", 1,
		function()
			v, w = w, v
			body.velocity = v
			return 0
		end,
		function()
			their_body:setVelocity(1, 2, 3)
			return 0
		end,
	},
	{
		"world:raycast", 1, function() return world:raycast(up, down).fraction end,
		function() return (select(7, classic:raycast(0.3, 30, 0.2, 0.3, -30, 0.2))) end,
	},
	{
		"world:raycasts, a ray", 100,
		function()
			world:raycasts(100, from, to, fractions)
			return fractions[7]
		end,
	},
	{
		"spawn and destroy", 1,
		function()
			world:spawn(box):destroy()
			return 0
		end,
		function()
			classic:newBox(0, 80, 0, 1, 1, 1):destroy()
			return 0
		end,
	},
	{
		"t:get", 1, function() return (select(2, terrain:get(3, 0, 5))) end,
		function() return (select(2, classic:getCell(3, 0, 5))) end,
	},
	{
		"a cell of a region of 64³", SIDE ^ 3,
		function()
			local sum, occupancy = 0, region.occupancy
			for i = 0, SIDE ^ 3 - 1 do
				sum = sum + occupancy[i]
			end
			return sum
		end,
		function()
			local sum = 0
			for y = -32, SIDE - 33 do
				for z = -32, SIDE - 33 do
					for x = -32, SIDE - 33 do
						local _, occupancy = classic:getCell(x, y, z)
						sum = sum + occupancy
					end
				end
			end
			return sum
		end,
	},
	{ "t:read of 64³, a cell", SIDE ^ 3, function() return terrain:read(first, last, region).occupancy[5] end },
	{
		"an event", event_count,
		function()
			local sum = 0
			for event in world:events() do
				sum = sum + (event.speed or 0)
			end
			return sum
		end,
		function()
			local sum = 0
			for _, event in ipairs(classic:getEvents()) do
				sum = sum + event.speed
			end
			return sum
		end,
	},
}

-- ---- timing --------------------------------------------------------------------------------------------------------

-- A loop of its own for each, so that the compiler sees no other's calls in it.
local LOOP = [[
	local turn, count = ...
	local sum = 0
	for _ = 1, count do
		sum = sum + turn()
	end
	return sum
]]

local function seconds_of(loop, turn, count)
	local before = os.clock()
	loop(turn, count)
	return os.clock() - before
end

-- Nanoseconds and bytes a call.
local function measure(case, turn)
	if not case.loop[turn] then
		local loop, count = assert(loadstring(LOOP)), 1
		seconds_of(loop, turn, math.ceil(200 / case.calls))
		while seconds_of(loop, turn, count) < SECONDS do
			count = 2 * count
		end
		case.loop[turn], case.count[turn] = loop, count
	end
	local loop, count = case.loop[turn], case.count[turn]
	collectgarbage()
	collectgarbage "stop"
	local bytes = collectgarbage "count"
	local seconds = seconds_of(loop, turn, math.min(count, math.ceil(1e6 / case.calls)))
	bytes = 1024 * (collectgarbage "count" - bytes)
	collectgarbage "restart"
	local calls = math.min(count, math.ceil(1e6 / case.calls)) * case.calls
	return 1e9 * seconds / calls, bytes / calls
end

local function median(list)
	table.sort(list)
	return list[math.ceil(#list / 2)]
end

local function measure_all(is_compiled)
	if is_compiled then
		jit.on()
	else
		jit.off()
		jit.flush()
	end
	local cases = {}
	for i, row in ipairs(rows) do
		cases[i] = { calls = math.max(1, row[2]), loop = {}, count = {}, ns = { {}, {} }, bytes = {} }
	end
	for _ = 1, PASSES do
		for i, row in ipairs(rows) do
			for which = 1, 2 do
				local turn = row[2 + which]
				if turn and (which == 1 or classic) then
					local ns, bytes = measure(cases[i], turn)
					table.insert(cases[i].ns[which], ns)
					cases[i].bytes[which] = math.min(cases[i].bytes[which] or math.huge, bytes)
				end
			end
		end
	end
	return cases
end

local function cell(case, which)
	if #case.ns[which] == 0 then
		return ("%9s %7s"):format("", "")
	end
	return ("%9.1f %7.1f"):format(median(case.ns[which]), case.bytes[which])
end

print(("%-28s %17s %17s %17s %17s"):format("ns and bytes a call", "compiled", "its C API", "interpreted", "its C API"))
local compiled, plain = measure_all(true), measure_all(false)
for i, row in ipairs(rows) do
	print(("%-28s %s %s %s %s"):format(row[1], cell(compiled[i], 1), cell(compiled[i], 2), cell(plain[i], 1),
		cell(plain[i], 2)))
end
