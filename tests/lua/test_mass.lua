-- Mass, centre and inertia as told and as settled; surfaces of parts that are written.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"

local G = scenery.G
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3, slope, with = scree.vec3, scenery.slope, scenery.with
local fails = support.fails

-- ---- mass --------------------------------------------------------------------------------------------------------

local TestMass = {}

-- 1 kg at x = 0 and 3 kg at x = 4: the centre is at 3 and stays, the origin circles about it.
function TestMass.testCompoundTurnsAboutItsCentre()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local body = world:spawn {
		parts = {
			{ shape = "box", size = { 1, 1, 1 }, density = 1 },
			{ shape = "box", size = { 1, 1, 1 }, density = 3, position = { 4, 0, 0 } },
		},
		angular_velocity = { 0, 2, 0 },
	}
	near((body.center_of_mass - vec3(3, 0, 0)):length(), 0, 1e-5, "centre")
	run(world, 10, function(t)
		near((body.center_of_mass - vec3(3, 0, 0)):length(), 0, 1e-3, "centre at " .. t)
		near((body.position - vec3(3, 0, 0)):length(), 3, 1e-3, "origin at " .. t)
	end)
end

-- A block of n^3 boxes has mass, centre and inertia of the one box.
function TestMass.testBlockOfVoxelsIsTheBox()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local whole = world:spawn { shape = "box", size = { 2, 2, 2 }, density = 700, position = { 1, 1, 1 } }
	for _, n in ipairs { 2, 5, 12 } do
		local parts, cell = {}, 2 / n
		for i = 0, n ^ 3 - 1 do
			local x, y, z = i % n, math.floor(i / n) % n, math.floor(i / n / n)
			parts[#parts + 1] = {
				shape = "box", size = { cell, cell, cell }, density = 700,
				position = { (x + 0.5) * cell, (y + 0.5) * cell, (z + 0.5) * cell },
			}
		end
		local block = world:spawn { parts = parts, position = { 10, 0, 0 } }
		near(block.mass / whole.mass, 1, 1e-5, n .. ": mass")
		near((block.center_of_mass - vec3(11, 1, 1)):length(), 0, 1e-5, n .. ": centre")
		local got, want = { block:inertia_tensor() }, { whole:inertia_tensor() }
		for i = 1, 9 do
			near(got[i] / want[1], want[i] / want[1], 1e-5, n .. ": inertia " .. i)
		end
		block:destroy()
	end
end

function TestMass.testToldAtSpawn()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local box = { shape = "box", size = { 1, 1, 1 }, density = 600, position = { 5, 0, 0 } }
	local plain = world:spawn(box)
	local heavy = world:spawn(with(box, { mass = 1200 }))
	near(heavy.mass, 1200, 1e-3, "mass")
	near(heavy.inertia.x, 2 * plain.inertia.x, 1e-3, "the inertia goes with it")
	local told = world:spawn(with(box, { mass = 10, center_of_mass = { 0, -0.25, 0 }, inertia = { 3, 4, 5 } }))
	near(told.mass, 10, 1e-6, "mass")
	near((told.center_of_mass - vec3(5, -0.25, 0)):length(), 0, 1e-6, "centre")
	near((told.inertia - vec3(3, 4, 5)):length(), 0, 1e-6, "inertia")
	told = world:spawn(with(box, { inertia = { 4, 1, 0, 1, 4, 0, 0, 0, 5 } }))
	local tensor = { told:inertia_tensor() }
	near(tensor[2], 1, 1e-6, "row 1, column 2")
	near(tensor[4], 1, 1e-6, "row 2, column 1")
end

-- Floors and platforms of any size that a shape may have; what is heavy moves as told, too.
function TestMass.testVeryLarge()
	for _, size in ipairs { 200, 5000, 1e5 } do
		for _, motion in ipairs { "static", "kinematic", "dynamic" } do
			local world = scree.world { gravity = { 0, motion == "dynamic" and 0 or -G, 0 } }
			local slab = world:spawn { shape = "box", size = { size, size / 10, size }, motion = motion, density = 1000 }
			near(slab.mass / (1000 * size ^ 3 / 10), 1, 1e-6, "mass of " .. size)
			near(slab.inertia.y / (slab.mass * size ^ 2 / 6), 1, 1e-6, "inertia of " .. size)
			if motion == "dynamic" then
				slab:apply_impulse { slab.mass, 0, 0 }
				near(slab.velocity.x, 1, 1e-6, "speed of " .. size)
			else
				local top = size / 20
				local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { size / 2 - 1, top + 0.5, 0 } }
				run(world, 2)
				near(box.position.y, top + 0.5, 1e-3, motion .. " of " .. size)
				lu.assertEquals(box.state, "asleep")
			end
		end
	end
end

-- An impulse tells the mass, an angular one the inertia; a push that turns nothing goes through the centre.
function TestMass.testSettersTakeEffect()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local body = world:spawn { shape = "box", size = { 1, 1, 1 }, density = 1000, can_sleep = false }
	body.mass = 4
	body.inertia = { 2, 3, 4 }
	body:apply_impulse { 8, 0, 0 }
	near(body.velocity.x, 2, 1e-6, "8 N s on 4 kg")
	body:apply_angular_impulse { 0, 6, 0 }
	near(body.angular_velocity.y, 2, 1e-6, "6 N m s on 3 kg m2")
	body.velocity, body.angular_velocity = { 1, 0, 0 }, { 0, 0, 2 }
	local before = body:velocity_at { 0.3, 0.4, 0 }
	body.center_of_mass = { 0, 0.5, 0 }
	near((body:velocity_at { 0.3, 0.4, 0 } - before):length(), 0, 1e-5, "what moves goes on")
	near((body.position):length(), 0, 1e-6, "and nothing is moved")
	near(body.velocity.x, 0, 1e-6, "velocity of the new centre")
	body.velocity, body.angular_velocity = { 0, 0, 0 }, { 0, 0, 0 }
	body:apply_impulse({ 4, 0, 0 }, { 0, 0.5, 0 })
	near(body.angular_velocity:length(), 0, 1e-6, "pushed at the centre")
	body.center_of_mass = body.center_of_mass
	near((body.center_of_mass - vec3(0, 0.5, 0)):length(), 0, 1e-6, "what is read can be written")
end

-- A joint stays where it is in the body when the centre moves.
function TestMass.testJointsKeepTheirPlace()
	local world = scree.world()
	local bob = world:spawn { shape = "box", size = { 0.4, 0.4, 0.4 }, position = { 0, -1, 0 }, can_sleep = false }
	local other = world:spawn { shape = "box", size = { 0.4, 0.4, 0.4 }, position = { 0, -2, 0 }, can_sleep = false }
	world:joint { type = "ball", b = bob, at = { 0, 0, 0 } }
	world:joint { type = "ball", a = bob, b = other, at = { 0, -1.5, 0 } }
	run(world, 0.5)
	bob.center_of_mass = bob:to_world { 0.1, 0.1, 0 }
	other.center_of_mass = other:to_world { 0, -0.1, 0.1 }
	run(world, 2, function(t)
		near(bob:to_world({ 0, 1, 0 }):length(), 0, 0.01, "at the world, " .. t)
		near((bob:to_world { 0, -0.5, 0 } - other:to_world { 0, 0.5, 0 }):length(), 0, 0.01, "between them, " .. t)
	end)
	at_least(math.abs((bob.rotation * vec3(0, 1, 0)).x), 0.01, "it hangs aslant")
end

-- A low centre rights what a high one lets fall.
function TestMass.testLowCentreRights()
	for _, low in ipairs { true, false } do
		local world = slope(0)
		local egg = world:spawn {
			shape = "capsule", radius = 0.4, length = 0.3, material = "even", position = { 0, 0.551, 0 },
			center_of_mass = { 0, low and -0.35 or 0, 0 }, rotation = scree.axis_angle({ 1, 0, 0 }, 0.3), can_sleep = false,
		}
		run(world, 12)
		local up = (egg.rotation * vec3(0, 1, 0)).y
		if low then
			at_least(up, 0.9, "upright")
		else
			at_most(math.abs(up), 0.2, "fallen")
		end
	end
end

function TestMass.testErrors()
	local world = scree.world()
	local body = world:spawn { shape = "ball", radius = 1 }
	local hash = world:hash()
	for _, value in ipairs { 0, -1, support.NAN, support.INF, "x", {} } do
		fails(function() body.mass = value end, "assembly.mass")
		fails(function() world:spawn { shape = "ball", radius = 1, mass = value } end, "spawn: mass")
	end
	fails(function() body.inertia = { 1, 2 } end, "assembly.inertia")
	fails(function() body.inertia = { 1, 2, support.NAN } end, "assembly.inertia")
	fails(function() body.inertia = { 0, 1, 1 } end, "inertia must be positive definite")
	fails(function() body.inertia = { 1, -1, 1 } end, "inertia must be positive definite")
	fails(function() body.inertia = { 1, 1, 2.1 } end, "more than the sum of the others")
	fails(function() body.inertia = { 2, 1, 0, 0, 2, 0, 0, 0, 2 } end, "inertia must be symmetric")
	fails(function() body.inertia = { 1, 3, 0, 3, 1, 0, 0, 0, 1 } end, "inertia must be positive definite")
	fails(function() body.inertia = { 1, 0, 0, 0, 1, 0, 0, 0 } end, "assembly.inertia")
	fails(function() world:spawn { shape = "ball", radius = 1, inertia = { 1, 1, 9 } } end, "spawn: ", "inertia")
	fails(function() body.center_of_mass = { 1, support.NAN, 0 } end, "assembly.center_of_mass")
	fails(function() body.center_of_mass = { 1e6, 0, 0 } end, "center_of_mass must lie within")
	fails(function() world:spawn { shape = "ball", radius = 1, center_of_mass = { 1 } } end, "spawn: center_of_mass")
	fails(function() world:spawn { shape = "cone", radius = 1 } end, "length is missing")
	fails(function() world:spawn { shape = "cylinder", radius = 1, length = 0 } end, "spawn: length")
	fails(function() world:spawn { shape = "cylinder", radius = 1, length = 1, size = { 1, 1, 1 } } end, "size")
	lu.assertEquals(world:hash(), hash)
end

-- Points that make no body say why.
function TestMass.testHullsThatAreNone()
	local world = scree.world()
	local function hull(points)
		return function() world:spawn { shape = "hull", points = points } end
	end
	fails(hull { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } }, "points")
	fails(hull { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } }, "flat")
	fails(hull { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 } }, "line")
	fails(hull { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 }, { 1, 1, 1 } }, "points")
	fails(hull { { 0, 0, 0 }, { 1e-6, 0, 0 }, { 0, 1e-6, 0 }, { 0, 0, 1e-6 } }, "points")
	fails(hull { { 0, 0, 0 }, { 1, 0, 0 }, { 0, support.NAN, 0 }, { 0, 0, 1 } }, "points[3]")
	fails(hull { { 0, 0, 0 }, { 1e9, 0, 0 }, { 0, 1e9, 0 }, { 0, 0, 1e9 } }, "points")
end

-- ---- surfaces of parts -------------------------------------------------------------------------------------------

local TestParts = {}

function TestParts.testAllCanBeReadAndWritten()
	local world = scree.world()
	local body = world:spawn {
		parts = {
			{ shape = "box", size = { 1, 1, 1 } },
			{ shape = "cone", radius = 0.5, length = 1, position = { 0, 2, 0 } },
		},
	}
	local part = body.parts[2]
	part.friction, part.restitution, part.rolling = 0.1, 0.9, 0.03
	part.group, part.collides_with = "cones", { "cones", "default" }
	local again = body.parts[2]
	near(again.friction, 0.1, 1e-7, "friction")
	near(again.restitution, 0.9, 1e-7, "restitution")
	near(again.rolling, 0.03, 1e-7, "rolling")
	near(part.friction, 0.1, 1e-7, "the same object reads what was written")
	lu.assertEquals(again.group, "cones")
	lu.assertEquals(again.collides_with, { "default", "cones" })
	lu.assertEquals(body.parts[1].group, "default")
	part.material = "metal"
	near(body.parts[2].friction, world.materials.metal.friction, 1e-6, "a material brings its own")
	part.friction = 2
	part.friction = nil
	near(body.parts[2].friction, world.materials.metal.friction, 1e-6, "nil: the material's")
	fails(function() part.shape = "box" end, "part.shape", "spawned")
	fails(function() part.radius = 2 end, "part.radius")
	fails(function() part.frictoin = 2 end, "frictoin", "friction")
	fails(function() part.friction = -1 end, "part.friction")
	fails(function() part.restitution = 2 end, "part.restitution")
	fails(function() part.density = 0 end, "part.density")
	fails(function() part.material = "water" end, "part.material")
	fails(function() part.material = nil end, "part.material")
	fails(function() part.group = 40 end, "part.group")
	fails(function() part.collides_with = { 40 } end, "part.collides_with")
	body:destroy()
	fails(function() part.friction = 1 end, "destroyed")
end

-- A density makes mass, centre and inertia those of the parts again.
function TestParts.testDensityWeighsAgain()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local body = world:spawn {
		parts = {
			{ shape = "box", size = { 1, 1, 1 }, density = 1 },
			{ shape = "box", size = { 1, 1, 1 }, density = 1, position = { 4, 0, 0 } },
		},
		mass = 77,
	}
	body.parts[2].density = 3
	near(body.mass, 4, 1e-6, "mass")
	near((body.center_of_mass - vec3(3, 0, 0)):length(), 0, 1e-6, "centre")
	near(body.inertia.y, 4 / 6 + 12, 1e-4, "inertia")
end

-- A box that rests on a slope lets go when its friction is taken, and what sleeps wakes for it.
function TestParts.testFrictionTakesEffectOnContactsThatAre()
	local world = slope(10)
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, material = "even", position = { 0, 0.5, 0 } }
	lu.assertNotNil(world:settle(5))
	lu.assertEquals(box.state, "asleep")
	box.parts[1].friction = 0
	lu.assertEquals(box.state, "awake")
	run(world, 1)
	near(box.velocity.x, G * math.sin(math.rad(10)), 0.05, "speed")
end

-- Groups: what held holds no more, and what passed is met.
function TestParts.testGroupsTakeEffectOnContactsThatAre()
	local world = slope(0)
	local low = world:spawn {
		shape = "box", size = { 2, 0.5, 2 }, position = { 0, 3, 0 }, motion = "static", material = "even",
	}
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 3.75, 0 }, material = "even" }
	lu.assertNotNil(world:settle(5))
	box.parts[1].collides_with = "none"
	lu.assertEquals(box.state, "awake")
	run(world, 2)
	near(box.position.y, 0.5, 0.01, "fallen through to the ground")
	box.position = { 0, 5, 0 }
	low.parts[1].group = "shelf"
	box.parts[1].collides_with = "shelf"
	run(world, 2)
	near(box.position.y, 3.75, 0.01, "held again")
	low.parts[1].group = "other"
	run(world, 2)
	near(box.position.y, 0.5, 0.01, "let fall by the other side")
end

-- Twice the area and six times the volume of triangles, after looking at their normals.
local function measure(mesh)
	local area, volume = 0, 0
	for i = 0, mesh.triangle_count - 1 do
		local p, n = {}, nil
		for k = 0, 2 do
			local at = 3 * mesh.indices[3 * i + k]
			p[k] = vec3(mesh.positions[at], mesh.positions[at + 1], mesh.positions[at + 2])
			n = vec3(mesh.normals[at], mesh.normals[at + 1], mesh.normals[at + 2])
		end
		local cross = (p[1] - p[0]):cross(p[2] - p[0])
		lu.assertTrue((cross:normalized() - n):length() < 1e-5)
		area, volume = area + cross:length(), volume + p[0]:dot(p[1]:cross(p[2]))
	end
	return area, volume
end

function TestParts.testTriangles()
	local world = scree.world {}
	local corners = {}
	for i = 0, 7 do
		corners[i + 1] = { i % 2 * 2, math.floor(i / 2) % 2 * 3, math.floor(i / 4) * 4 }
	end
	local body = world:spawn {
		position = { 5, 5, 5 },
		parts = {
			{ shape = "ball", radius = 1 },
			{ shape = "hull", points = corners, position = { 1, 2, 3 }, material = "ice" },
			{ shape = "wedge", size = { 2, 2, 2 } },
		},
	}
	local hull = body:part_mesh(2)
	lu.assertEquals({ hull.triangle_count, hull.vertex_count }, { 12, 36 })
	lu.assertEquals(world.materials:names()[hull.materials[11] + 1], "ice")
	local area, volume = measure(hull)
	near(area, 2 * 52, 1e-4, "area")
	near(volume, 6 * 24, 1e-4, "volume")
	area, volume = measure(body:part_mesh(3))
	near(area, 2 * (4 + 4 + 2 + 2 + 4 * math.sqrt(2)), 1e-4, "area of a wedge")
	near(volume, 6 * 4, 1e-4, "volume of a wedge")
	fails(function() body:part_mesh(1) end, "part_mesh: part 1 is neither a hull nor a mesh")
	local corner = { { 0, 0, 0 }, { 0, 0, 3 }, { 4, 0, 3 } }
	local ramp = world:spawn { shape = "mesh", vertices = corner, indices = { 1, 2, 3 } }
	local mesh = ramp:part_mesh(1)
	lu.assertEquals({ mesh.triangle_count, mesh.normals[1] }, { 1, 1 })
	near(measure(mesh), 12, 1e-4, "area of a mesh")
end

return { TestMass = TestMass, TestParts = TestParts }
