-- Hours of simulated time with thousands of bodies and edits that never end: memory stays flat, no body is lost, no
-- number is none, and a second run has the same hash.
--
--   luajit tests/soak/one_hour.lua [SECONDS [BODIES [THREADS]]]        3600, 5000, 1
--
-- A line a simulated minute. The hashes are for comparing two runs.

local scree = require "scree"

local SECONDS, BODIES, THREADS = tonumber(arg[1]) or 3600, tonumber(arg[2]) or 5000, tonumber(arg[3]) or 1
local SIDE = 160 -- metres of ground
local EDITS_HELD = 120 -- holes that are open at a time

local state = 20260704
local function random()
	state = (state * 16807) % 2147483647
	return state / 2147483647
end

-- A bowl, so that nothing rolls out.
local function height(x, z)
	local dx, dz = (x - SIDE / 2) / SIDE, (z - SIDE / 2) / SIDE
	return 20 + 60 * (dx * dx + dz * dz) + 1.5 * scree.sin(0.2 * x) + 1.2 * scree.sin(0.23 * z), "grass"
end

local makers = {
	function() return { shape = "ball", radius = 0.3 + 0.2 * random(), rolling = 0.05 } end,
	function() return { shape = "box", size = { 0.5 + random(), 0.5 + random(), 0.5 + random() } } end,
	function() return { shape = "capsule", radius = 0.25, length = 0.5 + random() } end,
	function() return { shape = "cylinder", radius = 0.3 + 0.2 * random(), length = 0.5 + random() } end,
}

local function somewhere()
	return SIDE * (0.1 + 0.8 * random()), SIDE * (0.1 + 0.8 * random())
end

local world = scree.world { threads = THREADS }
world.terrain:generate { min = { 0, 0 }, max = { SIDE, SIDE }, height = height }
local bodies, holes = {}, {}
for i = 1, BODIES do
	local def = makers[i % #makers + 1]()
	local x, z = somewhere()
	def.position = { x, height(x, z) + 2 + 8 * random(), z }
	bodies[i] = world:spawn(def)
end

-- One hole more, and the oldest one filled again; a few bodies are pushed.
local function disturb()
	local x, z = somewhere()
	local center = { x, height(x, z), z }
	world.terrain:fill_ball { center = center, radius = 1.5 + 1.5 * random(), material = "air" }
	holes[#holes + 1] = center
	if #holes > EDITS_HELD then
		world.terrain:fill_ball { center = table.remove(holes, 1), radius = 2, material = "grass", mode = "add" }
	end
	for _ = 1, 5 do
		local body = bodies[1 + math.floor(random() * BODIES)]
		body:apply_impulse(scree.vec3(random() - 0.5, 0.5, random() - 0.5) * (4 * body.mass))
	end
end

local function check()
	local bounds = world.terrain.bounds
	for i, body in ipairs(bodies) do
		local p, v = body.position, body.velocity
		assert(p.x - p.x == 0 and v.x - v.x == 0 and v.y - v.y == 0, "body " .. i .. " has a number that is none")
		assert(p.y > bounds.min.y - 2, ("body %d is lost at %s"):format(i, tostring(p)))
	end
end

local function process_kb()
	local file = io.open("/proc/self/status")
	local text = file and file:read "*a" or ""
	if file then file:close() end
	return tonumber(text:match "VmRSS:%s*(%d+)") or 0
end

print "minute   awake  ms a step   world MB  process MB  hash"
local clock, steps, early = os.clock(), 0, nil
for second = 1, SECONDS do
	disturb()
	world:step(1 / 60, 60)
	steps = steps + 60
	if second % 60 == 0 or second == SECONDS then
		check()
		local stats, now = world.stats, os.clock()
		print(("%6.1f  %6d  %9.3f  %9.1f  %10.1f  %s"):format(second / 60, stats.awake, 1000 * (now - clock) / steps,
			stats.bytes / 2 ^ 20, process_kb() / 1024, world:hash()))
		io.stdout:flush()
		clock, steps = now, 0
		early = early or (second >= 300 and stats.bytes) or nil
	end
end
if early then
	print(("memory at the end against that of the fifth minute: %.3f"):format(world.stats.bytes / early))
end
print("hash " .. world:hash())
