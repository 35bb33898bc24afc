-- The names that scripts rely on, each with a test of its own that uses it: what can be set is set and read again.

local lu = require "luaunit"
local ffi = require "ffi"
local scree = require "scree"
local support = require "support"
local process = require "process"

local function near(value, wanted, margin)
	lu.assertTrue(math.abs(value - wanted) <= (margin or 1e-6), ("%s is not %s"):format(value, wanted))
end

-- ---- module --------------------------------------------------------------------------------------------------------

local module = {}

function module.version()
	lu.assertEquals(scree.version, "0.1.0")
end

module["vec3 quat axis_angle euler"] = function()
	support.is_vec3(scree.vec3(1, 2, 3) + { 1, 1, 1 }, 2, 3, 4)
	support.is_vec3(scree.axis_angle({ 0, 1, 0 }, math.pi / 2) * scree.vec3(1, 0, 0), 0, 0, -1, 1e-12)
	support.is_quat(scree.euler(0, math.pi, 0), 0, 1, 0, 0, 1e-12)
	support.is_quat(scree.quat(0, 0, 2, 0), 0, 0, 1, 0)
end

module["sin cos tan asin acos atan atan2 exp log pow sqrt"] = function()
	near(scree.sin(1), math.sin(1), 1e-15)
	near(scree.cos(1), math.cos(1), 1e-15)
	near(scree.tan(1), math.tan(1), 1e-15)
	near(scree.asin(0.5), math.asin(0.5), 1e-15)
	near(scree.acos(0.5), math.acos(0.5), 1e-15)
	near(scree.atan(2), math.atan(2), 1e-15)
	near(scree.atan2(-1, -2), math.atan2(-1, -2), 1e-15)
	near(scree.exp(1), math.exp(1), 1e-15)
	near(scree.log(5), math.log(5), 1e-15)
	near(scree.pow(2, 0.5), math.sqrt(2), 1e-15)
	near(scree.sqrt(2), math.sqrt(2), 0)
end

function module.world()
	local world = scree.world {
		gravity = { 0, -3, 0 }, cell_size = 0.5, substeps = 8, threads = 2, seed = 7, sleep = { time = 2 },
		narrowphase = "kdtree",
	}
	support.is_vec3(world.gravity, 0, -3, 0)
	lu.assertEquals({ world.cell_size, world.substeps, world.threads, world.seed, world.narrowphase, world.sleep.time },
		{ 0.5, 8, 2, 7, "kdtree", 2 })
	lu.assertEquals(scree.world().narrowphase, "lattice")
end

function module.load()
	local path = os.tmpname()
	local world = support.world_with_floor()
	assert(world:save(path))
	lu.assertEquals(assert(scree.load(path)):hash(), world:hash())
	os.remove(path)
	local none, message = scree.load(path)
	lu.assertNil(none)
	lu.assertStrContains(message, path)
end

-- ---- world ---------------------------------------------------------------------------------------------------------

local world_names = {}

function world_names.step(world)
	world:step()
	near(world.time, 1 / 60, 1e-12)
	world:step(1 / 30)
	world:step(1 / 60, 3)
	lu.assertEquals(world.step_count, 5)
	near(world.time, 4 / 60 + 1 / 30, 1e-12)
end

world_names["run settle"] = function(world)
	world:run(0.5)
	lu.assertEquals(world.step_count, 30)
	local box = support.box(world, { position = { 0, 0.5, 0 } })
	local seconds = world:settle(10)
	lu.assertTrue(seconds > 0.4 and seconds < 5)
	lu.assertEquals(box.state, "asleep")
	box.can_sleep = false
	lu.assertNil(world:settle(0.5))
end

function world_names.advance(world)
	near(world:advance(1 / 120), 0.5, 1e-9)
	near(world:advance(1 / 120), 0, 1e-9)
	lu.assertEquals(world.step_count, 1)
end

world_names["time step_count gravity sleep stats"] = function(world)
	world.gravity = { 1, 2, 3 }
	support.is_vec3(world.gravity, 1, 2, 3)
	world.sleep = { time = 3 }
	world.sleep = { linear = 0.2 }
	lu.assertEquals({ world.sleep.time, world.sleep.linear, world.sleep.enabled }, { 3, 0.2, true })
	support.box(world)
	world:step()
	local stats = world.stats
	lu.assertEquals({ stats.assemblies, stats.awake, stats.checking, stats.asleep, stats.joints }, { 1, 1, 0, 0, 0 })
	for _, name in ipairs { "contacts", "points", "step_ms", "bytes" } do
		lu.assertEquals(type(stats[name]), "number", name)
	end
	lu.assertEquals(type(stats.stages.solve), "number")
	for name in ("chunks records colliders triangles mesh_bytes index_bytes cells bytes"):gmatch "[%w_]+" do
		lu.assertEquals(type(stats.terrain[name]), "number", name)
	end
	lu.assertTrue(stats.terrain.cells == 32 * 4 * 32)
end

function world_names.spawn(world)
	local marker = {}
	local a = world:spawn {
		shape = "box", size = { 1, 2, 1 }, position = { 1, 5, 2 }, rotation = { 0, 1, 0, 0 }, velocity = { 1, 0, 0 },
		angular_velocity = { 0, 1, 0 }, material = "wood", motion = "kinematic", bullet = true, group = "g",
		collides_with = { "g", "default" }, tag = marker,
	}
	support.is_vec3(a.position, 1, 5, 2)
	support.is_quat(a.rotation, 0, 1, 0, 0)
	support.is_vec3(a.velocity, 1, 0, 0)
	support.is_vec3(a.angular_velocity, 0, 1, 0)
	lu.assertEquals({ a.motion, a.bullet, a.parts[1].material, a.parts[1].group }, { "kinematic", true, "wood", "g" })
	lu.assertItemsEquals(a.parts[1].collides_with, { "g", "default" })
	lu.assertTrue(a.tag == marker)
	local b = world:spawn {
		parts = {
			{ shape = "ball", radius = 0.5, position = { 0, 1, 0 }, material = "rock" },
			{ shape = "capsule", radius = 0.2, length = 1 }, { shape = "cylinder", radius = 0.2, length = 1 },
			{ shape = "cone", radius = 0.2, length = 1 }, { shape = "wedge", size = { 1, 1, 1 } },
			{ shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
		},
		position = { 0, 30, 0 },
	}
	lu.assertEquals(#b.parts, 6)
	lu.assertEquals({ b.parts[2].length, b.parts[4].shape, #b.parts[6].points }, { 1, "cone", 4 })
	local mesh = world:spawn { shape = "mesh", vertices = { 0, 0, 0, 0, 0, 1, 1, 0, 0 }, indices = { 1, 2, 3 } }
	lu.assertEquals(mesh.motion, "static")
	local none, message = world:spawn { shape = "mesh", path = "/none.obj" }
	lu.assertNil(none)
	lu.assertStrContains(message, "/none.obj")
end

function world_names.joint(world)
	local base = support.box(world, { motion = "static", position = { 0, 4, 0 } })
	for _, case in ipairs {
		{ type = "weld" }, { type = "ball" }, { type = "hinge", axis = { 0, 0, 1 } },
		{ type = "slider", axis = { 0, 0, 1 } }, { type = "cylindrical", axis = { 0, 0, 1 } },
		{ type = "rope", length = 3 }, { type = "rod", length = 3 },
		{ type = "spring", length = 3, stiffness = 10, damping = 1 }, { type = "spring", length = 3, frequency = 2 },
		{ type = "align" },
	} do
		case.a, case.b = base, support.box(world, { position = { 0, 7, 0 } })
		local joint = world:joint(case)
		lu.assertEquals({ joint.type, joint.a, joint.b }, { case.type, base, case.b })
		for _, key in ipairs { "length", "stiffness", "frequency", "damping" } do
			lu.assertEquals(joint[key], case[key] or key == "damping" and case.type == "spring" and 0 or nil, key)
		end
	end
	local hinge = world:joint {
		type = "hinge", b = support.box(world), at = { 0, 4, 0 }, axis = { 0, 0, 1 }, limits = { -1, 1 },
		motor = { speed = 2, max_torque = 9 }, break_force = 1e6, collide = true, tag = "windmill",
	}
	lu.assertNil(hinge.a)
	lu.assertEquals({ hinge.limits[1], hinge.limits[2], hinge.motor.speed, hinge.motor.max_torque, hinge.break_force,
		hinge.collide, hinge.tag }, { -1, 1, 2, 9, 1e6, true, "windmill" })
	support.is_vec3(hinge.at, 0, 4, 0, 1e-6)
end

world_names["assemblies joints mechanisms"] = function(world)
	local a, b, c = support.box(world), support.box(world), support.box(world)
	local joint = world:joint { type = "weld", a = a, b = c }
	lu.assertEquals(support.list(world:assemblies()), { a, b, c })
	lu.assertEquals(support.list(world:joints()), { joint })
	local groups = {}
	for group in world:mechanisms() do
		groups[#groups + 1] = group
	end
	lu.assertEquals(#groups, 1)
	lu.assertTrue(groups[1][1] == a and groups[1][2] == c)
end

world_names["raycast raycast_all"] = function(world)
	local box = support.box(world, { position = { 0, 2, 0 }, material = "wood" })
	local hit = world:raycast({ 0, 5, 0 }, { 0, -5, 0 })
	support.is_vec3(hit.position, 0, 2.5, 0, 1e-6)
	support.is_vec3(hit.normal, 0, 1, 0, 1e-6)
	near(hit.distance, 2.5)
	near(hit.fraction, 0.25)
	lu.assertTrue(hit.assembly == box)
	lu.assertEquals({ hit.part, hit.material, hit.terrain, hit.water, hit.inside }, { 1, "wood", false, false, false })
	lu.assertTrue(world:raycast({ 0, 2, 0 }, { 0, 9, 0 }).inside)
	local hits = world:raycast_all({ 0, 5, 0 }, { 0, -5, 0 })
	lu.assertEquals({ #hits, hits[1].assembly == box, hits[2].terrain, hits[2].material }, { 2, true, true, "rock" })
	support.is_vec3(hits[2].cell, 0, -1, 0)
	for _, opts in ipairs { { ignore = box }, { ignore = { box } }, { dynamic = false } } do
		lu.assertTrue(world:raycast({ 0, 5, 0 }, { 0, -5, 0 }, opts).terrain)
	end
	lu.assertNil(world:raycast({ 0, 5, 0 }, { 0, -5, 0 }, { ignore = box, terrain = false }))
	world.terrain:set(5, 3, 5, "water")
	lu.assertTrue(world:raycast({ 5.5, 9, 5.5 }, { 5.5, -5, 5.5 }, { water = true }).water)
	support.box(world, { position = { 8, 2, 0 }, group = "red" })
	lu.assertNotNil(world:raycast({ 8, 5, 0 }, { 8, 0.5, 0 }, { group = "red" }))
	lu.assertNil(world:raycast({ 0, 5, 0 }, { 0, 0.5, 0 }, { group = "red" }))
end

world_names["cast overlap raycasts"] = function(world)
	local box = support.box(world, { position = { 0, 2, 0 } })
	local turned = { shape = "box", size = { 1, 1, 1 }, rotation = scree.axis_angle({ 0, 0, 1 }, math.pi / 4) }
	near(world:cast(turned, { 0, 9, 0 }, { 0, 0, 0 }).distance, 6.5 - math.sqrt(0.5), 0.01)
	local found = world:overlap({ shape = "ball", radius = 1 }, { 1, 2, 0 })
	lu.assertTrue(#found == 1 and found[1] == box)
	local from, to, fractions = ffi.new("double[6]", 0, 9, 0, 40, 9, 0), ffi.new("double[6]", 0, -9, 0, 40, -9, 0),
		ffi.new "double[2]"
	world:raycasts(2, from, to, fractions)
	near(fractions[0], 6.5 / 18, 1e-6)
	lu.assertEquals(fractions[1], 2)
end

function world_names.transforms(world)
	local box = support.box(world, { position = { 1, 2, 3 } })
	local buffer, count = world:transforms()
	lu.assertEquals({ count, buffer[0], buffer[1], buffer[2], buffer[3], buffer[7] }, { 1, box.id, 1, 2, 3, 1 })
end

world_names["events on"] = function(world)
	local box = support.box(world, { position = { 0, 3, 0 } })
	local heard, seen, slept = {}, {}, false
	local kinds = { "contact_begin", "contact_end", "hit", "sleep", "wake", "water_enter", "water_exit", "joint_break" }
	for _, kind in ipairs(kinds) do
		world:on(kind, function(event)
			lu.assertEquals(event.kind, kind)
			heard[kind] = (heard[kind] or 0) + 1
			if kind == "hit" then -- legal in a handler
				support.box(world, { position = { 9, 9, 9 } }):destroy()
			end
		end)
	end
	for _ = 1, 120 do
		world:step()
		for event in world:events() do
			seen[event.kind] = (seen[event.kind] or 0) + 1
			slept = slept or event.kind == "sleep"
			lu.assertFalse(slept and event.kind == "contact_end") -- falling asleep ends no contact
			if event.kind == "hit" and event.a == box then
				lu.assertTrue(event.terrain and event.speed > 1 and event.impulse > 0)
				near(event.position.y, 0, 0.1)
				near(math.abs(event.normal.y), 1, 0.01)
				lu.assertEquals(event.part_a, 1)
			end
		end
	end
	lu.assertEquals(heard, seen)
	lu.assertTrue(heard.contact_begin >= 1 and heard.hit >= 1 and heard.sleep >= 1)
	box:wake()
	world:step()
	local reason
	for event in world:events "wake" do
		lu.assertTrue(event.assembly == box)
		reason = event.reason
	end
	lu.assertEquals(type(reason), "string")
end

world_names["snapshot restore hash"] = function(world)
	local box = support.box(world)
	local before, hash = world:snapshot(), world:hash()
	lu.assertTrue(hash:find "^%x+$" ~= nil and #hash == 16)
	world:step(1 / 60, 20)
	lu.assertNotEquals(world:hash(), hash)
	lu.assertTrue(world:restore(before))
	lu.assertEquals(world:hash(), hash)
	support.is_vec3(box.position, 0, 5, 0)
	local none, message = world:restore "rubbish"
	lu.assertNil(none)
	lu.assertEquals(type(message), "string")
end

world_names["save destroy"] = function(world)
	local none, message = world:save "/none/x"
	lu.assertNil(none)
	lu.assertStrContains(message, "/none/x")
	local box, terrain = support.box(world), world.terrain
	world:destroy()
	lu.assertEquals({ world.valid, box.valid, terrain.valid }, { false, false, false })
	support.fails(function() world:step() end, "step", "destroyed")
end

-- ---- assembly, joint -----------------------------------------------------------------------------------------------

local assembly_names = {}

-- property -> value to set
for name, value in pairs {
	position = scree.vec3(1, 9, 2), rotation = scree.axis_angle({ 1, 0, 0 }, 0.5), velocity = scree.vec3(1, 2, 3),
	angular_velocity = scree.vec3(0.1, 0.2, 0.3), mass = 12, center_of_mass = scree.vec3(0.1, 5.2, 0),
	inertia = scree.vec3(90, 100, 110), motion = "kinematic", can_sleep = false, gravity_scale = 0.5, bullet = true,
	tag = "thing",
} do
	assembly_names[name] = function(world)
		local box = support.box(world)
		lu.assertNotEquals(box[name], value)
		box[name] = value
		if type(value) == "cdata" then
			local got = box[name]
			for i = 1, name == "rotation" and 4 or 3 do
				near(got[i], value[i], 1e-5)
			end
			support.fails(function() box[name].y = 3 end, "immutable")
		else
			lu.assertEquals(box[name], value)
		end
	end
end

assembly_names["state valid id parts net_impulse submerged"] = function(world)
	local box = support.box(world, { position = { 0, 0.5, 0 } })
	lu.assertEquals({ box.state, box.valid, box.id % 1, #box.parts, box.submerged }, { "awake", true, 0, 1, 0 })
	world:settle(9)
	lu.assertEquals(box.state, "asleep")
	box.velocity = { 0, 2, 0 }
	world:step()
	near(box.net_impulse.y, -box.mass * 9.81 / 60, box.mass * 0.01)
	for _, name in ipairs { "state", "valid", "id", "parts", "net_impulse", "submerged" } do
		support.fails(function() box[name] = 1 end, name, "read-only")
	end
end

assembly_names["apply_force apply_impulse apply_torque apply_angular_impulse"] = function()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local box = support.box(world)
	box:apply_impulse { box.mass, 0, 0 }
	near(box.velocity.x, 1)
	box:apply_impulse({ 0, box.mass, 0 }, box.position)
	near(box.velocity.y, 1)
	box:apply_force({ 0, 0, 60 * box.mass })
	box:apply_torque { 0, 60 * box.inertia.y, 0 }
	lu.assertEquals(box.velocity.z, 0)
	box:apply_angular_impulse { box.inertia.x, 0, 0 }
	near(box.angular_velocity.x, 1, 1e-5)
	world:step()
	near(box.velocity.z, 1, 1e-4)
	near(box.angular_velocity.y, 1, 0.01)
end

assembly_names["wake sleep why_awake destroy"] = function(world)
	local box = support.box(world, { position = { 0, 0.5, 0 } })
	world:step(1 / 60, 10)
	box:sleep()
	lu.assertEquals(box.state, "asleep")
	box:wake()
	lu.assertEquals(box.state, "awake")
	lu.assertTrue(#box:why_awake() > 3)
	box:destroy()
	lu.assertEquals(box.valid, false)
	support.fails(function() return box.position.x end, "destroyed")
	support.fails(function() box:wake() end, "wake", "destroyed")
	lu.assertEquals(support.count(world:assemblies()), 0)
end

assembly_names["to_world to_local velocity_at bounds"] = function(world)
	local box = support.box(world, { rotation = { 0, 1, 0, 1 }, angular_velocity = { 0, 2, 0 } })
	support.is_vec3(box:to_world { 1, 0, 0 }, 0, 5, -1, 1e-6)
	support.is_vec3(box:to_local { 0, 5, -1 }, 1, 0, 0, 1e-6)
	support.is_vec3(box:velocity_at { 1, 5, 0 }, 0, 0, -2, 1e-6)
	local min, max = box:bounds()
	support.is_vec3(min, -0.5, 4.5, -0.5, 0.02)
	support.is_vec3(max, 0.5, 5.5, 0.5, 0.02)
end

assembly_names["contacts joints mechanism"] = function(world)
	local below = support.box(world, { position = { 0, 0.5, 0 } })
	local above = support.box(world, { position = { 0, 1.5, 0 } })
	world:step(1 / 60, 5)
	local found
	for contact in above:contacts() do
		found = found or contact
	end
	lu.assertTrue(found.other == below and #found.points > 0)
	local joint = world:joint { type = "weld", a = above, b = support.box(world, { position = { 0, 2.5, 0 } }) }
	lu.assertEquals(support.list(above:joints()), { joint })
	lu.assertEquals(#above:mechanism(), 2)
end

function assembly_names.move_to(world)
	local lift = support.box(world, { motion = "kinematic" })
	lift:move_to({ 0, 6, 0 }, scree.axis_angle({ 0, 1, 0 }, 0.1), 1 / 30)
	world:step(1 / 30)
	support.is_vec3(lift.position, 0, 6, 0, 1e-4)
	near(lift.rotation.y, math.sin(0.05), 1e-4)
end

assembly_names["joint: a b type angle distance length impulse motor limits broken destroy"] = function(world)
	local box = support.box(world)
	local hinge = world:joint { type = "hinge", b = box, axis = { 0, 0, 1 } }
	lu.assertEquals({ hinge.type, hinge.a, hinge.b, hinge.angle, hinge.broken }, { "hinge", nil, box, 0, false })
	lu.assertEquals({ hinge.motor, hinge.limits }, {})
	hinge.motor = { speed = 2, max_torque = 1e5 }
	hinge.limits = { -1, 1 }
	lu.assertEquals({ hinge.motor.speed, hinge.limits[1], hinge.limits[2] }, { 2, -1, 1 })
	support.fails(function() hinge.motor.speed = 3 end, "copy")
	world:step(1 / 60, 30)
	near(hinge.angle, 1, 0.05)
	near(hinge.impulse.y, box.mass * 9.81 / 60, box.mass * 0.02)
	local slider = world:joint { type = "slider", b = support.box(world, { position = { 5, 5, 0 } }), axis = { 0, 1, 0 } }
	world:step(1 / 60, 30)
	lu.assertTrue(slider.distance < -0.5, slider.distance)
	local rope = world:joint { type = "rope", b = support.box(world, { position = { 9, 5, 0 } }), at = { 9, 8, 0 } }
	near(rope.length, 3, 1e-5)
	rope.length = 4
	lu.assertEquals(rope.length, 4)
	rope.break_force = 1
	world:step(1 / 60, 60)
	lu.assertTrue(rope.broken)
	hinge:destroy()
	lu.assertFalse(hinge.valid)
	support.fails(function() return hinge.angle end, "destroyed")
end

-- ---- terrain -------------------------------------------------------------------------------------------------------

local terrain_names = {}

terrain_names["get set"] = function(t)
	t:set(1, 2, 3, "sand", 0.5, 0.25)
	lu.assertEquals({ t:get(1, 2, 3) }, { "sand", 0.5, 64 / 255 })
	lu.assertEquals({ t:get(9, 9, 9) }, { "air", 0, 0 })
end

terrain_names["read write copy"] = function(t)
	t:set(0, 0, 0, "sand")
	local region = t:read({ 0, 0, 0 }, { 1, 1, 1 })
	support.is_vec3(region.size, 2, 2, 2)
	lu.assertEquals({ region:get(0, 0, 0) }, { "sand", 1, 0 })
	region:set(1, 0, 1, "rock", 1)
	local index = 1 + region.size.x * (1 + region.size.z * 0)
	lu.assertEquals({ region.occupancy[index], region.water[index] }, { 255, 0 })
	lu.assertTrue(region.material[index] > 1)
	t:write({ 4, 4, 4 }, region)
	lu.assertEquals({ t:get(5, 4, 5) }, { "rock", 1, 0 })
	local mask = ffi.new "uint8_t[8]"
	mask[index] = 1
	lu.assertEquals(t:write({ 8, 8, 8 }, region, mask).added, { rock = 1 })
	lu.assertTrue(t:read({ 4, 4, 4 }, { 5, 5, 5 }, region) == region)
	lu.assertEquals({ t:copy({ 0, 0, 0 }, { 0, 0, 0 }):get(0, 0, 0) }, { "sand", 1, 0 })
end

terrain_names["fill_ball fill_box fill_cylinder fill_wedge"] = function(t)
	near(t:fill_ball { center = { 0, 0, 0 }, radius = 3, material = "rock" }.added.rock, 4 / 3 * math.pi * 27, 30)
	near(t:fill_ball { position = { 0, 0, 0 }, radius = 3, material = "air" }.removed.rock, 4 / 3 * math.pi * 27, 30)
	local turn = scree.axis_angle({ 0, 1, 0 }, math.pi / 2)
	near(t:fill_box { position = { 0, 0, 0 }, size = { 8, 2, 4 }, rotation = turn, material = "wood" }.added.wood, 64, 6)
	lu.assertEquals(t:get(0, 0, 3), "wood")
	lu.assertEquals(t:fill_box { position = { 0, 0, 0 }, size = { 4, 2, 4 }, material = "sand", mode = "add" }.added, {})
	near(t:fill_box { position = { 0, 0, 0 }, size = { 4, 2, 4 }, material = "sand", mode = "paint" }.added.sand, 32, 1)
	near(t:fill_box { position = { 0, 0, 0 }, size = { 4, 2, 4 }, mode = "remove" }.removed.sand, 32, 1)
	local cylinder = { position = { 0, 9, 0 }, radius = 2, height = 4, material = "rock" }
	near(t:fill_cylinder(cylinder).added.rock, math.pi * 16, 12)
	near(t:fill_wedge { position = { 20, 2, 0 }, size = { 4, 4, 4 }, material = "rock" }.added.rock, 32, 5)
	t:fill_box { position = { 40, 0, 0 }, size = { 4, 4, 4 }, material = "water" }
	lu.assertEquals({ t:get(40, 0, 0) }, { "air", 0, 1 })
end

terrain_names["fill_heightmap generate"] = function(t)
	local result = t:fill_heightmap {
		heights = { 1, 1, 1, 1 }, width = 2, depth = 2, position = { 0, 0, 0 }, cell = 4, material = "sand",
	}
	lu.assertTrue(result.added.sand > 0)
	lu.assertEquals(result.voids, 0)
	local layered = t:fill_heightmap {
		heights = { 1, 1, 1, 1 }, width = 2, depth = 2, position = { 50, 0, 0 }, cell = 4, bottom = 4,
		layers = { { material = "grass", depth = 1 }, { material = "rock" } },
	}
	lu.assertTrue(layered.added.grass > 0 and layered.added.rock > 0)
	local none, message = t:fill_heightmap { path = "/none.png", min = 0, max = 9 }
	lu.assertNil(none)
	lu.assertStrContains(message, "/none.png")
	local edit = t:generate { min = { 100, 0 }, max = { 104, 4 }, height = function(x) return x - 100, "mud" end }
	lu.assertTrue(edit.added.mud > 0)
end

terrain_names["replace count matter clear"] = function(t)
	t:fill_box { position = { 2, 2, 2 }, size = { 4, 4, 4 }, material = "rock" }
	local edit = t:replace({ 0, 0, 0 }, { 3, 0, 3 }, "rock", "sand")
	lu.assertEquals(edit, { removed = { rock = 16 }, added = { sand = 16 } })
	t:set(0, 9, 0, "rock", 0.5)
	lu.assertEquals(t:count({ 0, 0, 0 }, { 3, 9, 3 }), { air = 160 - 65, rock = 49, sand = 16 })
	lu.assertEquals(t:matter({ 0, 0, 0 }, { 3, 9, 3 }), { rock = 48.5, sand = 16 })
	t:clear()
	lu.assertNil(t.bounds)
end

terrain_names["smooth grow"] = function(t)
	t:fill_box { position = { 0, 0, 0 }, size = { 6, 6, 6 }, material = "rock" }
	lu.assertTrue(t:smooth { center = { 3, 3, 3 }, radius = 4, strength = 1 }.removed.rock > 0)
	lu.assertTrue(t:grow { center = { 0, 3, 0 }, radius = 4, strength = 1 }.added.rock > 0)
end

terrain_names["begin_undo undo redo"] = function(t)
	t:begin_undo "one"
	t:set(0, 0, 0, "rock")
	lu.assertEquals(t:undo(), "one")
	lu.assertEquals(t:get(0, 0, 0), "air")
	lu.assertEquals(t:redo(), "one")
	lu.assertEquals(t:get(0, 0, 0), "rock")
end

terrain_names["changes version bounds bytes"] = function(t)
	local before = t.version
	t:set(7, 8, 9, "rock")
	lu.assertTrue(t.version > before)
	local version, boxes = t:changes(before)
	lu.assertEquals(version, t.version)
	lu.assertEquals(#boxes, 1)
	lu.assertTrue(boxes[1][1].x <= 7 and boxes[1][2].x >= 7)
	support.is_vec3(t.bounds.min, 7, 8, 9)
	support.is_vec3(t.bounds[2], 7, 8, 9)
	lu.assertTrue(t.bytes > 0)
end

terrain_names["import export"] = function(t)
	local folder = process.new_folder()
	t:fill_box { position = { 2, 2, 2 }, size = { 4, 4, 4 }, material = "rock" }
	for _, ending in ipairs { "obj", "stl", "ply", "glb", "vox" } do
		local path = folder .. "/a." .. ending
		lu.assertTrue(assert(t:export(path)).bytes > 100)
		local other = scree.world({}).terrain
		local info = assert(other:import(path))
		lu.assertTrue(math.abs((info.added.rock or info.added.vox_7d7b78) - 64) < 8, ending)
	end
	process.remove_folder(folder)
	for _, ending in ipairs { "vox", "png", "hgt", "schem", "mts", "obj" } do
		local none, message = t:import("/none." .. ending)
		lu.assertNil(none)
		lu.assertStrContains(message, "none." .. ending)
	end
end

function terrain_names.mesh(t)
	t:fill_box { position = { 2, 2, 2 }, size = { 4, 4, 4 }, material = "rock" }
	local mesh = t:mesh({ 0, 0, 0 }, { 9, 9, 9 })
	lu.assertTrue(mesh.vertex_count > 8 and mesh.triangle_count > 12)
	lu.assertTrue(mesh.indices[0] < mesh.vertex_count and mesh.materials[0] > 1)
	lu.assertTrue(mesh.positions[0] >= -1 and math.abs(mesh.normals[0]) <= 1)
	lu.assertEquals(t:mesh().triangle_count % 2, 0)
end

terrain_names["to_cell cell_center raycast is_inside"] = function(t)
	lu.assertEquals({ t:to_cell { 1.5, -0.1, 2 } }, { 1, -1, 2 })
	support.is_vec3(t:cell_center(1, -1, 2), 1.5, -0.5, 2.5)
	t:fill_box { position = { 2, 2, 2 }, size = { 4, 4, 4 }, material = "rock" }
	near(t:raycast({ 2, 9, 2 }, { 2, 0, 2 }).position.y, 4, 1e-6)
	lu.assertEquals({ t:is_inside { 2, 2, 2 } }, { true, false })
end

function terrain_names.materials(t, world)
	world.materials.basalt = {
		density = 2900, friction = 0.7, restitution = 0.15, rolling = 0, hardness = 3, blockiness = 0, color = 0x333333,
	}
	local basalt = world.materials.basalt
	lu.assertEquals({ basalt.density, basalt.friction, basalt.restitution, basalt.rolling, basalt.hardness,
		basalt.blockiness, basalt.color }, { 2900, 0.7, 0.15, 0, 3, 0, 0x333333 })
	for name in ([[air water grass ground sand mud rock basalt slate sandstone limestone concrete brick wood ice snow
		glacier asphalt salt metal]]):gmatch "%a+" do
		lu.assertNotNil(world.materials[name], name)
	end
	t:set(0, 0, 0, "basalt")
	lu.assertEquals(t:get(0, 0, 0), "basalt")
end

-- ---- recordings ----------------------------------------------------------------------------------------------------

local record = require "scree.record"

-- Half a second of two worlds, one of which digs.
local function recorded(options)
	local recorder = record.start(options)
	local one, other = support.world_with_floor(), scree.world {}
	local crate = support.box(one, { position = { 0, 3, 0 }, tag = "crate" })
	one:joint { type = "rod", a = crate, b = support.box(one, { position = { 0, 5, 0 } }), length = 2 }
	one:step(1 / 60, 15)
	one.terrain:fill_ball { center = { 6, 0, 6 }, radius = 2, material = "air" }
	one:step(1 / 60, 15)
	other:spawn { shape = "ball", radius = 1 }
	other:step(1 / 60, 3)
	return recorder, one, other
end

local recording_names = {}

recording_names["start finish recordings is_recording"] = function()
	local recorder = recorded {}
	lu.assertEquals(#recorder.recordings, 2)
	local list = recorder.finish()
	lu.assertTrue(list == recorder.recordings)
	lu.assertTrue(record.is_recording(list[1]) and record.is_recording(list[2]))
	lu.assertFalse(record.is_recording {} or record.is_recording(nil) or record.is_recording(recorder))
	lu.assertEquals({ list[1].frame_count, list[2].frame_count }, { 31, 4 })
	local every = recorded { every = 5, arrows = 0, ground = false, events = false, on_frame = function() end }
	lu.assertEquals(every.finish()[1].frame_count, 7)
end

recording_names["frame_count time step clock tracks shapes joints events materials colors"] = function()
	local recorder, world = recorded {}
	local one = recorder.finish()[1]
	lu.assertEquals({ #one.time, #one.step, #one.clock, #one.events }, { 31, 31, 31, 31 })
	lu.assertEquals({ one.step[1], one.step[31], one.time[31] }, { 0, 30, world.time })
	near(one.clock[31], 0.5, 1e-9)
	lu.assertEquals({ #one.tracks, #one.joints, one.joints[1].type or one.joints[1].kind }, { 2, 1, "rod" })
	lu.assertEquals({ one.tracks[1].tag, one.tracks[1].first, one.tracks[1].motion }, { "crate", 1, "dynamic" })
	lu.assertEquals(one.shapes[one.tracks[1].shape][1].shape, "box")
	lu.assertEquals({ one.materials[2].name, #one.colors }, { "grass", 0 })
	local edits = 0
	for frame, list in ipairs(one.events) do
		for _, event in ipairs(list) do
			edits = edits + (event.kind == "edit" and 1 or 0)
			lu.assertTrue(event.kind ~= "edit" or frame == 17, frame)
		end
	end
	lu.assertEquals(edits, 1)
end

recording_names["blocks mesh cell_size gravity quantum"] = function()
	local recorder = recorded {}
	local one = recorder.finish()[1]
	lu.assertTrue(#one.blocks > 0 and one.quantum > 0 and one.quantum < 0.01)
	lu.assertEquals({ one.cell_size, one.gravity[2] }, { 1, -9.81 })
	local triangles = 0
	for _, block in ipairs(one.blocks) do
		for _, version in ipairs(block.versions or { block }) do
			local mesh = version.mesh and version.mesh > 0 and one:mesh(block, version.mesh)
			triangles = triangles + (mesh and (mesh.triangle_count or #mesh.indices / 3) or 0)
		end
	end
	lu.assertTrue(triangles > 100, triangles)
end

recording_names["frames frame pose state is_there arrows bytes_per_frame"] = function()
	local recorder, world = recorded {}
	local one = recorder.finish()[1]
	local last, lowest = 0, math.huge
	for frame, cursor in one:frames() do
		lu.assertEquals(frame, last + 1)
		last = frame
		lowest = math.min(lowest, (select(2, cursor:pose(1))))
		lu.assertEquals({ cursor:state(1), cursor.frame }, { 0, frame })
		lu.assertTrue(one:is_there(1, frame) and one:is_there(2, frame))
		for _, arrow in ipairs(one:arrows(frame, cursor)) do
			lu.assertTrue(arrow.track == 1 or arrow.track == 2)
		end
	end
	lu.assertEquals(last, 31)
	for assembly in world:assemblies() do
		if assembly.tag == "crate" then
			near(lowest, assembly.position.y, 2 * one.quantum)
		end
	end
	local poses, arrows = one:bytes_per_frame()
	lu.assertTrue(poses > 0 and poses < 100 and arrows >= 0)
end

recording_names["page is_possible write"] = function()
	local recorder = recorded {}
	local list = recorder.finish()
	local replay, gltf = require "scree.replay", require "scree.gltf"
	if replay.is_possible() then
		lu.assertStrContains(assert(replay.page(list, { title = "two worlds" })):sub(1, 400), "<title>two worlds</title>")
	end
	local path = os.tmpname()
	lu.assertTrue(assert(gltf.write(list, path)).bytes > 1000)
	lu.assertEquals(process.read(path):sub(1, 4), "glTF")
	os.remove(path)
end

-- ---- as tests ------------------------------------------------------------------------------------------------------

local function tests_of(names, make)
	local class = {}
	for name, test in pairs(names) do
		class["test " .. name] = function()
			test(make())
		end
	end
	return class
end

local function floor()
	return support.world_with_floor()
end

return {
	TestContractModule = tests_of(module, function() end),
	TestContractWorld = tests_of(world_names, floor),
	TestContractAssembly = tests_of(assembly_names, floor),
	TestContractRecordings = tests_of(recording_names, function() end),
	TestContractTerrain = tests_of(terrain_names, function()
		local world = scree.world {}
		return world.terrain, world
	end),
}
