-- Blows against rows of sleepers: momentum is kept, whatever sleeps behind what is struck.

local luaunit = require "luaunit"
local scree = require "scree"

local COUNT = 6

local function body(world, shape, x, y, restitution, velocity)
	return world:spawn {
		shape = shape, radius = shape == "ball" and 0.5 or nil, size = shape == "box" and { 1, 1, 1 } or nil,
		position = { x, y, 0 }, density = 1000, friction = 0, rolling = 0, restitution = restitution, velocity = velocity,
		can_sleep = velocity == nil,
	}
end

local function row(shape, restitution, floor, speed)
	local world = scree.world { gravity = { 0, floor and -9.81 or 0, 0 } }
	if floor then
		world:spawn {
			shape = "box", size = { 200, 1, 20 }, position = { 0, -0.5, 0 }, motion = "static", friction = 0, rolling = 0,
		}
	end
	local bodies = {}
	for i = 1, COUNT do
		bodies[i] = body(world, shape, i - 1, 0.5, restitution)
	end
	luaunit.assertNotNil(world:settle(10))
	bodies[COUNT + 1] = body(world, shape, -3, 0.5, restitution, { speed, 0, 0 })
	return world, bodies
end

local function momentum(bodies)
	local sum = scree.vec3(0, 0, 0)
	for _, one in ipairs(bodies) do
		sum = sum + one.velocity * one.mass
	end
	return sum
end

local TestStruck = {}

function TestStruck.testMomentum()
	for _, shape in ipairs { "ball", "box" } do
		for _, restitution in ipairs { 0, 0.5, 1 } do
			for _, floor in ipairs { false, true } do
				for _, speed in ipairs { 2, 5, 9.3 } do
					local world, bodies = row(shape, restitution, floor, speed)
					world:step(nil, 150)
					local mass = bodies[1].mass
					local what = ("%s, restitution %g, %g m/s%s: "):format(shape, restitution, speed, floor and ", floor" or "")
					luaunit.assertAlmostEquals(momentum(bodies).x / mass / speed, 1, 0.01, what .. "momentum")
					local energy = 0
					for _, one in ipairs(bodies) do
						energy = energy + one.velocity.x ^ 2
					end
					luaunit.assertTrue(energy < 1.001 * speed ^ 2, what .. "energy")
				end
			end
		end
	end
end

-- What is struck from above is borne by the ground: a blow on a pile goes on through none of it but what gives way.
function TestStruck.testPileSleepsOn()
	local world = scree.world {}
	world:spawn { shape = "box", size = { 40, 1, 40 }, position = { 0, -0.5, 0 }, motion = "static" }
	for x = 1, 5 do
		for y = 1, 4 do
			world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 1.01 * x, y - 0.5, 0 }, density = 3000 }
		end
	end
	luaunit.assertNotNil(world:settle(20))
	world:spawn { shape = "ball", radius = 0.1, position = { 1.01, 6, 0 }, density = 300 }
	local woke = 0
	for _ = 1, 90 do
		world:step()
		for _ in world:events "wake" do
			woke = woke + 1
		end
	end
	luaunit.assertTrue(woke <= 2, woke .. " woke")
end

-- The last of a row of sleepers is at full speed in the step of the blow: it does not pass a thin wall in that.
function TestStruck.testNoneIsThrownThroughAWall()
	for _, gap in ipairs { 0.1, 0.3, 0.8 } do
		for _, speed in ipairs { 40, 80, 160, 300 } do
			local world, bodies = row("box", 0, true, speed)
			world:spawn {
				shape = "box", size = { 0.02, 4, 10 }, position = { COUNT - 0.5 + gap + 0.01, 2, 0 }, motion = "static",
			}
			for _ = 1, 60 do
				world:step()
				local text = ("%g m before the wall, %g m/s"):format(gap, speed)
				luaunit.assertTrue(bodies[COUNT].position.x < COUNT - 0.5 + gap, text)
			end
		end
	end
end

return { TestStruck = TestStruck }
