-- Scenes whose hashes must be the same everywhere. Also a program, for tests that need a process of its own:
--
--   luajit scenes.lua NAME [threads]        prints the hashes

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = ("%s/?.lua;%s/../../lua/?.lua;%s/../../?.lua;%s"):format(here, here, here, package.path)

local scree = require "scree"
local scenery = require "scenery"

local EVERY, SAMPLES = 60, 5 -- steps between two hashes, and how many

local scenes = {
	path = here .. "/scenes.lua", build = {},
	names = {
		"landslide", "pile", "mixed", "caves", "machines", "pond", "shots", "meshes", "sleepers", "rewind", "rubble",
	},
}
local build = scenes.build
local vec3, with = scree.vec3, scenery.with

-- Every kind of shape once.
local ALL_SHAPES = {
	{ shape = "ball", radius = 0.35 },
	{ shape = "box", size = { 0.9, 0.5, 0.7 } },
	{ shape = "capsule", radius = 0.25, length = 0.6 },
	{ shape = "cylinder", radius = 0.35, length = 0.6 },
	{ shape = "cone", radius = 0.4, length = 0.8 },
	{ shape = "wedge", size = { 0.9, 0.6, 0.8 } },
	{ shape = "hull", points = { { 0, 0, 0 }, { 0.8, 0, 0.1 }, { 0.2, 0, 0.8 }, { 0.7, 0.1, 0.8 }, { 0.3, 0.7, 0.4 } } },
	{ parts = {
		{ shape = "box", size = { 1.2, 0.25, 0.25 } },
		{ shape = "cylinder", radius = 0.25, length = 0.3, position = { 0.6, 0, 0 } },
		{ shape = "ball", radius = 0.2, position = { -0.6, 0, 0 }, material = "metal" },
	} },
}

--- 150 assemblies on a generated valley.
function build.landslide(threads)
	return require("examples.landslide").build { count = 150, threads = threads }
end

--- Boxes that fall on one another and on a slab.
function build.pile(threads)
	local random, world = scenery.generator(5), scree.world { threads = threads }
	scenery.slab(world, { friction = 0.6 })
	for i = 0, 124 do
		world:spawn {
			shape = "box", size = { 0.6 + 0.6 * random(), 0.6 + 0.6 * random(), 0.6 + 0.6 * random() },
			position = { i % 5 * 1.3 + 0.2 * random(), 1 + 1.3 * math.floor(i / 25), math.floor(i / 5) % 5 * 1.3 },
			rotation = scenery.turn(random), restitution = 0.3,
		}
	end
	return world
end

--- All shapes, compounds, fast and kinematic bodies on voxel ground that is dug while they move.
function build.mixed(threads)
	local random, world = scenery.generator(6), scree.world { threads = threads }
	world.terrain:generate {
		min = { -24, -24 }, max = { 24, 24 }, bottom = 4, material = "grass",
		height = function(x, z)
			return 1.5 * scree.sin(0.3 * x) * scree.cos(0.2 * z), x > 5 and "rock" or nil
		end,
	}
	world:spawn {
		shape = "box", size = { 8, 0.5, 1 }, position = { 0, 3, 0 }, angular_velocity = { 0, 1, 0 }, motion = "kinematic",
	}
	local shapes = {
		{ shape = "ball", radius = 0.4 },
		{ shape = "box", size = { 1, 0.6, 0.8 } },
		{ shape = "capsule", radius = 0.3, length = 0.8 },
		{ shape = "wedge", size = { 1, 0.8, 1.2 } },
		{ shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0.1 }, { 0.2, 0, 1 }, { 0.9, 0.1, 1 }, { 0.4, 0.9, 0.5 } } },
		{ parts = {
			{ shape = "box", size = { 1.4, 0.3, 0.3 } }, { shape = "ball", radius = 0.3, position = { 0.8, 0, 0 } },
			{ shape = "ball", radius = 0.2, position = { -0.8, 0, 0 }, material = "metal" },
		} },
	}
	for i = 0, 89 do
		local options = {}
		for key, value in pairs(shapes[i % #shapes + 1]) do
			options[key] = value
		end
		options.position = { (i % 9) * 1.7 - 7, 5 + 1.8 * math.floor(i / 27), math.floor(i / 9) % 3 * 1.9 - 3 }
		options.rotation = scenery.turn(random)
		options.velocity = 4 * scenery.direction(random)
		if i % 17 == 0 then
			options.velocity, options.bullet = { 0, -80, 0 }, true
		end
		world:spawn(options)
	end
	return world
end

--- Rock with chambers and crooked passages in it. A third of the bodies fly about in the air of the caves, without
--- gravity; the others fall to the floors. `options`: count, broadphase.
function build.caves(threads, options)
	options = options or {}
	local random = scenery.generator(9)
	local world = scree.world { threads = threads, broadphase = options.broadphase }
	local terrain, rooms = world.terrain, {}
	terrain:fill_box { position = { 0, 0, 0 }, size = { 112, 56, 112 }, material = "rock" }
	for i = 1, 22 do
		local x, y, z = 84 * random() - 42, 32 * random() - 16, 84 * random() - 42
		rooms[i] = { scree.vec3(x, y, z), 3.5 + 4.5 * random() }
		terrain:fill_ball { position = rooms[i][1], radius = rooms[i][2], mode = "remove" }
		for k = 1, 3 do -- passages to earlier rooms
			local from, to = rooms[math.max(1, i - k)][1], rooms[i][1]
			local bend, way = 8 * scenery.direction(random), (to - from):length()
			for step = 1, i > k and math.floor(way) or 0 do
				local t = step / way
				local place = from + t * (to - from) + 4 * t * (1 - t) * bend
				terrain:fill_ball { position = place, radius = 1.6 + 0.8 * random(), mode = "remove" }
			end
		end
	end
	local shapes = {
		{ shape = "ball", radius = 0.3 }, { shape = "box", size = { 0.6, 0.5, 0.8 } },
		{ shape = "capsule", radius = 0.25, length = 0.6 },
	}
	for i = 0, (options.count or 120) - 1 do
		local room, def = rooms[i % #rooms + 1], {}
		for key, value in pairs(shapes[i % 3 + 1]) do
			def[key] = value
		end
		local flies = i % 4 == 0
		def.position = room[1] + (0.6 * room[2] * random()) * scenery.direction(random)
		def.rotation, def.velocity = scenery.turn(random), (flies and 3 or 1) * scenery.direction(random)
		def.gravity_scale, def.restitution, def.friction = flies and 0 or 1, flies and 0.9 or 0.1, 0.5
		world:spawn(def)
	end
	return world
end

--- A car under way, ragdolls on its road, joints of every kind hung over it, a chain with a load, some that break.
function build.machines(threads)
	local ragdoll = require "examples.ragdoll"
	local scene = require("examples.car").build { threads = threads }
	local world = scene.world
	for i, drive in ipairs(scene.drive) do
		drive.motor = { speed = i % 2 == 0 and -14 or -12, max_torque = 600 }
	end
	for i, steering in ipairs(scene.steering) do
		steering.servo = { target = 0.1 + 0.05 * i, speed = 2, max_torque = 4000 }
	end
	for i = 0, 2 do
		ragdoll.spawn(world, vec3(7 + 3 * i, 3, 13 + i))
	end
	local random = scenery.generator(21)
	for i, kind in ipairs { "weld", "ball", "hinge", "slider", "cylindrical", "rope", "rod", "spring", "align" } do
		local at = vec3(2 * i - 20, 4, 0)
		local axis = (kind == "hinge" or kind == "slider" or kind == "cylindrical") and scenery.direction(random) or nil
		local frequency = kind == "spring" and 2 or nil
		local top = world:spawn { shape = "box", size = { 0.6, 0.8, 0.4 }, position = at, angular_velocity = { 1, 2, 3 } }
		local low = world:spawn { shape = "ball", radius = 0.3, position = at - vec3(0.2, 1, 0), velocity = { 3, 0, 1 } }
		world:joint { type = kind, b = top, at = at + vec3(0.3, 0.4, 0), axis = axis, frequency = frequency }
		world:joint {
			type = kind, a = top, b = low, axis = axis, frequency = frequency, break_force = i % 3 == 0 and 2000 or nil,
		}
	end
	local last
	for i = 1, 20 do
		local link = world:spawn { shape = "capsule", radius = 0.06, length = 0.16, position = { 0.3 * i - 0.15, 9, -9 },
			rotation = scree.axis_angle({ 0, 0, 1 }, math.pi / 2) }
		world:joint { type = "ball", a = last, b = link, at = { 0.3 * (i - 1), 9, -9 } }
		last = link
	end
	local load = world:spawn { shape = "ball", radius = 0.5, position = { 6.5, 9, -9 }, material = "metal" }
	world:joint { type = "ball", a = last, b = load, at = { 6, 9, -9 } }
	return world
end

--- Things of every shape and of many densities fall into water that stands at two levels, between rocks.
function build.pond(threads)
	local random, world = scenery.generator(22), scree.world { threads = threads, cell_size = 0.5 }
	local terrain = world.terrain
	terrain:fill_box { position = { 0, -4, 0 }, size = { 20, 4, 14 }, material = "sand" }
	terrain:fill_box { position = { -4, 0, 0 }, size = { 8, 4, 10 }, material = "water" }
	terrain:fill_box { position = { 4, -0.6, 0 }, size = { 8, 2.8, 10 }, material = "water" }
	for _ = 1, 6 do
		terrain:fill_ball { center = { 14 * random() - 7, -2, 8 * random() - 4 }, radius = 0.8 + random(), material = "rock" }
	end
	for i = 0, 39 do
		world:spawn(with(ALL_SHAPES[i % #ALL_SHAPES + 1], {
			position = { 12 * random() - 6, 3 + 0.1 * i, 7 * random() - 3.5 }, rotation = scenery.turn(random),
			density = 150 + 1500 * random() * random(), angular_velocity = 3 * scenery.direction(random),
		}))
	end
	return world
end

--- Fast and spinning bodies between walls of cells, boxes and triangles, bullets at each other among them.
function build.shots(threads)
	local random, world = scenery.generator(23), scree.world { threads = threads, gravity = { 0, -3, 0 } }
	local terrain = world.terrain
	terrain:fill_box { position = { 0, -1, 0 }, size = { 40, 1, 24 }, material = "rock" }
	terrain:fill_box { position = { -15, 4, 0 }, size = { 1, 10, 24 }, material = "brick" }
	world:spawn { shape = "box", size = { 0.05, 12, 24 }, position = { 15, 5, 0 }, motion = "static", restitution = 0.6 }
	world:spawn { shape = "box", size = { 30, 12, 0.02 }, position = { 0, 5, 10 }, motion = "static" }
	world:spawn { -- a plane of two triangles
		shape = "mesh", vertices = { { -15, -1, -10 }, { 15, -1, -10 }, { 15, 11, -10 }, { -15, 11, -10 } },
		indices = { { 1, 2, 3 }, { 1, 3, 4 } }, restitution = 0.8,
	}
	world:spawn {
		shape = "box", size = { 6, 1, 0.3 }, position = { 0, 3, 0 }, motion = "kinematic", angular_velocity = { 0, 6, 0 },
	}
	for i = 0, 47 do
		world:spawn(with(ALL_SHAPES[i % #ALL_SHAPES + 1], {
			position = { 2.4 * (i % 12) - 13, 1.5 + 2 * math.floor(i / 12), 14 * random() - 7 },
			rotation = scenery.turn(random), velocity = (20 + 150 * random()) * scenery.direction(random),
			angular_velocity = 25 * scenery.direction(random), bullet = i % 3 == 0, restitution = 0.7,
		}))
	end
	return world
end

local function hill(x, z)
	return scree.sin(0.6 * x) * scree.cos(0.5 * z) + 0.1 * scree.sin(3 * x + z)
end

--- Every shape on hills of triangles and on cells that are found by the other index; one mesh is scaled and turned.
function build.meshes(threads)
	local random = scenery.generator(24)
	local world = scree.world { threads = threads, narrowphase = "kdtree" }
	local vertices, indices = scenery.sheet(28, 24, 0.75, hill)
	world:spawn { shape = "mesh", vertices = vertices, indices = indices, friction = 0.6 }
	world:spawn {
		shape = "mesh", vertices = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
		indices = { { 1, 3, 2 }, { 1, 2, 4 }, { 1, 4, 3 }, { 2, 3, 4 } }, scale = { 4, 3, 5 }, position = { 0, 0, -2 },
		rotation = scenery.turn(random), material = "ice",
	}
	world.terrain:fill_ball { center = { 6, 0, 4 }, radius = 3.3, material = "rock" }
	for i = 0, 63 do
		world:spawn(with(ALL_SHAPES[i % #ALL_SHAPES + 1], {
			position = { 1.7 * (i % 8) - 6, 3.5 + 1.5 * math.floor(i / 32), 1.7 * (math.floor(i / 8) % 4) - 3 },
			rotation = scenery.turn(random), velocity = 2 * scenery.direction(random), rolling = i % 5 == 0 and 0.1 or nil,
		}))
	end
	return world
end

--- Stacks and pyramids that fall asleep, and are woken by holes, shots, pushes and what is taken from under them.
function build.sleepers(threads)
	local world = scree.world { threads = threads }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 48, 4, 24 }, material = "rock" }
	for k = 0, 3 do
		for row = 0, 4 do
			for i = 0, 4 - row do
				world:spawn {
					shape = "box", size = { 1, 1, 1 }, position = { 8 * k - 14 + i - (4 - row) / 2, row + 0.5, -4 }, friction = 0.6,
				}
			end
		end
		for i = 0, 4 do
			world:spawn {
				shape = i % 2 == 0 and "cylinder" or "box", radius = i % 2 == 0 and 0.5 or nil, length = i % 2 == 0 and 1 or nil,
				size = i % 2 == 1 and { 1, 1, 1 } or nil, position = { 8 * k - 14, i + 0.5, 5 }, friction = 0.6,
			}
		end
	end
	return world
end

--- A little of all, whose middle is undone by a snapshot and takes another course then.
function build.rewind(threads)
	local random, world = scenery.generator(26), scree.world { threads = threads }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 30, 4, 20 }, material = "ground" }
	world.terrain:fill_ball { center = { 4, 0, 0 }, radius = 3, material = "air" }
	world.terrain:fill_box { position = { 4, -2, 0 }, size = { 8, 3, 8 }, material = "water" }
	local last
	for i = 0, 31 do
		local body = world:spawn(with(ALL_SHAPES[i % #ALL_SHAPES + 1], {
			position = { 1.6 * (i % 8) - 5, 1.5 + 1.2 * math.floor(i / 16), 1.6 * (math.floor(i / 8) % 2) }, material = "wood",
			rotation = scenery.turn(random), velocity = 2 * scenery.direction(random), tag = i,
		}))
		if i % 4 == 3 then
			world:joint { type = "ball", a = last, b = body, break_force = i % 8 == 3 and 300 or nil }
		end
		last = body
	end
	return world
end

-- The k-th assembly, from 0.
local function nth(world, k)
	for body in world:assemblies() do
		if k == 0 then
			return body
		end
		k = k - 1
	end
end

--- Pillars of several materials, smooth and of cubes, with loads on them, that are shot down one after another; their
--- pieces lie about, and the smallest of them are gone.
function build.rubble(threads)
	local world = scree.world { threads = threads }
	local terrain, random = world.terrain, scenery.generator(11)
	terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "ground" }
	local stones = { "sandstone", "brick", "wood", "rock", "concrete" }
	for i = 0, 4 do
		local x, z, material = 12 * scree.cos(1.2566 * i), 12 * scree.sin(1.2566 * i), stones[i + 1]
		terrain:fill_cylinder { position = { x, 5, z }, radius = 1.5 + random(), height = 10, material = material }
		terrain:fill_ball { position = { x, 12, z }, radius = 3, material = stones[(i + 2) % 5 + 1] }
		terrain:fill_ball { position = { x + 1, 12, z }, radius = 1.6, material = "air" }
	end
	terrain.detach = true
	terrain.small_pieces = { cells = 4, fate = "vanish" }
	return world
end

local edits = {
	rubble = function(world, sample)
		local x, z = 12 * scree.cos(1.2566 * sample), 12 * scree.sin(1.2566 * sample)
		world:blast { position = { x, 2.5, z + 0.3 }, radius = 7, strength = 60, impulse = 2e4 }
		world.terrain:dig { center = { 0.9 * x, 8, 0.9 * z }, radius = 2, strength = 5 }
		if sample == 4 then
			local following = world:assemblies()
			following():to_terrain() -- the oldest
		end
	end,
	machines = function(world, sample)
		for joint in world:joints() do
			if joint.type == "hinge" and joint.servo and sample == 3 then
				joint.servo = { target = -0.2, speed = 2, max_torque = 4000 }
			end
		end
	end,
	pond = function(world, sample)
		local t = world.terrain
		if sample == 2 then
			t:fill_box { position = { 0, -0.5, 1 }, size = { 3, 4, 3 }, material = "air" }
		elseif sample == 3 then
			t:fill_box { position = { -4, 1, 0 }, size = { 8, 2, 10 }, material = "water", mode = "remove" }
		end
	end,
	meshes = function(world, sample)
		if sample == 3 then
			nth(world, 1):destroy()
		end
	end,
	sleepers = function(world, sample)
		if sample == 3 then -- all but the stacks sleep
			world.terrain:fill_ball { center = { -14, 0, -4 }, radius = 1.6, material = "air" }
			nth(world, 20):destroy()
			nth(world, 24):apply_impulse { 900, 0, 200 }
			world:spawn { shape = "ball", radius = 0.4, position = { 2, 1, 11 }, velocity = { 0, 0, -40 }, material = "metal" }
		elseif sample == 4 then
			world.gravity = { 0, -9.81, 1 }
		end
	end,
	rewind = function(world, sample, kept)
		if sample == 2 then
			kept.snapshot = world:snapshot()
		elseif sample == 3 then
			assert(world:restore(kept.snapshot))
			nth(world, 5):apply_impulse { 0, 900, 0 }
			world.terrain:fill_ball { center = { -3, 0, 0 }, radius = 2, material = "air" }
			kept.snapshot = world:snapshot()
			world:step(scenery.DT, 20)
			assert(world:restore(kept.snapshot))
		end
	end,
	mixed = function(world, sample)
		local material = sample % 2 == 0 and "sand" or "air"
		world.terrain:fill_ball { position = { 2 * sample - 4, 0, 1 }, radius = 2, material = material }
	end,
}

--- Runs a scene and returns the hashes of its state, one every EVERY steps, as one line.
function scenes.run(name, threads)
	local world, list, kept = build[name](threads or 1), {}, {}
	for sample = 1, SAMPLES do
		world:step(scenery.DT, EVERY)
		if edits[name] then
			edits[name](world, sample, kept)
		end
		list[sample] = world:hash()
	end
	world:destroy()
	return table.concat(list, " ")
end

if arg and (arg[0] or ""):match "[^/\\]*$" == "scenes.lua" and build[arg[1]] then
	print(scenes.run(arg[1], tonumber(arg[2] or "1")))
end

return scenes
