-- Bodies on voxel ground, slabs and slopes: friction, rolling, sliding over seams, fast bodies, deep overlaps.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local G, DT = scenery.G, scenery.DT
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3
local Z = vec3(0, 0, 1)

-- ---- friction ------------------------------------------------------------------------------------------------------

local grounds = {
	slab = function(world, friction)
		scenery.slab(world, { friction = friction, restitution = 0 })
	end,
	terrain = function(world, friction)
		scenery.floor(world, { friction = friction })
	end,
	kinematic = function(world, friction)
		scenery.slab(world, { friction = friction, restitution = 0, motion = "kinematic" })
	end,
}

local function each_ground(fn)
	for _, name in ipairs { "slab", "terrain", "kinematic" } do
		fn(name, grounds[name])
	end
end

-- How far a box slides, and how fast it is at the end.
local function slide(build, ground_friction, friction, speed, seconds)
	local world = scree.world()
	build(world, ground_friction)
	local box = world:spawn {
		shape = "box", size = { 1, 1, 1 }, position = { -12, 0.5, 0.2 }, friction = friction, restitution = 0,
	}
	run(world, 0.5)
	local start = box.position.x
	box.velocity = { speed, 0, 0 }
	run(world, seconds)
	return box.position.x - start, box
end

local TestFriction = {}

function TestFriction.testSlidesToAStop()
	each_ground(function(name, build)
		local way, box = slide(build, 0.5, 0.5, 4, 2)
		near(way, 1.631, 0.01631, name)
		near(box.velocity.x, 0, 1e-3, name .. ": v")
	end)
end

-- A pair takes the geometric mean: sqrt(0.25 x 1) = 0.5, and nothing holds where either is 0.
function TestFriction.testPairsAreSymmetricOnAllGrounds()
	each_ground(function(name, build)
		for _, pair in ipairs { { 0.5, 0.5 }, { 0.25, 1 }, { 1, 0.25 }, { 0.25, 0.25 } } do
			local mu = math.sqrt(pair[1] * pair[2])
			local expected = 25 / (2 * mu * G)
			local what = ("%s, %g on %g"):format(name, pair[2], pair[1])
			near(slide(build, pair[1], pair[2], 5, 4), expected, 0.03 * expected, what)
		end
		for _, pair in ipairs { { 0, 1 }, { 1, 0 } } do
			local way, box = slide(build, pair[1], pair[2], 5, 3)
			local what = ("%s, %g on %g"):format(name, pair[2], pair[1])
			near(way, 15, 1e-3, what)
			near(box.velocity.x, 5, 1e-4, what .. ": v")
		end
	end)
end

-- A slope through the origin that falls towards -x, its surface at angle degrees.
local slopes = {
	slab = function(world, angle, friction)
		local turn = scree.axis_angle(Z, math.rad(angle))
		world:spawn {
			shape = "box", size = { 40, 2, 20 }, position = turn * vec3(0, -1, 0), rotation = turn, motion = "static",
			friction = friction, rolling = 0, restitution = 0,
		}
		return turn
	end,
	terrain = function(world, angle, friction)
		world.materials.slope = { density = 2600, friction = friction, rolling = 0, restitution = 0 }
		local turn = scree.axis_angle(Z, math.rad(angle))
		world.terrain:fill_box { position = turn * vec3(0, -3, 0), size = { 40, 6, 16 }, rotation = turn, material = "slope" }
		return turn
	end,
}

local function on_slope(kind, angle, friction, options, lift)
	local world = scree.world()
	local turn = slopes[kind](world, angle, friction)
	options.position, options.rotation = turn * vec3(8, lift, 0.25), turn
	options.friction, options.restitution, options.rolling = options.friction or friction, 0, 0
	return world, world:spawn(options), turn
end

local SIZES = { { 0.5, 0.3, 0.5 }, { 1, 0.6, 1 }, { 2, 1, 2 } }

function TestFriction.testBoxHoldsBelowTheAngleOfFriction()
	for _, kind in ipairs { "slab", "terrain" } do
		for _, size in ipairs(SIZES) do
			local world, box = on_slope(kind, 26, 0.5, { shape = "box", size = size }, size[2] / 2)
			run(world, 1)
			local place = box.position
			run(world, 5)
			at_most((box.position - place):length(), 1e-3, ("%s: creep of a box of %g m"):format(kind, size[1]))
		end
	end
end

-- Returns the way down the slope, and the speed at the end.
local function slip(kind, angle, friction, size, seconds)
	local world, box, turn = on_slope(kind, angle, friction, { shape = "box", size = size }, size[2] / 2)
	local start = box.position
	run(world, seconds)
	local down = turn * vec3(-1, 0, 0)
	return (box.position - start):dot(down), box.velocity:dot(down)
end

function TestFriction.testBoxSlipsAboveTheAngleOfFriction()
	local angle = math.rad(27.1)
	local expected = 0.5 * G * (math.sin(angle) - 0.5 * math.cos(angle)) * 16 -- 0.102 m/s2 for 4 s
	for _, size in ipairs(SIZES) do
		near(slip("slab", 27.1, 0.5, size, 4), expected, 0.04 * expected, "way")
		-- the angle of cells varies by 0.3 degrees from place to place: at 26.8 it is 0.36 m
		at_least(slip("terrain", 27.1, 0.5, size, 4), 0.3, ("way of a box of %g m on cells"):format(size[1]))
	end
end

-- Steeper, those 0.3 degrees, which are worth 0.006 of friction, count for less.
function TestFriction.testBoxSlipsOnVoxels()
	local angle = math.rad(28)
	for _, size in ipairs(SIZES) do
		local expected = G * (math.sin(angle) - 0.45 * math.cos(angle)) * 3
		local _, speed = slip("terrain", 28, 0.45, size, 3)
		near(speed, expected, 0.08 * expected, ("v of a box of %g m after 3 s"):format(size[1]))
	end
end

local TestRolling = {}

function TestRolling.testBallRollsDownASlope()
	local expected = 5 / 7 * G * math.sin(math.rad(10)) -- 1.21678
	for _, kind in ipairs { "slab", "terrain" } do
		local world, ball, turn = on_slope(kind, 10, 1, { shape = "ball", radius = 0.5 }, 0.5)
		run(world, 1)
		local before = ball.velocity
		run(world, 2)
		local gained = -(turn:inverse() * (ball.velocity - before)).x
		near(gained / 2, expected, 0.01 * expected, kind .. ": acceleration")
		near(ball.angular_velocity.z * 0.5, ball.velocity:length(), 0.02 * ball.velocity:length(), kind .. ": slip")
	end
end

function TestRolling.testBowlingBallEndsRolling()
	each_ground(function(name, build)
		local world = scree.world()
		build(world, 0.2)
		local ball = world:spawn {
			shape = "ball", radius = 0.11, position = { -12, 0.11, 0.3 }, friction = 0.2, restitution = 0, rolling = 0,
		}
		run(world, 0.1)
		ball.velocity = { 7, 0, 0 }
		local rolls_at, before = nil, 7
		run(world, 2, function(t)
			local slide_speed = ball.velocity.x + ball.angular_velocity.z * 0.11
			if not rolls_at and slide_speed < 0.01 * before then -- the last whole step says when it came to nothing
				rolls_at = t - DT + before / (3.5 * 0.2 * G)
			end
			before = slide_speed
			if t < 0.9 then
				near(ball.velocity.x, 7 - 0.2 * G * t, 0.02, name .. ": v while it slips")
			end
		end)
		near(rolls_at or 0, 1.0194, 0.010194, name .. ": time of rolling")
		near(ball.velocity.x, 5, 0.05, name .. ": v")
		near(ball.velocity.z, 0, 1e-3, name .. ": sideways")
	end)
end

function TestRolling.testRollingResistanceStopsABall()
	local world = scree.world()
	scenery.floor(world, { friction = 0.8 })
	local ball = world:spawn {
		shape = "ball", radius = 0.5, position = { -10, 0.5, 0 }, friction = 0.8, rolling = 0.05, velocity = { 3, 0, 0 },
		angular_velocity = { 0, 0, -6 },
	}
	local start = ball.position.x
	luaunit.assertNotNil(world:settle(20), "it never stopped")
	at_least(ball.position.x - start, 2, "way")
end

-- ---- seams ---------------------------------------------------------------------------------------------------------

-- A cube slides, and must go as if the floor were one plane: it crosses faces of cells and borders of chunks (every 16
-- or 32 cells).
local function glide(angle, z, options)
	local world = scree.world()
	world.materials.floor = { density = 2600, friction = 0, restitution = 0, rolling = 0 }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 192, 4, 192 }, material = "floor" }
	local turn = scree.axis_angle({ 0, 1, 0 }, options.turned and angle or 0)
	local body = world:spawn {
		shape = options.shape, size = options.size, radius = options.radius, friction = 0, restitution = 0, rolling = 0,
		position = { options.x or -3, options.height, z }, rotation = turn, can_sleep = false,
	}
	run(world, 1)
	local direction = vec3(scree.cos(angle), 0, -scree.sin(angle))
	body.velocity = options.speed * direction
	local start, what = body.position, options.shape .. (" at %g, angle %g: "):format(z, angle)
	local margin = options.margin
	run(world, options.seconds, function(t)
		local way = body.position - start
		near(way.y, 0, margin, what .. "height at " .. t)
		near(body.velocity.y, 0, 0.01, what .. "vertical speed at " .. t)
		near(way:dot(direction), options.speed * t, margin, what .. "way at " .. t)
		near(way:cross(direction).y, 0, margin, what .. "sideways at " .. t)
		near(body.velocity:length(), options.speed, margin, what .. "speed at " .. t)
	end)
	at_most(body.angular_velocity:length(), 0.01, what .. "spin")
end

local TestSeams = {}

function TestSeams.testCubeGlides()
	local options = { shape = "box", size = { 1, 1, 1 }, height = 0.5, speed = 3, seconds = 2, margin = 1e-3 }
	for _, z in ipairs { 0, 0.25, 0.5, 16, -31.5, 32 } do -- on, beside and between borders, and along them
		glide(0, z, options)
		glide(math.pi / 4, z, options)
	end
	options.turned = true
	glide(math.pi / 4, 0.3, options)
	glide(0.7, 16, options)
end

function TestSeams.testBallGlidesFiftyMetres()
	local options = { shape = "ball", radius = 0.3, x = -30, height = 0.3, speed = 5, seconds = 10, margin = 1e-3 }
	glide(0, 0.1, options)
	glide(0, 32, options)
	glide(0.3, 5.3, options)
end

function TestSeams.testBallRollsFiftyMetres()
	for _, angle in ipairs { 0, 0.3 } do
		local world = scree.world()
		scenery.floor(world, { friction = 1 }, { 192, 4, 192 })
		local direction = vec3(scree.cos(angle), 0, -scree.sin(angle))
		local ball = world:spawn {
			shape = "ball", radius = 0.3, position = { -30, 0.3, 5.3 }, velocity = 5 * direction,
			angular_velocity = (5 / 0.3) * vec3(0, 1, 0):cross(direction), friction = 1, restitution = 0, rolling = 0,
		}
		run(world, 0.1)
		local start = ball.position
		run(world, 10, function(t)
			near(ball.position.y, 0.3, 1e-3, "height at " .. t)
			near(ball.velocity.y, 0, 0.01, "vertical speed at " .. t)
		end)
		local way = ball.position - start
		near(way:cross(direction).y, 0, 2e-3, "sideways")
		near(way:dot(direction), 50, 0.25, "way")
		near(ball.velocity:length(), 5, 0.025, "speed")
	end
end

-- A floor folded by nearly a degree up and down, every other metre: a box may be shaken a little, but goes on.
function TestSeams.testBoxCrossesGentleFolds()
	for _, size in ipairs { { 1, 1, 1 }, { 2.5, 0.5, 2.5 } } do
		local world = scree.world()
		world.materials.floor = { density = 2600, friction = 0, restitution = 0, rolling = 0 }
		local list = {}
		for k = 0, 15 do
			for i = 0, 63 do
				list[1 + i + 64 * k] = math.abs((i + math.floor(k / 5)) % 4 - 2) * 4 / 256
			end
		end
		world.terrain:fill_heightmap {
			heights = list, width = 64, depth = 16, position = { -31.5, 0, -7.5 }, bottom = 4, material = "floor",
		}
		local box = world:spawn {
			shape = "box", size = size, position = { -15, size[2] / 2 + 0.04, 0.2 }, friction = 0, restitution = 0,
			can_sleep = false,
		}
		run(world, 1)
		box.velocity = { 5, 0, 0 }
		run(world, 4)
		at_least(box.velocity.x, 0.97 * 5, ("v of a box of %g m after 20 m"):format(size[1]))
		near(box.position.y, size[2] / 2, 0.06, "height")
	end
end

-- ---- fast bodies ---------------------------------------------------------------------------------------------------

-- Shoots count balls down at a floor one cell thick; the number that are seen below it without having left by its edge.
local function shots_through(options)
	local world = scree.world { cell_size = options.cell, gravity = { 0, 0, 0 } }
	world.materials.plate = { density = 2600, friction = 0.4, restitution = options.restitution, rolling = 0 }
	local half = 100 * options.cell
	world.terrain:fill_box {
		position = { 0, -options.cell / 2, 0 }, size = { 2 * half, options.cell, 2 * half }, material = "plate",
	}
	local random, balls = scenery.generator(options.seed), {}
	for i = 1, options.count do
		local turn = 2 * math.pi * random()
		local level, down = scree.cos(options.angle), -scree.sin(options.angle)
		local velocity = options.speed * vec3(level * scree.cos(turn), down, level * scree.sin(turn))
		-- Aims at a point of the floor's middle, some steps away: at any phase of a step, from above.
		local aim = vec3((random() - 0.5) * half, 0, (random() - 0.5) * half)
		local ball = world:spawn {
			shape = "ball", radius = 0.05, density = 2600, restitution = options.restitution, friction = 0.4, rolling = 0,
			position = aim + vec3(0, 0.06, 0) - (1 + random()) * DT * velocity,
			velocity = velocity, bullet = options.bullet, group = "shot", collides_with = "default",
		}
		balls[i] = { ball = ball, inside = true }
	end
	local through, touched = 0, 0
	for _ = 1, 30 do
		world:step()
		for _, entry in ipairs(balls) do
			local p = entry.inside and entry.ball.position
			if p then
				if p.y < -0.01 and math.abs(p.x) < half - options.cell and math.abs(p.z) < half - options.cell then
					through, entry.inside = through + 1, false
				elseif math.max(math.abs(p.x), math.abs(p.z)) > half - 2 * options.cell then
					entry.inside = false
				elseif p.y < 0.06 + options.cell or #entry.ball:contacts() > 0 then -- or it is far up again already
					touched = touched + (entry.touched and 0 or 1)
					entry.touched = true
				end
			end
		end
	end
	at_least(touched, 0.9 * options.count, "balls that came to the floor")
	return through
end

local TestFast = {}

function TestFast.testNoShotPassesAThinFloor()
	for _, cell in ipairs { 1, 0.1 } do
		for _, speed in ipairs { 50, 200, 600 } do
			for _, degrees in ipairs { 90, 40, 5 } do
				for _, restitution in ipairs { 0, 0.7 } do
					local options = {
						cell = cell, speed = speed, angle = math.rad(degrees), restitution = restitution, count = 60,
						seed = speed + degrees, bullet = degrees == 40,
					}
					-- Where the floor is a few metres wide, flat shots at 600 m/s would start beyond its edge.
					if not (cell == 0.1 and degrees ~= 90) then
						local what = ("through %g m at %d m/s and %d degrees, e %g"):format(cell, speed, degrees, restitution)
						luaunit.assertEquals(shots_through(options), 0, what)
					end
				end
			end
		end
	end
end

-- A wall of one cell, hit at 60 phases of a step.
function TestFast.testNoBallCrossesAWall()
	for _, speed in ipairs { 30, 200 } do
		for _, thickness in ipairs { 0.2, 0.01 } do
			local world = scree.world { gravity = { 0, 0, 0 } }
			world:spawn { shape = "box", size = { thickness, 20, 200 }, motion = "static" }
			local balls = {}
			for i = 0, 59 do
				balls[i] = world:spawn {
					shape = "ball", radius = 0.1, position = { -5 - i / 60 * speed * DT, 0, i - 30 }, velocity = { speed, 0, 0 },
				}
			end
			run(world, 0.5, function()
				for i = 0, 59 do
					at_most(balls[i].position.x, 0, ("%g m at %d m/s, phase %d"):format(thickness, speed, i))
				end
			end)
		end
	end
end

local function hill(x, z)
	return 1.5 * scree.sin(0.31 * x) * scree.sin(0.27 * z) + 0.5 * scree.sin(0.9 * x + 0.4 * z)
end

function TestFast.testSmallCubesStayOnThinHills()
	local seed = 3
	local random, world = scenery.generator(seed), scree.world()
	world.terrain:generate { min = { -40, -40 }, max = { 40, 40 }, height = hill, material = "ground", bottom = 1 }
	local cubes = {}
	for i = 0, 499 do
		local x, z = (i % 25) * 2.6 - 31, math.floor(i / 25) * 3 - 28
		cubes[i] = world:spawn {
			shape = "box", size = { 0.2, 0.2, 0.2 }, position = { x, hill(x, z) + 10, z }, rotation = scenery.turn(random),
		}
	end
	run(world, 4)
	local lost = 0
	for i = 0, 499 do
		local center = cubes[i].center_of_mass
		if center.y < -3 or world.terrain:is_inside(center) then
			lost = lost + 1
		end
	end
	luaunit.assertEquals(lost, 0, "cubes that fell through, seed " .. seed)
end

-- ---- deep overlaps -------------------------------------------------------------------------------------------------

local TestOverlap = {}

function TestOverlap.testHalfSunkBoxComesUpGently()
	local world = scree.world()
	scenery.floor(world)
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0.3, 0, 0.4 } }
	run(world, 4, function(t)
		at_most(box.velocity:length(), 5, "speed")
		at_most(box.position.y, 0.7, "height")
		if t >= 2 then
			near(box.position.y, 0.5, 0.02, "height at " .. t)
		end
	end)
	luaunit.assertEquals(box.state, "asleep")
end

-- It is pushed towards the nearest way out at a bounded speed, and does not stay stuck.
function TestOverlap.testBuriedBodiesAreBroughtOut()
	for _, shape in ipairs { "box", "ball", "capsule" } do
		local world = scree.world()
		scenery.floor(world, {}, { 64, 16, 64 })
		local body = world:spawn {
			shape = shape, position = { 0.3, -3, 0.4 }, size = shape == "box" and { 1, 1, 1 } or nil,
			radius = shape ~= "box" and 0.5 or nil, length = shape == "capsule" and 1 or nil,
		}
		run(world, 10, function()
			at_most(body.velocity:length(), 6, shape .. ": speed")
			at_most(body.position.y, 1.5, shape .. ": height")
		end)
		at_least(body.center_of_mass.y, 0, shape .. ": height at last")
	end
end

-- A hollow that is smaller than what is buried beside it is no way out.
function TestOverlap.testBuriedBesideAHollow()
	for _, options in ipairs {
		{ shape = "ball", radius = 0.4 }, { shape = "capsule", radius = 0.25, length = 1.2 },
		{ shape = "box", size = { 1, 1, 1 } },
	} do
		local world = scree.world()
		world.terrain:fill_box { position = { 0, -6, 0 }, size = { 30, 12, 30 }, material = "grass" }
		for _, cell in ipairs { { 0, -2, 0 }, { 1, -3, -1 }, { 1, -3, 0 } } do -- under a half: not inside
			world.terrain:set(cell[1], cell[2], cell[3], "grass", 0.43)
		end
		local where = { position = { 0.62, -1.64, 0.65 }, rotation = scree.euler(0.5, 0.3, 1) }
		local body = world:spawn(scenery.with(where, options))
		run(world, 10, function()
			at_most(body.velocity:length(), 4, options.shape .. ": speed")
		end)
		at_least(body.center_of_mass.y, 0, options.shape .. ": height at last")
		luaunit.assertEquals(body.state, "asleep", options.shape)
	end
end

-- Boxes in a tunnel are pressed against its end with hundreds or thousands of times their weight; then the end is dug
-- away. What was locked in comes out hardly faster than overlap is undone otherwise.
function TestOverlap.testPressedAndLetGo()
	for _, squeeze in ipairs { 0.1, 0.3, 0.6 } do
		for _, density in ipairs { 200, 1000 } do
			local world, boxes = scree.world(), {}
			world.terrain:fill_box { position = { 0, 0, 0 }, size = { 40, 12, 12 }, material = "rock" }
			world.terrain:fill_box { position = { 0, 3, 0 }, size = { 16, 2, 2 }, material = "air" }
			for i = 1, 8 do
				boxes[i] = world:spawn {
					shape = "box", size = { 1, 1, 0.9 }, position = { 8.5 - i, 2.5, 0 }, friction = 0.2,
					density = i == 1 and density or 1000,
				}
			end
			local press = world:spawn {
				shape = "box", size = { 1, 1, 1.8 }, position = { -0.5, 2.55, 0 }, motion = "kinematic",
			}
			run(world, 1)
			press:move_to({ squeeze - 0.5, 2.55, 0 }, nil, 0.5)
			run(world, 2)
			local force = 0
			for _, contact in ipairs(boxes[1]:contacts()) do
				for _, point in ipairs(contact.terrain and contact.points or {}) do
					force = math.max(force, 60 * point.impulse)
				end
			end
			local case = ("pressed by %g m, density %g"):format(squeeze, density)
			at_least(force / boxes[1].mass, 500, case .. ": locked in")
			world.terrain:fill_box { position = { 14, 3, 0 }, size = { 12, 2, 2 }, material = "air" }
			run(world, 1, function()
				for i = 1, 8 do
					at_most(boxes[i].velocity:length(), 5, case .. ": speed")
				end
			end)
		end
	end
end

-- Holes with bodies in them are filled, not quite where they were, which leaves cracks and hollows.
local function fill_over_bodies(seed)
	local random = scenery.generator(seed)
	local world, holes, bodies = scree.world(), {}, {}
	world.terrain:fill_box { position = { 0, -20, 0 }, size = { 80, 40, 80 }, material = "grass" }
	local kinds = {
		function() return { shape = "ball", radius = 0.3 + 0.3 * random() } end,
		function() return { shape = "capsule", radius = 0.25, length = 0.5 + random() } end,
		function() return { shape = "box", size = { 0.5 + random(), 0.5 + random(), 0.5 + random() } } end,
		function() return { shape = "cylinder", radius = 0.3 + 0.2 * random(), length = 0.5 + random() } end,
	}
	for i = 0, 15 do
		local hole = vec3(i % 4 * 12 - 18 + random(), -1 - random(), math.floor(i / 4) * 12 - 18 + random())
		holes[i + 1] = hole
		world.terrain:fill_ball { center = hole, radius = 1.5 + 1.5 * random(), material = "air" }
		for k = 1, 3 do
			local position = hole + vec3(random() - 0.5, k, random() - 0.5)
			bodies[#bodies + 1] = world:spawn(scenery.with({ position = position }, kinds[(i + k) % 4 + 1]()))
		end
	end
	run(world, 4)
	for _, hole in ipairs(holes) do
		local center = hole + vec3(random() - 0.5, 0, random() - 0.5)
		world.terrain:fill_ball { center = center, radius = 2 + random(), material = "grass", mode = "add" }
	end
	return world, bodies
end

function TestOverlap.testFilledOver()
	local count, restless = 0, 0
	for seed = 1, 4 do
		local world, bodies = fill_over_bodies(seed)
		run(world, 20, function()
			for i, body in ipairs(bodies) do
				at_most(body.velocity:length(), 9, ("seed %d, body %d: speed"):format(seed, i)) -- some fall 3 m then
			end
		end)
		for i, body in ipairs(bodies) do
			local inside = world.terrain:is_inside(body.center_of_mass)
			luaunit.assertFalse(inside, ("seed %d, body %d is in the ground"):format(seed, i))
			count, restless = count + 1, restless + (body.state == "asleep" and 0 or 1)
		end
	end
	at_most(restless / count, 0.03, "share of those that find no rest")
end

function TestOverlap.testCoincidentBodiesPart()
	for _, shape in ipairs { "box", "ball", "capsule", "wedge" } do
		local world = scree.world()
		scenery.floor(world)
		local bodies = {}
		for i = 1, 2 do
			bodies[i] = world:spawn {
				shape = shape, position = { 0, 1, 0 }, size = (shape == "box" or shape == "wedge") and { 1, 1, 1 } or nil,
				radius = (shape == "ball" or shape == "capsule") and 0.5 or nil, length = shape == "capsule" and 1 or nil,
			}
		end
		run(world, 3, function()
			for i = 1, 2 do
				at_most(bodies[i].velocity:length(), 10, shape .. ": speed")
			end
		end)
		at_least((bodies[1].center_of_mass - bodies[2].center_of_mass):length(), 0.4, shape .. ": distance")
	end
end

return {
	TestFriction = TestFriction,
	TestRolling = TestRolling,
	TestSeams = TestSeams,
	TestFast = TestFast,
	TestOverlap = TestOverlap,
}
