-- Assemblies: spawning, properties, actions, handles. What the numbers should be is for the tests of dynamics.

local lu = require "luaunit"
local scree = require "scree"
local support = require "support"

local fails = support.fails
local vec3 = scree.vec3
local NAN, INF = support.NAN, support.INF

local TestSpawn = {}

function TestSpawn.testEveryShape()
	local world = scree.world()
	local shapes = {
		{ shape = "ball", radius = 0.5 },
		{ shape = "box", size = { 1, 2, 3 } },
		{ shape = "capsule", radius = 0.25, length = 1.5 },
		{ shape = "wedge", size = vec3(2, 1, 1) },
		{ shape = "hull", points = { { -1, 0, -1 }, { 1, 0, -1 }, { 0, 0, 1 }, { 0, 1.5, 0 } } },
	}
	for _, shape in ipairs(shapes) do
		local a = world:spawn(shape)
		local part = a.parts[1]
		lu.assertEquals(#a.parts, 1)
		lu.assertEquals(part.shape, shape.shape)
		lu.assertEquals(part.radius, shape.radius)
		lu.assertEquals(part.length, shape.length)
		if shape.size then
			lu.assertTrue(part.size == vec3(shape.size))
		end
		if shape.points then
			lu.assertEquals(#part.points, 4)
		end
		lu.assertTrue(a.mass > 0)
	end
	lu.assertEquals(support.count(world:assemblies()), #shapes)
end

function TestSpawn.testEveryOption()
	local world = scree.world()
	local tag = {}
	local a = world:spawn {
		shape = "box",
		size = { 1, 1, 1 },
		position = { 1, 2, 3 },
		rotation = scree.axis_angle({ 0, 1, 0 }, 0.5),
		velocity = { 4, 5, 6 },
		angular_velocity = { 0.1, 0.2, 0.3 },
		material = "wood",
		motion = "dynamic",
		bullet = true,
		gravity_scale = 0.5,
		can_sleep = false,
		group = "crates",
		collides_with = { "default", "crates", 7 },
		friction = 0.25,
		restitution = 0.5,
		rolling = 0.125,
		density = 123,
		tag = tag,
	}
	support.is_vec3(a.position, 1, 2, 3, 1e-12)
	support.is_quat(a.rotation, 0, math.sin(0.25), 0, math.cos(0.25), 1e-6)
	support.is_vec3(a.velocity, 4, 5, 6, 1e-12)
	support.is_vec3(a.angular_velocity, 0.1, 0.2, 0.3, 1e-6)
	lu.assertEquals(a.motion, "dynamic")
	lu.assertEquals(a.bullet, true)
	lu.assertEquals(a.gravity_scale, 0.5)
	lu.assertEquals(a.can_sleep, false)
	lu.assertTrue(a.tag == tag)
	local part = a.parts[1]
	lu.assertEquals(part.material, "wood")
	lu.assertEquals(part.group, "crates")
	lu.assertEquals(part.collides_with, { "default", "crates", 7 })
	lu.assertAlmostEquals(part.friction, 0.25, 1e-6)
	lu.assertAlmostEquals(part.restitution, 0.5, 1e-6)
	lu.assertAlmostEquals(part.rolling, 0.125, 1e-6)
	lu.assertAlmostEquals(part.density, 123, 1e-4)
end

function TestSpawn.testDefaults()
	local a = scree.world():spawn { shape = "ball", radius = 1 }
	support.is_vec3(a.position, 0, 0, 0)
	support.is_quat(a.rotation, 0, 0, 0, 1)
	support.is_vec3(a.velocity, 0, 0, 0)
	lu.assertEquals(a.motion, "dynamic")
	lu.assertEquals(a.bullet, false)
	lu.assertEquals(a.can_sleep, true)
	lu.assertEquals(a.gravity_scale, 1)
	lu.assertNil(a.tag)
	local part = a.parts[1]
	lu.assertEquals(part.material, "rock")
	lu.assertEquals(part.group, "default")
	lu.assertEquals(part.collides_with, "all")
end

function TestSpawn.testParts()
	local world = scree.world()
	local a = world:spawn {
		material = "metal",
		group = "machines",
		parts = {
			{ shape = "box", size = { 1, 1, 1 } },
			{ shape = "ball", radius = 0.5, position = { 0, 1, 0 }, material = "rock", group = "balls" },
			{ shape = "capsule", radius = 0.2, length = 1, rotation = scree.euler(0, 0, math.pi / 2) },
		},
	}
	lu.assertEquals(#a.parts, 3)
	lu.assertEquals(a.parts[1].material, "metal")
	lu.assertEquals(a.parts[2].material, "rock")
	lu.assertEquals(a.parts[1].group, "machines")
	lu.assertEquals(a.parts[2].group, "balls")
	support.is_vec3(a.parts[2].position, 0, 1, 0, 1e-12)
	support.is_quat(a.parts[3].rotation, 0, 0, math.sqrt(0.5), math.sqrt(0.5), 1e-6)
	fails(function() a.parts[1].radius = 2 end, "part.radius", "spawned")
end

function TestSpawn.testMistakesInTheTable()
	local world = scree.world()
	local hash = world:hash()
	fails(function() world:spawn() end, "spawn: options", "nil")
	fails(function() world:spawn "box" end, "spawn: options")
	fails(function() world:spawn {} end, "spawn: shape is missing")
	fails(function() world:spawn { shape = "bxo", size = { 1, 1, 1 } } end, "spawn: shape", '"bxo"', '"box"')
	fails(function() world:spawn { shape = "box" } end, "spawn: size is missing")
	fails(function() world:spawn { shape = "capsule", radius = 1 } end, "spawn: length is missing")
	fails(function() world:spawn { shape = "ball", size = { 1, 1, 1 } } end, "spawn: size does not belong")
	fails(function() world:spawn { shape = "ball", radius = 1, positon = { 0, 0, 0 } } end, '"positon"', '"position"')
	fails(function() world:spawn { shape = "ball", radius = 1, [1] = 2 } end, "spawn: unknown key [1]")
	fails(function() world:spawn { shape = "box", size = { 1, NAN, 1 } } end,
		"spawn: size[2] must be a positive number, got nan")
	fails(function() world:spawn { shape = "box", size = { 1, 1, 0 } } end, "spawn: size[3]", "got 0")
	fails(function() world:spawn { shape = "box", size = 1 } end, "spawn: size", "got 1")
	fails(function() world:spawn { shape = "ball", radius = -1 } end, "spawn: radius", "got -1")
	for _, radius in ipairs { 1e6, 1e17, 1e30, 1e-9 } do
		fails(function() world:spawn { shape = "ball", radius = radius } end,
			"spawn: radius must be a length from 0.001 to 100000")
	end
	fails(function() world:spawn { shape = "box", size = { 1, 2e5, 1 } } end, "spawn: size[2]", "100000", "got 200000")
	fails(function() world:spawn { shape = "mesh", vertices = {}, indices = {} } end, "spawn: vertices must be a list")
	local ball = { shape = "ball", radius = 1 }
	fails(function() world:spawn { parts = { ball, nil, ball } } end, "spawn: parts[2] is missing")
	fails(function() world:spawn { parts = { [2] = ball } } end, "spawn: parts[1] is missing")
	fails(function() world:spawn { parts = { ball, x = ball } } end, "spawn: parts must be a list", '"x"')
	fails(function() world:raycast({ 0, 0, 0 }, { 1, 0, 0 }, { ignore = 5 }) end,
		"opts.ignore must be an assembly or a list")
	fails(function() world:spawn { shape = "ball", radius = 1, material = "wod" } end, "spawn: material", '"wood"')
	fails(function() world:spawn { shape = "ball", radius = 1, material = "air" } end, "spawn: material", '"air"')
	fails(function() world:spawn { shape = "ball", radius = 1, material = "water" } end, "spawn: material")
	fails(function() world:spawn { shape = "ball", radius = 1, motion = "statik" } end, "spawn: motion", '"static"')
	fails(function() world:spawn { shape = "ball", radius = 1, rotation = { 0, 0, 0, 0 } } end, "spawn: rotation")
	fails(function() world:spawn { shape = "ball", radius = 1, bullet = 1 } end, "spawn: bullet", "got 1")
	fails(function() world:spawn { parts = {} } end, "spawn: parts")
	fails(function() world:spawn { parts = { 1 } } end, "spawn: parts[1]")
	local many = {}
	for i = 1, 65537 do
		many[i] = ball
	end
	fails(function() world:spawn { parts = many } end, "spawn: parts must be a list of 1 to 65536, got 65537")
	fails(function() world:spawn { shape = "ball", radius = 1, parts = {} } end, "spawn: shape belongs into the parts")
	fails(function() world:spawn { parts = { { shape = "ball", radius = 1 }, { shape = "ball" } } } end,
		"spawn: parts[2].radius is missing")
	fails(function() world:spawn { parts = { { shape = "ball", radius = 1, velocity = { 0, 0, 0 } } } } end,
		"spawn: parts[1]", '"velocity"')
	fails(function() world:spawn { parts = { { shape = "ball", radius = 1, position = { 0, INF, 0 } } } } end,
		"spawn: parts[1].position[2]", "inf")
	fails(function() world:spawn { parts = { { shape = "ball", radius = 1 } }, material = "wod" } end,
		"spawn: material", '"wod"')
	fails(function() world:spawn { shape = "hull", points = { { 0, 0, 0 } } } end, "spawn: points")
	fails(function() world:spawn { shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0 } } } end,
		"spawn: points[4]")
	fails(function()
		world:spawn { shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, extra = 1 } }
	end, "spawn: points")
	lu.assertEquals(world:hash(), hash)
	lu.assertEquals(support.count(world:assemblies()), 0)
end

function TestSpawn.testGroups()
	local world = scree.world()
	local function spawn(group, collides_with)
		return world:spawn { shape = "ball", radius = 1, group = group, collides_with = collides_with }.parts[1]
	end
	lu.assertEquals(spawn("a").group, "a")
	lu.assertEquals(spawn(5).group, 5)
	lu.assertEquals(spawn("default").group, "default")
	lu.assertEquals(spawn("a", "none").collides_with, "none")
	lu.assertEquals(spawn("a", "all").collides_with, "all")
	lu.assertEquals(spawn("a", "b").collides_with, { "b" })
	lu.assertEquals(spawn("a", { "b", "a", "b" }).collides_with, { "a", "b" })
	lu.assertEquals(spawn("a", {}).collides_with, "none")
	local bad = {
		{ 32, nil, "group", "32" }, { -1, nil, "group", "-1" }, { 0.5, nil, "group" }, { "all", nil, "group", '"all"' },
		{ "", nil, "group" }, { {}, nil, "group" }, { NAN, nil, "group", "nan" }, { "a", true, "collides_with" },
		{ "a", { "b", NAN }, "collides_with[2]", "nan" }, { "a", { "all" }, "collides_with[1]", '"all"' },
	}
	for _, case in ipairs(bad) do
		fails(function()
			world:spawn { shape = "ball", radius = 1, group = case[1], collides_with = case[2] }
		end, "spawn: " .. case[3], case[4] or "")
	end
end

function TestSpawn.testThirtyTwoGroupsAreAll()
	local world = scree.world()
	for i = 1, 31 do
		world:spawn { shape = "ball", radius = 1, group = "group " .. i }
	end
	local hash = world:hash()
	fails(function() world:spawn { shape = "ball", radius = 1, group = "one more" } end, "group", "32")
	lu.assertEquals(world:hash(), hash)
	world:spawn { shape = "ball", radius = 1, group = "group 31", collides_with = "group 1" }
end

function TestSpawn.testAFailedCallLeavesNoGroupBehind()
	local world = scree.world()
	for i = 1, 100 do
		fails(function() world:spawn { shape = "ball", radius = 1, group = "g" .. i, collides_with = { NAN } } end, "nan")
	end
	for i = 1, 31 do
		world:spawn { shape = "ball", radius = 1, group = "group " .. i }
	end
end

local TestProperties = {}

function TestProperties.testSetAndRead()
	local a = support.box(scree.world())
	a.position = { 1, 2, 3 }
	support.is_vec3(a.position, 1, 2, 3, 1e-12)
	a.position = vec3(4, 5, 6)
	support.is_vec3(a.position, 4, 5, 6, 1e-12)
	a.rotation = { 0, 0, 2, 0 }
	support.is_quat(a.rotation, 0, 0, 1, 0, 1e-12)
	a.rotation = scree.axis_angle({ 1, 0, 0 }, 1)
	support.is_quat(a.rotation, math.sin(0.5), 0, 0, math.cos(0.5), 1e-6)
	local rotation = a.rotation
	a.rotation = rotation
	lu.assertTrue(a.rotation == rotation)
	a.velocity = { 1, -2, 3 }
	support.is_vec3(a.velocity, 1, -2, 3, 1e-12)
	a.angular_velocity = { 0.5, 0.25, 0.125 }
	support.is_vec3(a.angular_velocity, 0.5, 0.25, 0.125, 1e-12)
	a.mass = 12.5
	lu.assertAlmostEquals(a.mass, 12.5, 1e-9)
	a.gravity_scale = -0.5
	lu.assertEquals(a.gravity_scale, -0.5)
	a.can_sleep = false
	lu.assertFalse(a.can_sleep)
	a.bullet = true
	lu.assertTrue(a.bullet)
	for _, motion in ipairs { "static", "kinematic", "dynamic" } do
		a.motion = motion
		lu.assertEquals(a.motion, motion)
	end
	lu.assertEquals(a.state, "awake")
	lu.assertTrue(a.world == a.world and a.world.valid)
end

function TestProperties.testRead()
	local a = support.box(scree.world(), { position = { 1, 2, 3 } })
	support.is_vec3(a.center_of_mass, 1, 2, 3, 1e-9)
	local inertia = a.inertia
	lu.assertTrue(inertia.x > 0 and inertia.y > 0 and inertia.z > 0)
	local tensor = { a:inertia_tensor() }
	lu.assertEquals(#tensor, 9)
	lu.assertEquals({ tensor[1], tensor[5], tensor[9] }, { inertia.x, inertia.y, inertia.z })
	support.is_vec3(a.net_impulse, 0, 0, 0)
	support.is_vec3(a.net_angular_impulse, 0, 0, 0)
	lu.assertIsNumber(a.id)
	lu.assertEquals(tostring(a), ("assembly %.0f"):format(a.id))
	local min, max = a:bounds()
	support.is_vec3(min, 0.5, 1.5, 2.5, 0.1)
	support.is_vec3(max, 1.5, 2.5, 3.5, 0.1)
end

function TestProperties.testAReadIsACopy()
	local a = support.box(scree.world())
	local p = a.position
	a.position = { 9, 9, 9 }
	support.is_vec3(p, 0, 5, 0)
	fails(function() a.position.y = 3 end, "vec3 is immutable")
	fails(function() a.rotation.w = 3 end, "quat is immutable")
end

function TestProperties.testUnknownAndReadOnly()
	local a = support.box(scree.world())
	fails(function() return a.positon end, "assembly", '"positon"', '"position"')
	fails(function() a.positon = { 0, 0, 0 } end, "assembly", '"positon"', '"position"')
	fails(function() return a.Velocity end, '"velocity"')
	fails(function() a:apply_froce { 0, 0, 0 } end, '"apply_froce"', '"apply_force"')
	for _, name in ipairs {
		"state", "id", "valid", "parts", "net_impulse", "net_angular_impulse", "world",
	} do
		fails(function() a[name] = 1 end, "assembly." .. name .. " is read-only")
	end
	fails(function() a.wake = 1 end, "assembly.wake is a method")
	fails(function() return a[1] end, "[1]")
	fails(function() a[{}] = 1 end, "table")
end

function TestProperties.testTag()
	local a = support.box(scree.world())
	lu.assertNil(a.tag)
	a.tag = "crate"
	lu.assertEquals(a.tag, "crate")
	a.tag = false
	lu.assertEquals(a.tag, false)
	a.tag = nil
	lu.assertNil(a.tag)
	local kept = setmetatable({}, { __mode = "v" })
	kept[1] = {}
	a.tag = kept[1]
	collectgarbage()
	lu.assertNotNil(kept[1])
	a:destroy()
	collectgarbage()
	lu.assertNil(kept[1]) -- destroying frees the tag although the handle is still held
	lu.assertFalse(a.valid)
end

function TestProperties.testFramesOfReference()
	local a = support.box(scree.world(), { position = { 1, 2, 3 }, rotation = scree.axis_angle({ 0, 1, 0 }, math.pi / 2) })
	support.is_vec3(a:to_world { 1, 0, 0 }, 1, 2, 2, 1e-6)
	support.is_vec3(a:to_local { 1, 2, 2 }, 1, 0, 0, 1e-6)
	local p = a:to_local(a:to_world { 0.3, -2, 5 })
	support.is_vec3(p, 0.3, -2, 5, 5e-6)
	a.velocity = { 1, 0, 0 }
	support.is_vec3(a:velocity_at(a.center_of_mass), 1, 0, 0, 1e-12)
	fails(function() a:to_world(1) end, "to_world: point", "got 1")
	fails(function() a:to_local() end, "to_local: point", "nil")
	fails(function() a:velocity_at { 0, 0, NAN } end, "velocity_at: point[3]", "nan")
end

function TestProperties.testActions()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local a = support.box(world)
	a:apply_impulse { a.mass, 0, 0 }
	support.is_vec3(a.velocity, 1, 0, 0, 1e-9)
	a:apply_impulse(vec3(0, a.mass, 0), a.center_of_mass)
	support.is_vec3(a.velocity, 1, 1, 0, 1e-9)
	a:apply_angular_impulse { 0, 1, 0 }
	lu.assertTrue(a.angular_velocity.y > 0)
	a:apply_force { 0, 0, 1 }
	a:apply_force({ 0, 0, 1 }, { 0, 6, 0 })
	a:apply_torque { 1, 0, 0 }
	a:sleep()
	lu.assertEquals(a.state, "asleep")
	a:wake()
	lu.assertNotEquals(a.state, "asleep")
	local k = support.box(world, { motion = "kinematic", position = { 10, 0, 0 } })
	k:move_to({ 10, 1, 0 }, nil, 0.5)
	support.is_vec3(k.velocity, 0, 2, 0, 1e-9)
	k:move_to({ 10, 1, 0 }, scree.axis_angle({ 0, 1, 0 }, 0.1))
	k:move_to { 10, 1, 0 }
	fails(function() a:move_to { 0, 0, 0 } end, "move_to", "kinematic")
	fails(function() k:move_to({ 0, 0, 0 }, nil, 0) end, "move_to: dt", "got 0")
	fails(function() k:move_to({ 0, 0, 0 }, 1) end, "move_to: rotation", "got 1")
end

function TestProperties.testContacts()
	local world = support.world_with_floor()
	local a = support.box(world, { position = { 0, 0.5, 0 } })
	lu.assertEquals(#support.box(world, { position = { 0, 9, 0 } }):contacts(), 0)
	world:step(1 / 60, 30)
	local contacts = a:contacts()
	lu.assertEquals(#contacts, 1)
	local contact = contacts[1]
	lu.assertTrue(contact.terrain)
	lu.assertNil(contact.other)
	lu.assertEquals(contact.part, 1)
	lu.assertEquals(contact.material, "rock")
	lu.assertTrue(contact.normal.y > 0.9)
	lu.assertTrue(#contact.points >= 1)
	lu.assertTrue(math.abs(contact.points[1].position.y) < 0.1)
	lu.assertIsNumber(contact.points[1].separation)
	lu.assertIsNumber(contact.points[1].impulse)
	for _ = 1, 2 do -- a list for loops of both kinds, as often as one likes
		local seen = {}
		for c in contacts do
			seen[#seen + 1] = c
		end
		lu.assertEquals(#seen, 1)
		lu.assertTrue(seen[1] == contact)
	end
end

local TestHandles = {}

function TestHandles.testOneObjectOneValue()
	local world = scree.world()
	local a, b = support.box(world), support.box(world)
	local key = { [a] = "a", [b] = "b" }
	local list = support.list(world:assemblies())
	lu.assertEquals(#list, 2)
	lu.assertTrue(list[1] == a and list[2] == b)
	lu.assertEquals(key[list[1]] .. key[list[2]], "ab")
	lu.assertTrue(a.world == world)
end

function TestHandles.testTheRegistryHoldsWhatLives()
	local world = scree.world()
	support.box(world, { tag = "first" })
	support.box(world, { tag = "second" })
	collectgarbage()
	collectgarbage()
	local tags = {}
	for a in world:assemblies() do
		tags[#tags + 1] = a.tag
	end
	lu.assertEquals(tags, { "first", "second" })
end

function TestHandles.testIterationIsInOrderOfCreation()
	local world = scree.world()
	local made = {}
	for i = 1, 20 do
		made[i] = support.box(world, { tag = i })
	end
	made[3]:destroy()
	made[17]:destroy()
	made[1]:destroy()
	support.box(world, { tag = 21 })
	support.box(world, { tag = 22 })
	local last, count = 0, 0
	for a in world:assemblies() do
		lu.assertTrue(a.tag > last)
		last, count = a.tag, count + 1
	end
	lu.assertEquals(count, 19)
end

function TestHandles.testChangesDuringIteration()
	local world = scree.world()
	for i = 1, 6 do
		support.box(world, { tag = i })
	end
	local seen, all = {}, support.list(world:assemblies())
	for a in world:assemblies() do
		seen[#seen + 1] = a.tag
		if a.tag % 2 == 1 then
			all[a.tag + 1]:destroy()
			support.box(world, { tag = 100 })
		end
	end
	lu.assertEquals(seen, { 1, 3, 5 })
	lu.assertEquals(support.count(world:assemblies()), 6)
	for _ in world:assemblies() do
		world:destroy()
	end
	lu.assertFalse(world.valid)
end

-- Everything that can be asked of an assembly.
local function every_use(a)
	return {
		function() return a.position end, function() a.position = { 0, 0, 0 } end,
		function() return a.rotation end, function() a.rotation = { 0, 0, 0, 1 } end,
		function() return a.velocity end, function() a.velocity = { 0, 0, 0 } end,
		function() return a.angular_velocity end, function() a.angular_velocity = { 0, 0, 0 } end,
		function() return a.mass end, function() a.mass = 1 end,
		function() return a.motion end, function() a.motion = "static" end,
		function() return a.can_sleep end, function() a.can_sleep = true end,
		function() return a.bullet end, function() a.bullet = true end,
		function() return a.gravity_scale end, function() a.gravity_scale = 1 end,
		function() return a.tag end, function() a.tag = 1 end,
		function() return a.center_of_mass end, function() return a.inertia end, function() return a.state end,
		function() return a.id end, function() return a.parts end, function() return a.net_impulse end,
		function() return a.net_angular_impulse end, function() return a.world end,
		function() a:apply_force { 0, 0, 0 } end, function() a:apply_impulse { 0, 0, 0 } end,
		function() a:apply_torque { 0, 0, 0 } end, function() a:apply_angular_impulse { 0, 0, 0 } end,
		function() a:wake() end, function() a:sleep() end, function() a:destroy() end,
		function() a:to_world { 0, 0, 0 } end, function() a:to_local { 0, 0, 0 } end,
		function() a:velocity_at { 0, 0, 0 } end, function() a:bounds() end, function() a:contacts() end,
		function() a:inertia_tensor() end, function() a:move_to { 0, 0, 0 } end,
	}
end

function TestHandles.testStaleHandles()
	local world = scree.world()
	local a = support.box(world, { tag = "old" })
	local words = tostring(a) .. " is destroyed"
	a:destroy()
	local b = support.box(world) -- takes the place of the first
	local hash = world:hash()
	lu.assertFalse(a.valid)
	lu.assertNil(b.tag)
	for _, use in ipairs(every_use(a)) do
		fails(use, words)
	end
	fails(function() world:raycast({ 0, 9, 0 }, { 0, 0, 0 }, { ignore = a }) end, "raycast: opts.ignore", words)
	fails(function() world:raycast({ 0, 9, 0 }, { 0, 0, 0 }, { ignore = { b, a } }) end, "opts.ignore[2]", words)
	lu.assertEquals(world:hash(), hash)
	lu.assertTrue(b.valid)
	lu.assertEquals(tostring(a), words:gsub(" is destroyed", " (destroyed)"))
end

function TestHandles.testAHandleOutlivesManyReuses()
	local world = scree.world()
	local first = support.box(world)
	first:destroy()
	for _ = 1, 70000 do
		world:spawn({ shape = "ball", radius = 1 }):destroy()
	end
	local last = support.box(world)
	lu.assertFalse(first.valid)
	lu.assertFalse(first == last)
	fails(function() return first.position end, "destroyed")
	lu.assertTrue(last.valid)
end

function TestHandles.testAssembliesOfOtherWorldsAndOtherThings()
	local world, other = scree.world(), scree.world()
	local foreign = support.box(other)
	fails(function() world:raycast({ 0, 9, 0 }, { 0, 0, 0 }, { ignore = foreign }) end, "raycast", "another world")
	fails(function() world:raycast({ 0, 9, 0 }, { 0, 0, 0 }, { ignore = { foreign } }) end, "ignore[1]", "another world")
	fails(function() world:raycast({ 0, 9, 0 }, { 0, 0, 0 }, { ignore = 12 }) end, "ignore")
	fails(function() world:raycast({ 0, 9, 0 }, { 0, 0, 0 }, { ignore = { world } }) end, "ignore[1]")
	fails(function() foreign.wake() end, "wake: call it with a colon")
	fails(function() foreign.wake(world) end, "wake: call it with a colon")
	fails(function() foreign.wake(12) end, "wake: call it with a colon")
end

function TestHandles.testManyAreMadeAndDestroyedWithoutALeak()
	local world = scree.world()
	local function churn(n)
		for i = 1, n do
			support.box(world, { tag = {} }):destroy()
			if i % 1000 == 0 then
				collectgarbage() -- or more are remembered at a time the more else Lua holds
			end
		end
		world:step()
		collectgarbage()
		collectgarbage()
		return collectgarbage "count", world.stats.bytes
	end
	churn(2000)
	local lua_before, c_before = churn(2000)
	local lua_after, c_after = churn(20000)
	lu.assertTrue(lua_after < lua_before + 64, ("%g kB grew to %g kB"):format(lua_before, lua_after))
	lu.assertTrue(c_after <= c_before + 65536, ("%g bytes grew to %g"):format(c_before, c_after))
end

return { TestSpawn = TestSpawn, TestProperties = TestProperties, TestHandles = TestHandles }
