-- Fast bodies: nothing is crossed, and the blow is that of any contact: bounce, friction, momentum, events.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local vec3, DT, with = scree.vec3, scenery.DT, scenery.with
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run

-- ---- walls ---------------------------------------------------------------------------------------------------------

local shapes = {
	ball = { shape = "ball", radius = 0.1 },
	box = { shape = "box", size = { 0.2, 0.2, 0.2 } },
	plate = { shape = "box", size = { 1, 0.03, 1 } },
	stick = { shape = "box", size = { 0.05, 2, 0.05 } },
	capsule = { shape = "capsule", radius = 0.1, length = 0.6 },
	rod = { shape = "capsule", radius = 0.05, length = 2 },
	wedge = { shape = "wedge", size = { 0.3, 0.2, 0.4 } },
	hull = {
		shape = "hull",
		points = { { 0, 0.2, 0 }, { 0.2, 0, 0 }, { -0.2, 0, 0.1 }, { 0, -0.1, 0.3 }, { 0, -0.1, -0.3 } },
	},
	dumbbell = {
		parts = {
			{ shape = "ball", radius = 0.15, position = { -0.8, 0, 0 } },
			{ shape = "ball", radius = 0.15, position = { 0.8, 0, 0 } },
			{ shape = "capsule", radius = 0.04, length = 1.6, rotation = scree.axis_angle({ 0, 0, 1 }, math.pi / 2) },
		},
	},
}
local shape_names = { "ball", "box", "plate", "stick", "capsule", "rod", "wedge", "hull", "dumbbell" }

local function kinetic_energy(body)
	local w, i = body.rotation:inverse() * body.angular_velocity, body.inertia
	return 0.5 * (body.mass * body.velocity:length_squared() + i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z)
end

-- Bodies thrown at a wall at as many phases of a step. Their centres must stay before its middle plane, and blows give
-- no energy.
local function throw(name, options)
	local random = scenery.generator(options.seed)
	local world = scree.world { gravity = { 0, 0, 0 }, cell_size = options.terrain and options.thickness or 1 }
	local turn = scree.axis_angle({ 0, 0, 1 }, options.tilt or 0)
	local normal, thickness = turn * vec3(-1, 0, 0), options.thickness
	if options.terrain then
		world.materials.plate = { density = 2600, friction = 0.3, restitution = 0.5 }
		world.terrain:fill_box {
			position = { thickness / 2, 0, 0 }, size = { thickness, 60 * thickness, 1200 * thickness }, material = "plate",
		}
	else
		world:spawn {
			shape = "box", size = { thickness, 40, 400 }, motion = "static", rotation = turn, friction = 0.3, restitution = 0.5,
		}
	end
	local bodies, count, first = {}, options.count or 20, 0
	for i = 1, count do
		local spin = options.spin or 0
		bodies[i] = world:spawn(with(shapes[name], {
			position = { -5 - i / count * options.speed * DT, 0, (i - count / 2) * (options.terrain and 8 * thickness or 5) },
			rotation = spin > 0 and scenery.turn(random) or nil, velocity = { options.speed, 0, 0 },
			angular_velocity = spin * random() * scenery.direction(random),
			restitution = 0.5, friction = 0.3, group = "thrown", collides_with = "default",
		}))
		first = first + kinetic_energy(bodies[i])
	end
	local what = ("%s, %g m%s, %g m/s, tilt %g, spin %g, seed %d"):format(
		name, thickness, options.terrain and " of terrain" or "", options.speed, options.tilt or 0, options.spin or 0,
		options.seed
	)
	local touched = false
	run(world, 0.5, function()
		touched = touched or world.stats.contacts > 0
		local energy = 0
		for i = 1, count do
			at_least(bodies[i].center_of_mass:dot(normal), 0, what .. ": before the wall")
			energy = energy + kinetic_energy(bodies[i])
		end
		at_most(energy, 1.001 * first, what .. ": energy")
	end)
	luaunit.assertTrue(touched, what .. ": touched")
	local bounced = 0
	for i = 1, count do
		bounced = bounced + (bodies[i].velocity:dot(normal) > 0 and 1 or 0)
	end
	at_least(bounced, 0.9 * count, what .. ": bounced")
end

local TestWalls = {}

for _, name in ipairs(shape_names) do
	TestWalls["test" .. name:sub(1, 1):upper() .. name:sub(2)] = function()
		for k, thickness in ipairs { 0.2, 0.01 } do
			for _, speed in ipairs { 30, 200 } do
				local seed = speed + k
				throw(name, { thickness = thickness, speed = speed, seed = seed, count = name == "ball" and 60 or nil })
				throw(name, { thickness = thickness, speed = speed, seed = seed, tilt = 0.7 })
				throw(name, { thickness = thickness, speed = speed, seed = seed, spin = 30 })
				if k == 1 then
					throw(name, { thickness = thickness, speed = speed, seed = seed, spin = 30, terrain = true })
				end
			end
		end
	end
end

-- Speeds after a blow: e times as fast along the normal. Friction acts while the ball is stopped, so what slides all
-- through it keeps v - f v_n along the wall; what ends rolling has 5/7 of its speed.
function TestWalls.testSpeedsAfterTheBlow()
	local cases = { { 0, 1 }, { 0.05, 1 - 0.05 }, { 0.8, 5 / 7 } }
	for i, speed in ipairs { 30, 200 } do
		for k = 1, 4 - i do -- at 200 m/s a rolling ball would turn faster than the limit
			local case = cases[k]
			for phase = 0, 15 do
				for _, terrain in ipairs { false, true } do
					local world = scree.world { gravity = { 0, 0, 0 } }
					world.materials.plate = { density = 2600, friction = case[1], restitution = 0.5, rolling = 0 }
					if terrain then
						world.terrain:fill_box { position = { 0, -2, 0 }, size = { 64, 4, 64 }, material = "plate" }
					else
						scenery.slab(world, { material = "plate" })
					end
					local away = vec3(-1, 1, 0) * (6 + phase / 16 * speed * DT / math.sqrt(2))
					local ball = world:spawn {
						shape = "ball", radius = 0.1, position = away + vec3(0, 0.1, 0), velocity = vec3(1, -1, 0) * speed,
						friction = case[1], restitution = 0.5, rolling = 0,
					}
					local hits, last = 0, nil
					run(world, 1, function()
						for event in world:events "hit" do
							hits, last = hits + 1, event
						end
						return ball.velocity.y > 0
					end)
					local what = ("%d m/s, friction %g, phase %d, %s"):format(
						speed, case[1], phase, terrain and "terrain" or "slab"
					)
					near(ball.velocity.y, 0.5 * speed, 2e-3 * speed, what .. ": along the normal")
					near(ball.velocity.x, case[2] * speed, 0.015 * speed, what .. ": along the wall")
					luaunit.assertEquals(hits, 1, what .. ": hits")
					luaunit.assertTrue(last.a == ball or last.b == ball)
					near(last.speed, speed, 1e-3 * speed, what .. ": speed of the hit")
					near(last.impulse, 1.5 * speed * ball.mass, 3e-3 * speed * ball.mass, what .. ": impulse")
					near(last.position.y, 0, 0.01, what .. ": height of the hit")
					near(last.position.x, 0, 0.01, what .. ": place of the hit")
				end
			end
		end
	end
end

-- It begins and ends to touch like anything else.
function TestWalls.testContactsBeginAndEnd()
	local world = scree.world { gravity = { 0, 0, 0 } }
	scenery.slab(world)
	local ball = world:spawn {
		shape = "ball", radius = 0.1, position = { 0, 9, 0 }, velocity = { 0, -200, 0 }, restitution = 1,
	}
	local order = {}
	run(world, 0.5, function()
		for event in world:events() do
			order[#order + 1] = event.kind
		end
	end)
	luaunit.assertEquals(order, { "contact_begin", "hit", "contact_end" })
	near(ball.velocity.y, 200, 0.1, "bounced")
end

-- Sliding at great speed over flat ground takes no time: nothing holds it back, and no seam does.
function TestWalls.testSlidingKeepsItsSpeed()
	for _, terrain in ipairs { false, true } do
		for _, name in ipairs { "ball", "box", "plate", "capsule" } do
			local world = scree.world()
			world.materials.ice2 = { density = 2600, friction = 0, restitution = 0, rolling = 0 }
			if terrain then
				world.terrain:fill_box { position = { 0, -2, 0 }, size = { 160, 4, 16 }, material = "ice2" }
			else
				scenery.slab(world, { size = { 160, 2, 16 }, material = "ice2" })
			end
			local height = name == "plate" and 0.015 or 0.1
			local body = world:spawn(with(shapes[name], {
				position = { -70, height, 0.3 }, velocity = { 80, 0, 0 }, friction = 0, restitution = 0, rolling = 0,
				rotation = name == "capsule" and scree.axis_angle({ 0, 0, 1 }, math.pi / 2) or nil,
			}))
			run(world, 1.7, function(t)
				local what = ("%s on %s at %g"):format(name, terrain and "terrain" or "a slab", t)
				near(body.position.x, -70 + 80 * t, 2e-3, what)
				near(body.position.y, height, 3e-3, what .. ": height")
			end)
		end
	end
end

-- A flat shot over bumpy ground stays over it, and goes on.
function TestWalls.testShotsOverHills()
	local seed = 5
	local random, world = scenery.generator(seed), scree.world()
	local function hill(x, z)
		return 0.6 * scree.sin(0.9 * x) * scree.sin(0.7 * z)
	end
	world.terrain:generate { min = { -60, -20 }, max = { 60, 20 }, height = hill, material = "ground", bottom = 1 }
	local balls = {}
	for i = 1, 100 do
		balls[i] = world:spawn {
			shape = "ball", radius = 0.05, position = { -55, 1 + random(), 36 * random() - 18 }, restitution = 0.3,
			velocity = { 40 + 160 * random(), -10 * random(), 0 }, group = "shot", collides_with = "default",
		}
	end
	local lost = {}
	run(world, 1, function()
		for i, ball in ipairs(balls) do
			local p = ball.position
			local below = math.abs(p.x) < 58 and math.abs(p.z) < 19 and world.terrain:is_inside(p)
			lost[#lost + 1] = below and i or nil
		end
	end)
	luaunit.assertEquals(#lost, 0, "shots in the ground, seed " .. seed)
end

-- ---- others that move ----------------------------------------------------------------------------------------------

local TestBullets = {}

local function ball(world, options)
	return scenery.body(world, options.mass or 1, with({ shape = "ball", radius = 0.1, restitution = 1, friction = 0 }, {
		position = options.position, velocity = options.velocity, bullet = options.bullet,
		restitution = options.restitution or 1,
	}))
end

function TestBullets.testTwoSwapSpeeds()
	for _, speed in ipairs { 60, 200 } do
		for phase = 0, 15 do
			for _, both in ipairs { true, false } do
				local world = scree.world { gravity = { 0, 0, 0 } }
				local start = -5 - phase / 16 * speed * DT
				local a = ball(world, { position = { start, 0, 0 }, velocity = { speed, 0, 0 }, bullet = true })
				local b = ball(world, { position = { 5, 0, 0 }, velocity = { -speed, 0, 0 }, bullet = both })
				run(world, 0.4)
				local what = ("%d m/s, phase %d"):format(speed, phase)
				near(a.velocity.x, -speed, 1e-3 * speed, what)
				near(b.velocity.x, speed, 1e-3 * speed, what)
			end
		end
	end
end

-- Off the centre: the line of centres at the touch makes 14.48 degrees with the way.
function TestBullets.testAGlancingBlow()
	local sine = 0.05 / 0.2
	for phase = 0, 15 do
		local world = scree.world { gravity = { 0, 0, 0 } }
		local a = ball(world, { position = { -5 - phase / 8, 0, 0 }, velocity = { 60, 0, 0 }, bullet = true })
		local b = ball(world, { position = { 5, 0.05, 0 }, velocity = { -60, 0, 0 } })
		run(world, 0.4)
		local what = "phase " .. phase
		near(a.velocity.x, 60 - 120 * (1 - sine * sine), 0.3, what)
		near(a.velocity.y, -120 * sine * math.sqrt(1 - sine * sine), 0.6, what)
		near((a.velocity + b.velocity):length(), 0, 1e-4, what .. ": momentum")
	end
end

function TestBullets.testWithoutTheFlagTheyMayPass()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local a = ball(world, { position = { -5, 0, 0 }, velocity = { 200, 0, 0 } })
	ball(world, { position = { 5, 0, 0 }, velocity = { -200, 0, 0 } })
	run(world, 0.2)
	luaunit.assertEquals(a.velocity.x, 200)
	a.bullet = true
	luaunit.assertTrue(a.bullet)
end

-- A bowling ball at sleeping pins: 7 kg against 1.5 kg, no bounce.
function TestBullets.testPinsWakeAndTakeTheirShare()
	for _, speed in ipairs { 8, 60, 200 } do
		local world = scree.world()
		world.terrain:fill_box { position = { 0, -1, 0 }, size = { 64, 2, 64 }, material = "rock" }
		local pins = {}
		for row = 0, 3 do
			for k = 0, row do
				pins[#pins + 1] = scenery.body(world, 1.5, {
					shape = "capsule", radius = 0.06, length = 0.26, position = { row * 0.26, 0.19, (k - row / 2) * 0.3 },
					restitution = 0, friction = 0.3,
				})
			end
		end
		run(world, 3)
		for _, pin in ipairs(pins) do
			pin:sleep()
		end
		local bowl = scenery.body(world, 7, {
			shape = "ball", radius = 0.11, position = { -3, 0.2, 0 }, velocity = { speed, 0, 0 }, restitution = 0,
			friction = 0.3, bullet = true, gravity_scale = 0,
		})
		local woken
		run(world, 1, function()
			for event in world:events "wake" do
				woken = woken or event
			end
			return woken
		end)
		local what = speed .. " m/s"
		luaunit.assertNotNil(woken, what)
		luaunit.assertEquals(pins[1].state, "awake", what)
		luaunit.assertEquals(woken.assembly, pins[1], what)
		local momentum = 7 * bowl.velocity.x
		for _, pin in ipairs(pins) do
			momentum = momentum + 1.5 * pin.velocity.x
		end
		near(momentum, 7 * speed, 0.02 * 7 * speed, what .. ": momentum")
		near(bowl.velocity.x, speed * 7 / 8.5, 0.01 * speed, what .. ": speed of the ball")
		at_most(bowl.position.x, pins[1].position.x, what .. ": behind the pin")
	end
end

-- What is moved from outside pushes all in its way, fast as it may be.
function TestBullets.testABatHitsABall()
	for phase = 0, 9 do
		local world = scree.world { gravity = { 0, 0, 0 } }
		local rest = ball(world, { position = { 0, 0, 0 } })
		world:spawn {
			shape = "box", size = { 0.05, 1, 1 }, motion = "kinematic", position = { -3 - phase / 12, 0, 0 },
			velocity = { 50, 0, 0 }, restitution = 1,
		}
		run(world, 0.3)
		near(rest.velocity.x, 100, 0.5, "phase " .. phase)
	end
end

function TestBullets.testThreadsGiveTheSameBits()
	local hashes = {}
	for _, threads in ipairs { 1, 2 } do
		local random, world = scenery.generator(3), scree.world { threads = threads }
		scenery.floor(world, { restitution = 0.4 })
		for i = 1, 200 do
			world:spawn(with(shapes[shape_names[i % #shape_names + 1]], {
				position = { 20 * random() - 10, 2 + 10 * random(), 20 * random() - 10 }, rotation = scenery.turn(random),
				velocity = 100 * scenery.direction(random), angular_velocity = 20 * scenery.direction(random), bullet = i % 2 == 0,
			}))
		end
		run(world, 0.5)
		hashes[#hashes + 1] = world:hash()
	end
	luaunit.assertEquals(hashes[1], hashes[2])
end

return { TestWalls = TestWalls, TestBullets = TestBullets }
