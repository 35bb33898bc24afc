-- Random scenes that come to rest: stacks, heaps, slopes, stairs, joints, and digging among them. Also a program:
--
--   luajit random_rest.lua [first seed] [last seed]     prints what went wrong, and counts
--
-- What must hold: nothing sleeps that moves once it is woken, and nothing is kept awake where everything is at rest.

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = ("%s/?.lua;%s/../../lua/?.lua;%s/../../?.lua;%s"):format(here, here, here, package.path)

local scree = require "scree"
local scenery = require "scenery"

local vec3 = scree.vec3

local M = {
	SECONDS = 16,    -- that a scene runs, with edits in the first half
	LONGEST = 10,    -- s: nothing is awake longer with everything about it at rest
	SLEPT = 1,       -- s: what slept for so long starts to count anew
	IN_PLACE = 0.01, -- m: what stays within is at rest
	REACH = 0.02,    -- m: no sleeper that is woken moves more in two seconds
}

-- ---- scenes --------------------------------------------------------------------------------------------------------

local function between(random, low, high)
	return low + (high - low) * random()
end

local grounds = {
	flat = function(world)
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 48, 4, 48 }, material = "rough" }
		return function() return 0 end
	end,
	slope = function(world, random)
		local turn = scree.axis_angle({ 0, 0, 1 }, math.rad(between(random, 2, 22)))
		world.terrain:fill_box {
			position = turn * vec3(0, -3, 0), size = { 60, 6, 48 }, rotation = turn, material = "rough",
		}
		return function(x) return x * math.tan(2 * math.asin(turn.z)) end
	end,
	hills = function(world, random)
		local a, b, p = between(random, 0.3, 1.5), between(random, 0.2, 0.6), 6 * random()
		local function height(x, z)
			return a * scree.sin(b * x + p) * scree.cos(b * z) + 0.02 * (x * x + z * z) / 2
		end
		world.terrain:generate { min = { -24, -24 }, max = { 24, 24 }, bottom = 3, material = "rough", height = height }
		return height
	end,
	stairs = function(world, random)
		local run, rise = 1 + random(3), 1 + random(2)
		for i = -24, 24 do
			if math.abs(i * run) < 24 then
				local top = i * rise
				world.terrain:fill_box {
					position = { i * run, (top - 52) / 2, 0 }, size = { run, top + 52, 40 }, material = "blocks",
				}
			end
		end
		return function(x) return math.floor(x / run + 0.5) * rise end
	end,
}
local ground_names = { "flat", "slope", "hills", "stairs" }

local function surface(random)
	return {
		friction = between(random, 0.35, 0.9), rolling = between(random, 0.02, 0.08), density = 100 * 10 ^ (1.6 * random()),
		restitution = 0.3 * random(),
	}
end

local function spawn(world, random, shape, place, turn)
	for key, value in pairs(surface(random)) do
		shape[key] = value
	end
	shape.position, shape.rotation = place, turn
	return world:spawn(shape)
end

local shapes = {
	function(r) return { shape = "box", size = { between(r, 0.4, 1.4), between(r, 0.4, 1.2), between(r, 0.4, 1.4) } } end,
	function(r) return { shape = "ball", radius = between(r, 0.2, 0.6) } end,
	function(r) return { shape = "capsule", radius = between(r, 0.15, 0.4), length = between(r, 0.3, 1.2) } end,
	function(r) return { shape = "cylinder", radius = between(r, 0.2, 0.5), length = between(r, 0.3, 1.2) } end,
	function(r) return { shape = "wedge", size = { between(r, 0.5, 1.2), between(r, 0.4, 1), between(r, 0.5, 1.2) } } end,
	function(r) return {
		parts = {
			{ shape = "box", size = { 1.2, 0.3, 0.3 } }, { shape = "box", size = { 0.3, between(r, 0.5, 1.3), 0.3 } },
			{ shape = "ball", radius = 0.25, position = { 0.6, 0, 0 } },
		},
	} end,
}

local features = {}

function features.stack(world, random, at)
	local y, width = at.y + 0.02, between(random, 0.7, 1.3)
	for _ = 1, 1 + random(8) do
		local height, jitter = between(random, 0.4, 1.2), 0.1 * width
		spawn(world, random, { shape = "box", size = { width, height, width } },
			vec3(at.x + jitter * (random() - 0.5), y + height / 2, at.z + jitter * (random() - 0.5)),
			scree.axis_angle({ 0, 1, 0 }, random()))
		y = y + height
	end
end

function features.wall(world, random, at)
	local length, rows = 2 + random(4), 2 + random(4)
	for row = 0, rows - 1 do
		for i = 0, length - 1 do
			spawn(world, random, { shape = "box", size = { 0.98, 0.5, 0.5 } },
				vec3(at.x + (row % 2) * 0.5, at.y + 0.27 + 0.5 * row, at.z + 1 * (i - length / 2)),
				scree.axis_angle({ 0, 1, 0 }, math.pi / 2))
		end
	end
end

function features.heap(world, random, at)
	for i = 0, 5 + random(15) do
		spawn(world, random, shapes[1 + random(#shapes)](random),
			at + vec3(between(random, -1, 1), 1 + 0.7 * i, between(random, -1, 1)), scenery.turn(random))
	end
end

function features.single(world, random, at)
	spawn(world, random, shapes[1 + random(#shapes)](random), at + vec3(0, between(random, 0.5, 3), 0),
		scenery.turn(random))
end

-- A tie that moves with some resistance, so that what hangs from it comes to rest.
local function stiff_hinge(world, a, b, at, axis, torque)
	world:joint { type = "hinge", a = a, b = b, at = at, axis = axis, motor = { speed = 0, max_torque = torque } }
end

function features.hanging_chain(world, random, at)
	local last = world:spawn { shape = "box", size = { 0.3, 0.3, 0.3 }, position = at + vec3(0, 6, 0), motion = "static" }
	local lean = between(random, -0.8, 0.8)
	local turn = scree.axis_angle({ 0, 0, 1 }, lean)
	local links, n, turned, below = {}, 2 + random(8), random(2) == 0, 0
	for i = 1, n do
		links[i] = spawn(world, random, { shape = "capsule", radius = 0.06, length = 0.28 },
			at + vec3(0, 6, 0) + turn * vec3(0, 0.25 - 0.5 * i, 0), turn)
		below = below + links[i].mass
	end
	for i, link in ipairs(links) do
		local axis = turned and i % 2 == 0 and turn * vec3(1, 0, 0) or { 0, 0, 1 }
		stiff_hinge(world, last, link, at + vec3(0, 6, 0) + turn * vec3(0, 0.5 - 0.5 * i, 0), axis, below)
		last, below = link, below - link.mass
	end
end

function features.lying_chain(world, random, at)
	local last
	for i = 1, 3 + random(7) do
		local shape = random(2) == 0 and { shape = "capsule", radius = 0.1, length = 0.3 }
			or { shape = "box", size = { 0.2, 0.5, 0.2 } }
		local link = spawn(world, random, shape, at + vec3(0.5 * i, 1, 0), scree.axis_angle({ 0, 0, 1 }, math.pi / 2))
		local place = at + vec3(0.5 * i - 0.25, 1, 0)
		if last and random(2) == 0 then
			stiff_hinge(world, last, link, place, i % 2 == 0 and { 0, 1, 0 } or { 0, 0, 1 }, 0.01 * link.mass)
		elseif last then
			world:joint { type = "ball", a = last, b = link, at = place }
		end
		last = link
	end
end

function features.door(world, random, at)
	local post = spawn(world, random, { shape = "box", size = { 0.5, 2, 0.5 } }, at + vec3(0, 1.02, 0))
	local door = spawn(world, random, { shape = "box", size = { 1, 1.4, 0.1 } }, at + vec3(0.8, 1.2, 0))
	world:joint {
		type = "hinge", a = post, b = door, at = at + vec3(0.3, 1.2, 0), axis = { 0, 1, 0 }, limits = { -1.2, 1.2 },
		motor = { speed = 0, max_torque = between(random, 0, 2) },
	}
	door.angular_velocity = { 0, between(random, -3, 3), 0 }
end

function features.spring(world, random, at)
	local bob = spawn(world, random, { shape = "box", size = { 0.6, 0.6, 0.6 } }, at + vec3(0, 3, 0))
	world:joint {
		type = "spring", b = bob, at = at + vec3(0, 6, 0), at_b = at + vec3(0, 3.3, 0), length = 2,
		frequency = between(random, 0.5, 2), damping = between(random, 0.15, 0.8),
	}
end

function features.rope(world, random, at)
	local a = spawn(world, random, { shape = "box", size = { 0.8, 0.8, 0.8 } }, at + vec3(0, 0.5, 0))
	local b = spawn(world, random, { shape = "box", size = { 0.6, 0.6, 0.6 } }, at + vec3(1.5, between(random, 0.5, 3), 0))
	world:joint { type = "rope", a = a, b = b, length = between(random, 1.4, 3) }
	b.velocity = { between(random, 0, 4), 0, 0 }
end

function features.welded(world, random, at)
	local a = spawn(world, random, shapes[1](random), at + vec3(0, 2, 0), scenery.turn(random))
	local b = spawn(world, random, shapes[1 + random(#shapes)](random), at + vec3(1.2, 2, 0))
	world:joint { type = "weld", a = a, b = b, at = at + vec3(0.6, 2, 0) }
end

function features.figure(world, random, at)
	local push = between(random, 0.3, 2) * scenery.direction(random) -- so that it does not lie in one plane for ever
	local parts, names = require("examples.ragdoll").spawn(world, at + vec3(0, 2.5, 0)).parts, {}
	for name in pairs(parts) do
		names[#names + 1] = name
	end
	table.sort(names)
	for _, name in ipairs(names) do
		parts[name].velocity = push + 0.3 * scenery.direction(random)
		parts[name].parts[1].rolling = 0.05
	end
end

function features.table(world, random, at)
	for _, corner in ipairs { { -1, -1 }, { -1, 1 }, { 1, -1 }, { 1, 1 } } do
		spawn(world, random, { shape = "cylinder", radius = 0.12, length = 1 },
			at + vec3(0.6 * corner[1], 0.52, 0.6 * corner[2]))
	end
	spawn(world, random, { shape = "box", size = { 1.6, 0.1, 1.6 } }, at + vec3(0, 1.08, 0))
	spawn(world, random, shapes[1 + random(#shapes)](random), at + vec3(between(random, -0.3, 0.3), 2.2, 0))
end

local feature_names = {}
for name in pairs(features) do
	feature_names[#feature_names + 1] = name
end
table.sort(feature_names)

--- A world with a ground and some features on it, and what is edited when: { world, seed, words, edits }.
function M.build(seed, options)
	local random = scenery.generator(seed * 7919 + 17)
	for _ = 1, 3 do
		random() -- the first numbers of near seeds are near
	end
	local world = scree.world { threads = options and options.threads, sleep = options and options.sleep }
	local friction = between(random, 0.4, 0.9)
	world.materials.rough = { density = 2000, friction = friction, rolling = 0.05 }
	world.materials.blocks = { density = 2000, friction = friction, rolling = 0.05, blockiness = 1 }
	local ground = ground_names[1 + random(#ground_names)]
	local height = grounds[ground](world, random)
	for _, side in ipairs { -1, 1 } do -- nothing leaves
		world:spawn { shape = "box", size = { 2, 160, 60 }, position = { 21 * side, 0, 0 }, motion = "static" }
		world:spawn { shape = "box", size = { 60, 160, 2 }, position = { 0, 0, 19 * side }, motion = "static" }
	end
	local words = { ground }
	local scene = { world = world, seed = seed, words = words, edits = {} }
	for i = 0, 2 + random(4) do
		local name = feature_names[1 + random(#feature_names)]
		local x, z = (i % 3 - 1) * 6.5 + random(), (math.floor(i / 3) - 0.5) * 7 + random()
		local y = -1e9 -- above the ground all around
		for dx = -1, 2 do
			for dz = -2, 2 do
				y = math.max(y, height(x + dx, z + dz))
			end
		end
		features[name](world, random, vec3(x, y + 0.05, z))
		words[#words + 1] = name
	end
	for i = 1, random(4) do
		local x, z = between(random, -8, 8), between(random, -6, 6)
		scene.edits[math.floor(60 * between(random, 1, 0.5 * M.SECONDS))] = {
			center = { x, height(x, z) - 0.3, z }, radius = between(random, 0.8, 2.2),
			material = i % 3 == 0 and "rough" or "air",
		}
	end
	return scene
end

-- ---- what must hold ------------------------------------------------------------------------------------------------

-- How far any point of it can have gone.
local function way(body, from)
	local min, max = body:bounds()
	local turn = body.rotation * from.rotation:inverse()
	local sine = math.sqrt(turn.x * turn.x + turn.y * turn.y + turn.z * turn.z)
	return (body.center_of_mass - from.place):length() + sine * 0.5 * (max - min):length()
end

local function mark(body)
	return { place = body.center_of_mass, rotation = body.rotation }
end

local function dynamics(world)
	local list = {}
	for body in world:assemblies() do
		if body.motion == "dynamic" then
			list[#list + 1] = body
		end
	end
	return list
end

local function neighbours(body)
	local list = {}
	for _, contact in ipairs(body:contacts()) do
		list[#list + 1] = contact.other
	end
	for _, joint in ipairs(body:joints()) do
		local other = joint.a == body and joint.b or joint.a
		list[#list + 1] = other
	end
	return list
end

--- For how long each has been in place.
local function note_places(bodies, places, time)
	for _, body in ipairs(bodies) do
		local at = places[body.id]
		if not at or way(body, at) > M.IN_PLACE then
			places[body.id] = mark(body)
			places[body.id].since = time
		end
	end
end

-- Since when its mechanism, and all that this touches, is in place.
local function rest_since(body, places)
	local since = 0
	for _, member in ipairs(body:mechanism()) do
		since = math.max(since, places[member.id] and places[member.id].since or 0)
		for _, other in pairs(neighbours(member)) do
			since = math.max(since, places[other.id] and places[other.id].since or 0)
		end
	end
	return since
end

local function describe(scene, body, what)
	return ("seed %d (%s), assembly %d at %s: %s"):format(scene.seed, table.concat(scene.words, " "), body.id,
		tostring(body.position), what)
end

--- Since when each has not slept for a whole second.
local function note_sleep(bodies, woken, time)
	for _, body in ipairs(bodies) do
		local at = woken[body.id] or { since = 0, slept = false }
		woken[body.id] = at
		if body.state == "awake" then
			at.since = at.slept and time - at.slept > M.SLEPT and time or at.since
			at.slept = false
		else
			at.slept = at.slept or time
		end
	end
end

-- Runs the scene; faults are sleepless ones. Returns the time of the last falling asleep.
local function run(scene, faults)
	local world, places, woken, told = scene.world, {}, {}, {}
	for step = 1, 60 * M.SECONDS do
		if scene.edits[step] then
			world.terrain:fill_ball(scene.edits[step])
		end
		world:step()
		if step % 10 == 0 and world.stats.awake > 0 then
			local bodies = dynamics(world)
			note_places(bodies, places, world.time)
			note_sleep(bodies, woken, world.time)
			for _, body in ipairs(bodies) do
				local since = math.max(rest_since(body, places), woken[body.id].since)
				local rested = body.state == "awake" and world.time - since or 0
				if rested > M.LONGEST and not told[body.id] then
					told[body.id] = true
					faults[#faults + 1] = describe(scene, body, ("awake after %.1f s at rest (%s)"):format(rested, body:why_awake()))
				end
			end
		end
	end
end

-- Those that have to do with something awake, by touching or joints, however many others are between.
local function disturbed(world)
	local queue, seen = {}, {}
	local function add(body)
		if body.motion == "dynamic" and not seen[body.id] then
			seen[body.id] = true
			queue[#queue + 1] = body
		end
	end
	for _, body in ipairs(dynamics(world)) do
		if body.state ~= "asleep" then
			add(body)
		end
	end
	local i = 1
	while queue[i] do
		for _, other in pairs(neighbours(queue[i])) do
			add(other)
		end
		i = i + 1
	end
	return seen
end

-- Sleepers that nothing disturbs, and from where they start.
local function sleepers(world)
	local list, others = {}, disturbed(world)
	for _, body in ipairs(dynamics(world)) do
		if not others[body.id] then
			list[#list + 1] = { body = body, from = mark(body) }
		end
	end
	return list
end

-- How far each goes in two seconds, or until it is struck by something that moves, or by what that struck.
local function ways(scene, list)
	local result, own, struck = {}, {}, {}
	for i, entry in ipairs(list) do
		own[entry.body.id], result[i] = true, 0
	end
	local function comes(body)
		return body.motion == "dynamic" and (not own[body.id] or struck[body.id])
	end
	for _ = 1, 120 do
		scene.world:step(scenery.DT)
		for event in scene.world:events "contact_begin" do
			local a, b = event.a, event.b
			if a and b then
				struck[a.id], struck[b.id] = struck[a.id] or comes(b), struck[b.id] or comes(a)
			end
		end
		for i, entry in ipairs(list) do
			result[i] = struck[entry.body.id] and result[i] or way(entry.body, entry.from)
		end
	end
	return result
end

local function compare(scene, settled, control, faults, how, wake)
	assert(scene.world:restore(settled))
	local list = sleepers(scene.world)
	wake(list)
	local went, worst = ways(scene, list), 0
	for i, entry in ipairs(list) do
		if control[i] < 1e-6 then -- what is still moving did not come there
			worst = math.max(worst, went[i])
			if went[i] > M.REACH then
				faults[#faults + 1] = describe(scene, entry.body, ("moved %.3f m when woken %s"):format(went[i], how))
			end
		end
	end
	return worst
end

--- What went wrong in one scene, as a list of texts, and facts.
function M.check(seed, options)
	local scene = M.build(seed, options)
	local world, faults = scene.world, {}
	local facts = { bodies = #dynamics(world), worst = 0, awake = 0 }
	run(scene, faults)
	for _, body in ipairs(dynamics(world)) do
		facts.awake = facts.awake + (body.state == "awake" and 1 or 0)
	end
	facts.asleep = facts.bodies - facts.awake
	local settled, list, random = world:snapshot(), sleepers(world), scenery.generator(seed)
	facts.tried = #list
	local control = ways(scene, list)
	local ids = {}
	for i, entry in ipairs(list) do
		ids[i] = entry.body.id
	end
	facts.worst = compare(scene, settled, control, faults, "with all", function()
		world.sleep = { enabled = false }
	end)
	for _ = 1, #list > 0 and 2 or 0 do
		local chosen = 1 + random(#list)
		local went = compare(scene, settled, control, faults, "by waking " .. ids[chosen], function(now)
			now[chosen].body:wake()
		end)
		facts.worst = math.max(facts.worst, went)
	end
	world:destroy()
	return faults, facts
end

--- The seeds from first to last.
function M.range(first, last)
	local seeds = {}
	for seed = first, last do
		seeds[#seeds + 1] = seed
	end
	return seeds
end

--- Sums over seeds: faults, facts.
function M.check_all(seeds, each)
	local all, sum = {}, { scenes = 0, bodies = 0, asleep = 0, awake = 0, tried = 0, restless = 0, faulty = 0, worst = 0 }
	for _, seed in ipairs(seeds) do
		local faults, facts = M.check(seed)
		for _, fault in ipairs(faults) do
			all[#all + 1] = fault
			if each then
				each(fault)
			end
		end
		sum.scenes, sum.bodies = sum.scenes + 1, sum.bodies + facts.bodies
		sum.asleep, sum.awake = sum.asleep + facts.asleep, sum.awake + facts.awake
		sum.tried = sum.tried + facts.tried
		sum.faulty = sum.faulty + (#faults > 0 and 1 or 0)
		sum.restless, sum.worst = sum.restless + (facts.awake > 0 and 1 or 0), math.max(sum.worst, facts.worst)
	end
	return all, sum
end

if arg and (arg[0] or ""):match "[^/\\]*$" == "random_rest.lua" then
	local first = tonumber(arg[1] or "1")
	local faults, sum = M.check_all(M.range(first, tonumber(arg[2] or first)), print)
	local text = "%d scenes, %d assemblies: %d asleep at the end, %d awake in %d scenes; %d woken, farthest %.4f m; "
		.. "%d faults in %d scenes"
	print(text:format(
		sum.scenes, sum.bodies, sum.asleep, sum.awake, sum.restless, sum.tried, sum.worst, #faults,
		sum.faulty))
	os.exit(#faults == 0 and 0 or 1)
end

return M
