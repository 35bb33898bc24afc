-- Scenes whose hashes must be the same everywhere. Also a program, for tests that need a process of its own:
--
--   luajit scenes.lua NAME [threads]        prints the hashes

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = ("%s/?.lua;%s/../../lua/?.lua;%s/../../?.lua;%s"):format(here, here, here, package.path)

local scree = require "scree"
local scenery = require "scenery"

local EVERY, SAMPLES = 60, 5 -- steps between two hashes, and how many

local scenes = { path = here .. "/scenes.lua", names = { "landslide", "pile", "mixed", "caves", "rubble" }, build = {} }
local build = scenes.build

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
			for assembly in world:assemblies() do
				assembly:to_terrain()
				break
			end
		end
	end,
	mixed = function(world, sample)
		local material = sample % 2 == 0 and "sand" or "air"
		world.terrain:fill_ball { position = { 2 * sample - 4, 0, 1 }, radius = 2, material = material }
	end,
}

--- Runs a scene and returns the hashes of its state, one every EVERY steps, as one line.
function scenes.run(name, threads)
	local world, list = build[name](threads or 1), {}
	for sample = 1, SAMPLES do
		world:step(scenery.DT, EVERY)
		if edits[name] then
			edits[name](world, sample)
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
