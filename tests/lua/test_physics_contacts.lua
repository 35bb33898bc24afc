-- Contacts of parts with blocks of terrain: opened and closed by bits, kept from step to step, counted.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = package.path .. ";" .. here .. "/../../?.lua"
local caves = require "tests.bench.caves"

local run = scenery.run

local TestGroundContacts = {}

local function weightless(broadphase)
	return scree.world { gravity = { 0, 0, 0 }, broadphase = broadphase }
end

-- Blocks whose surface lies at two opposite corners: its box is the whole block, with air in the middle.
local function hollows(broadphase, count)
	local world = weightless(broadphase)
	for i = 0, count - 1 do
		local x = 24 * i - 48
		world.terrain:set(x + 1, 1, 1, "rock")
		world.terrain:set(x + 6, 6, 6, "rock")
		world:spawn { shape = "ball", radius = 0.4, position = { x + 4, 4, 4 } }
	end
	world:step()
	return world.stats.terrain
end

function TestGroundContacts.testBitsRefuseWhatBoxesTest()
	local bits, boxes = hollows("bits", 7), hollows("boxes", 7)
	luaunit.assertEquals({ bits.contacts, bits.tested, bits.refused, bits.opened }, { 0, 0, 7, 0 })
	luaunit.assertEquals({ boxes.contacts, boxes.tested, boxes.refused, boxes.opened }, { 7, 7, 0, 7 })
	luaunit.assertEquals(boxes.barren, 7)
	luaunit.assertEquals({ bits.colliders, boxes.colliders }, { 0, 7 }) -- nothing is meshed for what is refused
end

function TestGroundContacts.testOnePerPartAndBlock()
	local world = scree.world()
	scenery.floor(world)
	-- the corner of four blocks lies under its middle
	local box = world:spawn { shape = "box", size = { 4, 1, 4 }, position = { 0, 0.5, 0 } }
	local begun = 0
	for _ = 1, 90 do
		world:step()
		local stats = world.stats
		luaunit.assertEquals({ stats.terrain.contacts, stats.terrain.opened }, { 4, 4 })
		luaunit.assertEquals(stats.terrain.water_contacts, 0)
		for event in world:events "contact_begin" do
			begun = begun + (event.terrain and 1 or 0)
		end
	end
	luaunit.assertEquals(begun, 1, "one touch, however many blocks")
	luaunit.assertEquals(world.stats.terrain.barren, 0)
	luaunit.assertEquals(box.state, "asleep")
	luaunit.assertEquals(world.stats.terrain.tested, 0, "nothing is tested for a sleeper")
	luaunit.assertEquals(world.stats.terrain.contacts, 4, "sleep ends no contact")
	box:destroy()
	luaunit.assertEquals(world.stats.terrain.contacts, 0)
end

function TestGroundContacts.testPartsCountByThemselves()
	local world = weightless()
	scenery.floor(world)
	local dumbbell = world:spawn {
		parts = {
			{ shape = "ball", radius = 0.5, position = { -4, 0, 0 } }, { shape = "ball", radius = 0.5, position = { 4, 0, 0 } },
		},
		position = { 0, 0.45, 4 },
	}
	world:step()
	luaunit.assertEquals(world.stats.terrain.contacts, 2)
	dumbbell.motion = "static"
	luaunit.assertEquals(world.stats.terrain.contacts, 0)
	dumbbell.motion = "dynamic"
	world:step()
	luaunit.assertEquals(world.stats.terrain.contacts, 2)
end

function TestGroundContacts.testOpenedAndClosedOnTheWay()
	local world = weightless()
	scenery.floor(world, { friction = 0 })
	local ball = world:spawn { shape = "ball", radius = 0.25, position = { -20, 0.251, 4 }, velocity = { 6, 0, 0 },
		friction = 0 }
	local most = 0
	run(world, 6, function()
		most = math.max(most, world.stats.terrain.contacts)
	end)
	scenery.near(ball.position.x, 16, 0.05, "way")
	local terrain = world.stats.terrain
	luaunit.assertEquals(most, 2)
	luaunit.assertEquals(terrain.opened, 6, "blocks of 8 m from -24 to 24")
	ball.position = { 0, 20, 0 }
	world:step()
	luaunit.assertEquals(world.stats.terrain.contacts, 0)
end

function TestGroundContacts.testWaterHasItsOwn()
	local world = weightless()
	world.terrain:fill_box { position = { 4, 4, 4 }, size = { 24, 24, 24 }, material = "water" }
	world.terrain:fill_box { position = { 4, -2, 4 }, size = { 8, 2, 8 }, material = "rock" }
	local ball = world:spawn { shape = "ball", radius = 0.25, position = { 4, -0.7, 4 } }
	world:step()
	local terrain = world.stats.terrain
	luaunit.assertEquals({ terrain.contacts, terrain.water_contacts }, { 1, 2 })
	ball.position = { 4, 4, 4 }
	world:step()
	terrain = world.stats.terrain
	luaunit.assertEquals({ terrain.contacts, terrain.water_contacts }, { 0, 1 })
end

function TestGroundContacts.testDugGroundClosesThem()
	local world = scree.world()
	scenery.floor(world)
	support.box(world, { position = { 4, 0.5, 4 } })
	world:step(1 / 60, 120)
	luaunit.assertEquals(world.stats.terrain.contacts, 1)
	world.terrain:fill_box { position = { 4, -2, 4 }, size = { 20, 6, 20 }, mode = "remove" }
	world:step()
	luaunit.assertEquals(world.stats.terrain.contacts, 0)
end

-- The scene of tests/bench/caves.lua, smaller.
function TestGroundContacts.testCaves()
	local results = caves.run(60, 3, 1)
	local bits, boxes = results.bits, results.boxes
	luaunit.assertTrue(bits.places == boxes.places, "the filter is seen in the motion")
	luaunit.assertEquals(bits.points, boxes.points)
	scenery.at_most(bits.tested, 0.85 * boxes.tested, "contacts tested by bits, to those by boxes")
	scenery.at_most(bits.barren / bits.opened, boxes.barren / boxes.opened - 0.03, "share that never makes a point")
	-- but for parts sunk into the ground, which are not tested at all
	scenery.near(bits.tested + bits.refused, boxes.tested, 0.1, "tested and refused by bits, to what boxes test")
end

-- ---- kinds of motion -----------------------------------------------------------------------------------------------

local TestMotion = {}

local function count_events(world)
	local begun, ended = 0, 0
	for event in world:events() do
		begun = begun + (event.kind == "contact_begin" and 1 or 0)
		ended = ended + (event.kind == "contact_end" and 1 or 0)
	end
	return { begun, ended }
end

-- A touch that goes on while the kind of motion of one side changes is one touch; one that cannot go on ends once.
function TestMotion.testChangeKeepsTheTouch()
	local world = scree.world()
	scenery.slab(world)
	local low = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 } }
	local high = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 1.5, 0 } }
	world:step(1 / 60, 30)
	local function change(body, motion)
		body.motion = motion
		world:step()
		local changes = count_events(world)
		world:step()
		luaunit.assertEquals(count_events(world), { 0, 0 }, motion .. ": the step after")
		return changes
	end
	luaunit.assertEquals(change(low, "kinematic"), { 0, 1 }, "two that are not dynamic do not touch")
	luaunit.assertEquals(change(low, "static"), { 0, 0 })
	luaunit.assertEquals(change(low, "kinematic"), { 0, 0 })
	luaunit.assertEquals(change(low, "dynamic"), { 1, 0 }, "the slab again")
	luaunit.assertEquals(change(high, "kinematic"), { 0, 0 })
	luaunit.assertEquals(change(high, "dynamic"), { 0, 0 })
	luaunit.assertEquals(#low:contacts(), 2)
	scenery.near(high.position.y, 1.5, 0.01, "height")
	luaunit.assertNotNil(world:settle(5))
end

-- What lies on a turntable goes round with it as long as friction suffices, mu g > w² r; and a ball that rolls on one
-- turns its way with 2/7 of the table's spin and keeps its speed.
function TestMotion.testTurntable()
	for _, case in ipairs { { 1, 60 }, { 2, 60 }, { -2.1, 60 }, { 2, 30 }, { 2.35, 60, true } } do
		local spin, rate, slips = case[1], case[2], case[3]
		local world = scree.world()
		local table_ = world:spawn {
			shape = "cylinder", radius = 5, length = 1, position = { 0, -0.5, 0 }, motion = "kinematic", friction = 0.5,
		}
		local box = world:spawn { shape = "box", size = { 0.2, 0.2, 0.2 }, position = { 1, 0.1, 0 }, friction = 0.5 }
		scenery.run(world, 0.2, nil, 1 / rate)
		table_.angular_velocity, box.angular_velocity = { 0, spin, 0 }, { 0, spin, 0 }
		box.velocity = { 0, 0, -spin }
		scenery.run(world, 4, nil, 1 / rate)
		local radius, what = math.sqrt(box.position.x ^ 2 + box.position.z ^ 2), ("%g rad/s, %d Hz"):format(spin, rate)
		if slips then
			scenery.at_least(radius, 2, what)
		else
			scenery.near(radius, 1, 0.03, what)
		end
	end
	local world = scree.world()
	local floor = world:spawn {
		shape = "box", size = { 30, 1, 30 }, position = { 0, -0.5, 0 }, motion = "kinematic", friction = 1, rolling = 0,
	}
	floor.angular_velocity = { 0, 3, 0 }
	local ball = world:spawn { shape = "ball", radius = 0.2, position = { 1, 0.2, 0 }, friction = 1, rolling = 0 }
	scenery.run(world, 1)
	local start = ball.velocity
	local turn = 3 * 2 / 7 * 4
	scenery.run(world, 4)
	local expected = scree.axis_angle({ 0, 1, 0 }, turn) * start
	scenery.near((ball.velocity - expected):length() / start:length(), 0, 0.015, "velocity of the ball")
end

function TestMotion.testWhatIsImmovable()
	local world = scree.world()
	local options = { shape = "ball", radius = 0.5, motion = "static", velocity = { 1, 0, 0 } }
	support.fails(function() world:spawn(options) end, "spawn: velocity must be zero", "static")
	options.velocity, options.angular_velocity = { 0, 0, 0 }, { 0, 0, 2 }
	support.fails(function() world:spawn(options) end, "spawn: angular_velocity must be zero", "static")
	options.angular_velocity = nil
	local ball = world:spawn(options)
	support.fails(function() ball.velocity = { 0, 1, 0 } end, "assembly.velocity", "static")
	support.fails(function() ball.angular_velocity = { 0, 1, 0 } end, "assembly.angular_velocity", "static")
	support.fails(function() ball:move_to { 0, 1, 0 } end, "move_to: ", "static", "kinematic")
	ball.velocity = { 0, 0, 0 }
	for _, motion in ipairs { "static", "kinematic", "dynamic" } do
		ball.motion = motion
		local gives_way = motion == "dynamic"
		luaunit.assertEquals(ball:apply_force({ 1, 0, 0 }), gives_way, motion)
		luaunit.assertEquals(ball:apply_torque { 1, 0, 0 }, gives_way, motion)
		luaunit.assertEquals(ball:apply_impulse({ 1, 0, 0 }, { 0, 1, 0 }), gives_way, motion)
		luaunit.assertEquals(ball:apply_angular_impulse { 1, 0, 0 }, gives_way, motion)
		luaunit.assertEquals(ball.velocity:length() > 0, gives_way, motion)
		world:step()
		luaunit.assertEquals(ball.position:length() > 0, gives_way, motion)
	end
end

-- ---- manifolds -----------------------------------------------------------------------------------------------------

local TestManifolds = {}

local function area_of(points)
	local x, z, sum = 0, 0, 0
	for _, p in ipairs(points) do
		x, z = x + p[1] / #points, z + p[2] / #points
	end
	table.sort(points, function(a, b) return math.atan2(a[2] - z, a[1] - x) < math.atan2(b[2] - z, b[1] - x) end)
	for i, a in ipairs(points) do
		local b = points[i % #points + 1]
		sum = sum + a[1] * b[2] - a[2] * b[1]
	end
	return 0.5 * sum
end

-- The part of a polygon where x nx + z nz <= d.
local function cut(polygon, nx, nz, d)
	local left = {}
	for i, a in ipairs(polygon) do
		local b = polygon[i % #polygon + 1]
		local da, db = a[1] * nx + a[2] * nz - d, b[1] * nx + b[2] * nz - d
		if da <= 0 then
			left[#left + 1] = a
		end
		if (da < 0) ~= (db < 0) then
			local t = da / (da - db)
			left[#left + 1] = { a[1] + t * (b[1] - a[1]), a[2] + t * (b[2] - a[2]) }
		end
	end
	return left
end

-- One box turned on another: the four points span what four corners of the overlap can at most.
function TestManifolds.testSpanTheMost()
	local seed, worst, tried = 51, 1, 0
	local random = scenery.generator(seed)
	for k = 1, 150 do
		local world = weightless()
		local low, high = { 0.5 + random(), 1, 0.5 + random() }, { 0.5 + random(), 1, 0.5 + random() }
		local turn = scree.axis_angle({ 0, 1, 0 }, math.pi * random())
		local x, z = 0.8 * random() - 0.4, 0.8 * random() - 0.4
		world:spawn { shape = "box", size = low, motion = "static" }
		local box = world:spawn { shape = "box", size = high, position = { x, 0.999, z }, rotation = turn, can_sleep = false }
		local polygon = {}
		for i, corner in ipairs { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } } do
			local p = turn * scree.vec3(0.5 * corner[1] * high[1], 0, 0.5 * corner[2] * high[3])
			polygon[i] = { p.x + x, p.z + z }
		end
		for _, side in ipairs { -1, 1 } do
			polygon = cut(cut(polygon, side, 0, 0.5 * low[1]), 0, side, 0.5 * low[3])
		end
		local best, n = 0, #polygon
		for a = 1, n - 3 do
			for b = a + 1, n - 2 do
				for c = b + 1, n - 1 do
					for d = c + 1, n do
						best = math.max(best, area_of { polygon[a], polygon[b], polygon[c], polygon[d] })
					end
				end
			end
		end
		if best > 0.01 then
			world:step()
			local points = {}
			for _, contact in ipairs(box:contacts()) do
				for _, point in ipairs(contact.points) do
					points[#points + 1] = { point.position.x, point.position.z }
				end
			end
			luaunit.assertEquals(#points, 4, ("case %d, seed %d"):format(k, seed))
			tried, worst = tried + 1, math.min(worst, area_of(points) / best)
		end
	end
	scenery.at_least(tried, 120, "cases")
	scenery.at_least(worst, 0.95, "area to the largest, seed " .. seed)
end

return { TestGroundContacts = TestGroundContacts, TestMotion = TestMotion, TestManifolds = TestManifolds }
