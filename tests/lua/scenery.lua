-- What the tests of physics build their scenes from.

local luaunit = require "luaunit"
local scree = require "scree"

local scenery = { G = 9.81, DT = 1 / 60 }

--- A copy of a table of options, with what is given changed.
function scenery.with(options, changes)
	local result = {}
	for key, value in pairs(options) do
		result[key] = value
	end
	for key, value in pairs(changes or {}) do
		result[key] = value
	end
	return result
end

--- nx by nz squares of triangles from (x0, z0) on, y = height(x, z) or 0; diagonals one way, the other, or in turn
--- (1, 2, 3): vertices and indices.
function scenery.squares(nx, nz, cell, x0, z0, height, diagonals)
	local vertices, indices = {}, {}
	for z = 0, nz do
		for x = 0, nx do
			local px, pz = x0 + x * cell, z0 + z * cell
			vertices[#vertices + 1] = { px, height and height(px, pz) or 0, pz }
		end
	end
	for z = 0, nz - 1 do
		for x = 0, nx - 1 do
			local a = z * (nx + 1) + x + 1
			local b, c, d = a + 1, a + nx + 1, a + nx + 2
			local first = diagonals == 1 or diagonals == 3 and (x + z) % 2 == 0
			indices[#indices + 1] = first and { a, c, b } or { a, c, d }
			indices[#indices + 1] = first and { b, c, d } or { a, d, b }
		end
	end
	return vertices, indices
end

--- The same about the origin, diagonals in turn.
function scenery.sheet(nx, nz, cell, height)
	return scenery.squares(nx, nz, cell, -nx / 2 * cell, -nz / 2 * cell, height, 3)
end

--- The surface of a box in n x n squares a side, corners not shared between sides.
function scenery.box_of(lo, hi, n)
	local vertices, indices = {}, {}
	local size = hi - lo
	local function side(origin, u, v)
		local base = #vertices
		for j = 0, n do
			for i = 0, n do
				vertices[#vertices + 1] = origin + u * (i / n) + v * (j / n)
			end
		end
		for j = 0, n - 1 do
			for i = 0, n - 1 do
				local a = base + j * (n + 1) + i + 1
				indices[#indices + 1] = { a, a + 1, a + n + 2 }
				indices[#indices + 1] = { a, a + n + 2, a + n + 1 }
			end
		end
	end
	local x, y, z = scree.vec3(size.x, 0, 0), scree.vec3(0, size.y, 0), scree.vec3(0, 0, size.z)
	side(lo, x, z)
	side(lo, y, x)
	side(lo, z, y)
	side(hi, -z, -x)
	side(hi, -x, -y)
	side(hi, -y, -z)
	return vertices, indices
end

--- A mesh without rolling resistance, with what is given changed.
function scenery.spawn_mesh(world, vertices, indices, changes)
	return world:spawn(scenery.with({ shape = "mesh", vertices = vertices, indices = indices, rolling = 0 }, changes))
end

--- The same of squares.
function scenery.spawn_floor(world, changes, nx, nz, cell, x0, z0, height, diagonals)
	local vertices, indices = scenery.squares(nx, nz, cell, x0, z0, height, diagonals)
	return scenery.spawn_mesh(world, vertices, indices, changes)
end

--- A level floor of cells without rolling resistance; gravity leans by `degrees` towards x.
function scenery.slope(degrees, size)
	local lean = math.rad(degrees)
	local world = scree.world { gravity = { scenery.G * scree.sin(lean), -scenery.G * scree.cos(lean), 0 } }
	world.materials.even = { density = 1000, friction = 1, restitution = 0, rolling = 0 }
	world.terrain:fill_box { position = { 0, -4, 0 }, size = size or { 96, 8, 48 }, material = "even" }
	return world
end

--- Whole numbers in [0, n), the same on every machine; random() is a number in [0, 1).
function scenery.generator(seed)
	local state = seed % 2147483646 + 1
	return function(n)
		state = (state * 16807) % 2147483647
		return n and state % n or (state - 1) / 2147483646
	end
end

--- A random direction, every one as likely as another.
function scenery.direction(random)
	while true do
		local v = scree.vec3(2 * random() - 1, 2 * random() - 1, 2 * random() - 1)
		local length = v:length()
		if length > 0.01 and length <= 1 then
			return v / length
		end
	end
end

--- A random rotation.
function scenery.turn(random)
	return scree.axis_angle(scenery.direction(random), 2 * math.pi * random())
end

--- A static box whose top is at y = 0; changes as in spawn.
function scenery.slab(world, changes)
	local options = { shape = "box", size = { 60, 2, 60 }, position = { 0, -1, 0 }, motion = "static", rolling = 0 }
	for key, value in pairs(changes or {}) do
		options[key] = value
	end
	return world:spawn(options)
end

--- Voxel ground whose surface is at y = 0, of a smooth material named "floor" with the given values. Its middle is
--- flat to the bit.
function scenery.floor(world, values, size)
	local material = { density = 2600, friction = 0.5, restitution = 0, rolling = 0 }
	for key, value in pairs(values or {}) do
		material[key] = value
	end
	world.materials.floor = material
	size = size or { 64, 4, 64 }
	world.terrain:fill_box { position = { 0, -size[2] / 2, 0 }, size = size, material = "floor" }
end

--- Spawns and sets the mass, which spawn does not take.
function scenery.body(world, mass, options)
	local body = world:spawn(options)
	body.mass = mass
	return body
end

--- Steps for a time and calls each(t) after every step; it ends the run by returning true.
function scenery.run(world, seconds, each, dt)
	dt = dt or scenery.DT
	for i = 1, math.floor(seconds / dt + 0.5) do
		world:step(dt)
		if each and each(i * dt) then
			return i * dt
		end
	end
end

--- The angle in radians between the assembly's y axis and up.
function scenery.tilt(body)
	local up = body.rotation * scree.vec3(0, 1, 0)
	return math.acos(math.max(-1, math.min(1, up.y)))
end

--- Asserts |value - expected| <= margin.
function scenery.near(value, expected, margin, what)
	if not (math.abs(value - expected) <= margin) then
		luaunit.fail(("%s: expected %.9g within %.3g, got %.9g"):format(what or "value", expected, margin, value))
	end
end

--- Asserts value <= limit.
function scenery.at_most(value, limit, what)
	if not (value <= limit) then
		luaunit.fail(("%s: expected at most %.9g, got %.9g"):format(what or "value", limit, value))
	end
end

--- Asserts value >= limit.
function scenery.at_least(value, limit, what)
	if not (value >= limit) then
		luaunit.fail(("%s: expected at least %.9g, got %.9g"):format(what or "value", limit, value))
	end
end

--- Asserts that everything in the world sleeps.
function scenery.all_asleep(world, what)
	local stats = world.stats
	if stats.awake + stats.checking > 0 then
		luaunit.fail(("%s: %d awake and %d checking after %.2f s"):format(
			what or "world",
			stats.awake,
			stats.checking,
			world.time
		))
	end
end

--- A ball of so many kilograms.
function scenery.ball(world, mass, position, changes)
	return scenery.body(world, mass, scenery.with({ shape = "ball", radius = 0.1, position = position }, changes))
end

--- A world without gravity.
function scenery.weightless(options)
	return scree.world(scenery.with(options or {}, { gravity = { 0, 0, 0 } }))
end

return scenery
