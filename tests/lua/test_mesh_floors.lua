-- Bodies on floors of triangles, which must feel like floors.

local lu = require "luaunit"
local scree = require "scree"
local support = require "support"
local scenery = require "scenery"

local spawn_mesh, spawn_floor, box_of = scenery.spawn_mesh, scenery.spawn_floor, scenery.box_of
local near, at_most, at_least, run = scenery.near, scenery.at_most, scenery.at_least, scenery.run
local vec3 = scree.vec3

local TestMeshFloors = {}

-- What moves level keeps its height and its speed.
local function glide(world, body, seconds, margin)
	local start, speed = body.position, body.velocity
	local rise, climb = 0, 0
	run(world, seconds, function()
		rise = math.max(rise, math.abs(body.position.y - start.y))
		climb = math.max(climb, math.abs(body.velocity.y))
	end)
	at_most(rise, margin, "height")
	at_most(climb, 0.01, "vertical speed")
	return body.position - start, speed
end

function TestMeshFloors.testSlide()
	for diagonals = 1, 3 do
		for _, way in ipairs { vec3(3, 0, 0), vec3(0, 0, 3), vec3(2.4, 0, 1.8), vec3(-1.8, 0, 2.4) } do
			local world = scree.world {}
			spawn_floor(world, { friction = 0 }, 20, 20, 1, -10, -10, nil, diagonals)
			local cube = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0.1 }, velocity = way }
			local moved = glide(world, cube, 2, 1e-3)
			at_most((moved - way * 2):length(), 1e-3, "way")
			at_most((cube.velocity - way):length(), 1e-3, "velocity")
		end
	end
end

-- A ball over 200 squares of triangles, without and with friction.
function TestMeshFloors.testBall()
	for _, friction in ipairs { 0, 1 } do
		for diagonals = 1, 3 do
			local world = scree.world {}
			spawn_floor(world, { friction = friction }, 220, 8, 0.25, -2, -1, nil, diagonals)
			local ball = world:spawn {
				shape = "ball", radius = 0.3, position = { 0, 0.3, 0.1 }, velocity = { 5, 0, 0 },
				angular_velocity = { 0, 0, -friction * 5 / 0.3 }, friction = friction, rolling = 0,
			}
			local moved = glide(world, ball, 10, 1e-3)
			near(moved.x, 50, 0.25, "way")
			near(moved.z, 0, 2e-3, "drift")
			near(ball.velocity.x, 5, 0.025, "speed")
		end
	end
end

function TestMeshFloors.testCapsule()
	local world = scree.world {}
	spawn_floor(world, { friction = 0.8 }, 60, 30, 0.5, -2, -7, nil, 3)
	local roller = world:spawn {
		shape = "capsule", radius = 0.25, length = 1, rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2),
		position = { 0, 0.25, 0.1 }, velocity = { 4, 0, 0 }, angular_velocity = { 0, 0, -16 }, friction = 0.8, rolling = 0,
	}
	local moved = glide(world, roller, 5, 1e-3)
	near(moved.x, 20, 0.1, "way")
	near(moved.z, 0, 5e-3, "drift")
end

function TestMeshFloors.testCylinder()
	local world = scree.world {}
	spawn_floor(world, { friction = 0.5 }, 60, 20, 0.5, -5, -5, nil, 3)
	local roller = world:spawn {
		shape = "cylinder", radius = 0.4, length = 1, rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2),
		position = { 0, 0.4, 0.1 }, velocity = { 3, 0, 0 }, angular_velocity = { 0, 0, -7.5 }, friction = 0.5, rolling = 0,
	}
	local moved = glide(world, roller, 4, 1e-3)
	near(moved.x, 12, 0.06, "way")
	near(moved.z, 0, 5e-3, "drift")
end

-- A large ball dropped near the rim of a mesh box bounces straight up, however the top is cut.
function TestMeshFloors.testDropNearRim()
	local first
	for _, n in ipairs { 1, 2, 10 } do
		local world = scree.world {}
		local vertices, indices = box_of(vec3(-2.5, -0.5, -2.5), vec3(2.5, 0.5, 2.5), n)
		spawn_mesh(world, vertices, indices, { restitution = 0.5 })
		local ball = world:spawn { shape = "ball", radius = 3, position = { -2, 9, 0 }, restitution = 0.5 }
		local peak = 0
		run(world, 3, function()
			if ball.velocity.y > 0 then
				peak = math.max(peak, ball.position.y)
				at_most(math.abs(ball.velocity.x) + math.abs(ball.velocity.z), 0.01, "sideways")
			end
			return peak > 0 and ball.velocity.y < 0
		end)
		first = first or peak
		near(peak, 3.5 + 5.5 * 0.25, 0.1, "bounce")
		near(peak, first, 0.01, "bounce by cut")
	end
end

-- Folds of 1 degree, up and down in turn: a box loses what it climbs and nothing else.
function TestMeshFloors.testGentleFolds()
	for _, slope in ipairs { 1, -1 } do
		local world = scree.world {}
		local function height(x)
			local steps = math.max(0, math.floor(x / 2 + 1e-9))
			return slope * math.tan(math.rad(1)) * (steps + math.min(1, math.max(0, x - 2 * steps)))
		end
		spawn_floor(world, { friction = 0 }, 40, 8, 1, -5, -4, height, 3)
		local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 0.5, 0 }, velocity = { 5, 0, 0 } }
		run(world, 4)
		at_least(box.position.x, 18, "way")
		local expected = math.sqrt(25 - 2 * scenery.G * (box.position.y - 0.5))
		near(box.velocity:length(), expected, 0.03 * expected, "speed")
	end
end

-- Triangles without area, which leave corners in the middle of edges, change nothing.
function TestMeshFloors.testDegenerateTriangles()
	local shapes = {
		{ shape = "ball", radius = 0.3, height = 0.3 },
		{ shape = "box", size = { 0.5, 0.5, 0.5 }, height = 0.25 },
		{ shape = "capsule", radius = 0.2, length = 0.5, rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2),
			height = 0.2 },
	}
	for _, shape in ipairs(shapes) do
		local ends = {}
		for k = 1, 2 do
			local world = scree.world {}
			local vertices, indices = scenery.squares(60, 8, 0.5, -5, -2, nil, 3)
			local n = #indices
			for i = 1, k == 2 and n or 0, 10 do
				local t = indices[i]
				indices[#indices + 1] = { t[1], t[2], t[2] }
				local s = indices[i + 2]
				local a, b = vertices[s[1]], vertices[s[2]]
				vertices[#vertices + 1] = { (a[1] + b[1]) / 2, 0, (a[3] + b[3]) / 2 }
				local m = #vertices
				indices[i + 2] = { s[1], m, s[3] }
				indices[#indices + 1] = { m, s[2], s[3] }
				indices[#indices + 1] = { s[1], s[2], m }
			end
			local info = spawn_mesh(world, vertices, indices, { friction = 0.3 }).parts[1].mesh
			lu.assertEquals(info.dropped, k == 2 and 2 * n / 10 or 0)
			lu.assertEquals(info.open_edges, 136)
			local body = world:spawn {
				shape = shape.shape, radius = shape.radius, size = shape.size, length = shape.length,
				rotation = shape.rotation, position = { 0, shape.height, 0.1 }, velocity = { 4, 0, 0.3 }, friction = 0.3,
				rolling = 0,
			}
			run(world, 3, function()
				at_most(math.abs(body.velocity.y), 0.01, shape.shape)
				local hit = world:raycast(body.position, body.position - vec3(0, 2, 0), { ignore = body })
				near(hit.position.y, 0, 1e-9, "ray")
			end)
			ends[k] = body.position
		end
		at_most((ends[1] - ends[2]):length(), 1e-3, shape.shape)
	end
end

-- Nothing small and fast gets through, straight or grazing.
function TestMeshFloors.testTunnelling()
	local random = scenery.generator(5)
	for _, speed in ipairs { 50, 200, 600 } do
		for _, angle in ipairs { 90, 5 } do
			local world = scree.world { gravity = { 0, 0, 0 } }
			spawn_floor(world, nil, 40, 40, 1, -20, -20, nil, 3)
			local way = vec3(math.cos(math.rad(angle)), -math.sin(math.rad(angle)), 0)
			local balls = {}
			for i = 1, 60 do
				local at = vec3(random() * 18 - 18, 0.05, random() * 36 - 18)
				balls[i] = world:spawn {
					shape = "ball", radius = 0.05, position = at - way * (0.5 + random() * (1 + speed / 60)),
					velocity = way * speed, collides_with = "floor", group = "balls",
				}
			end
			for _, mesh in pairs { (world:assemblies())() } do
				mesh:destroy()
			end
			spawn_floor(world, { group = "floor" }, 40, 40, 1, -20, -20, nil, 3)
			world:step(1 / 60, 8)
			for _, ball in ipairs(balls) do
				local p = ball.position
				lu.assertTrue(p.y > 0 or math.abs(p.x) > 19.9, ("%g m/s, %g degrees: %s"):format(speed, angle, tostring(p)))
			end
		end
	end
end

function TestMeshFloors.testSmallBoxesOnHills()
	local random = scenery.generator(9)
	local world = scree.world {}
	spawn_floor(world, nil, 60, 60, 1, -30, -30, function(x, z) return 1.5 * math.sin(x / 2) * math.cos(z / 2.5) end, 3)
	local boxes = {}
	for i = 1, 150 do
		boxes[i] = world:spawn {
			shape = "box", size = { 0.2, 0.2, 0.2 }, position = { random() * 40 - 20, 10, random() * 40 - 20 },
			rotation = scenery.turn(random),
		}
	end
	run(world, 4)
	for _, box in ipairs(boxes) do
		local p = box.position
		local ground = 1.5 * math.sin(p.x / 2) * math.cos(p.z / 2.5)
		lu.assertTrue(p.y > ground - 0.15 or math.abs(p.x) > 29 or math.abs(p.z) > 29, tostring(p))
	end
end

-- Up a ramp of 5 degrees and back down.
function TestMeshFloors.testRamp()
	local world = scree.world {}
	local slope = math.rad(5)
	spawn_floor(world, { friction = 1 }, 40, 8, 0.5, -10, -2, function(x) return x * math.tan(slope) end, 3)
	local up, along = vec3(-math.sin(slope), math.cos(slope), 0), vec3(math.cos(slope), math.sin(slope), 0)
	local ball = world:spawn {
		shape = "ball", radius = 0.5, position = up * 0.5, velocity = along, angular_velocity = { 0, 0, -2 },
		friction = 1, rolling = 0,
	}
	local turned
	local back = run(world, 5, function(t)
		lu.assertEquals(ball.state, "awake")
		turned = turned or ball.velocity:dot(along) < 0 and t
		return (ball.position - up * 0.5):dot(along) < 0
	end)
	near(turned, 1.64, 0.1, "turns")
	near(back, 3.27, 0.15, "is back")
	near(ball.velocity:length(), 1, 0.05, "speed")
end

function TestMeshFloors.testBounce()
	for _, height in ipairs { 0.2, 5 } do
		local world = scree.world {}
		spawn_floor(world, { restitution = 1 }, 8, 8, 1, -4, -4, nil, 1)
		local ball = world:spawn { shape = "ball", radius = 0.5, position = { 0.1, height + 0.5, 0.2 }, restitution = 1 }
		local peaks, peak, before = 0, 0, 0
		run(world, 45, function()
			if before > 0 and ball.velocity.y <= 0 then
				peaks, peak = peaks + 1, ball.position.y - 0.5
				at_most(peak, 1.01 * height, "peak")
			end
			before = ball.velocity.y
			return peaks == 20
		end)
		lu.assertEquals(peaks, 20)
		at_least(peak, 0.85 * height, "last peak")
	end
end

-- What starts below the surface, but not wholly, comes out without a jump.
function TestMeshFloors.testDeepOverlap()
	local world = scree.world {}
	spawn_floor(world, nil, 8, 8, 1, -4, -4, nil, 2)
	local ball = world:spawn { shape = "ball", radius = 0.5, position = { 0.1, -0.2, 0.2 } }
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 2, -0.2, 0.2 } }
	run(world, 2, function()
		at_most(math.max(ball.velocity:length(), box.velocity:length()), 5, "speed")
		at_most(math.max(ball.position.y, box.position.y), 0.7, "height")
	end)
	near(ball.position.y, 0.5, 0.02, "ball")
	near(box.position.y, 0.5, 0.02, "box")
end

-- What is in the solid of a closed mesh is brought out the nearest way, at a bounded speed; a mesh that is not closed
-- has no inside.
function TestMeshFloors.testBuriedBodiesAreBroughtOut()
	local rotation = scree.axis_angle({ 0, 1, 0 }, 0.4)
	for _, closed in ipairs { true, false } do
		for _, shape in ipairs { "ball", "box", "capsule" } do
			for _, from in ipairs { vec3(1, 3.2, 0.5), vec3(-4, 1, 0), vec3(0.5, 0, 4.3) } do
				local world = scree.world { gravity = { 0, closed and -1 or -9.81, 0 } }
				local vertices, indices = box_of(vec3(-5, -5, -5), vec3(5, 5, 5), 3)
				if not closed then
					indices[#indices] = nil
				end
				local origin = vec3(100, 20, -50)
				spawn_mesh(world, vertices, indices, { position = origin, rotation = rotation, friction = 0.5 })
				local body = world:spawn {
					shape = shape, position = origin + rotation * from, size = shape == "box" and { 0.6, 0.5, 0.4 } or nil,
					radius = shape ~= "box" and 0.3 or nil, length = shape == "capsule" and 0.5 or nil,
				}
				local what = ("%s from %s"):format(shape, tostring(from))
				local out = run(world, 3, function()
					local p = rotation:inverse() * (body.position - origin)
					if closed then
						at_most(body.velocity:length(), 6, what)
					end
					return math.max(math.abs(p.x), math.abs(p.y), math.abs(p.z)) > 5.1
				end)
				local p = rotation:inverse() * (body.position - origin)
				if closed then
					lu.assertNotNil(out, what)
					local up, left = from.y > 2, from.x < -2
					at_least(up and p.y or left and -p.x or p.z, 5, what)
				else
					at_most(p.y, from.y - 4, what .. " falls")
				end
			end
		end
	end
end

-- 10,000 km away as at the origin.
function TestMeshFloors.testFarAway()
	local ends = {}
	for k, far in ipairs { 0, 1e7 } do
		local world = scree.world {}
		local origin = vec3(far, 0, -far)
		spawn_floor(world, { position = origin }, 40, 40, 1, -20, -20, function(x, z) return math.sin(x) + z / 9 end, 3)
		local ball = world:spawn { shape = "ball", radius = 0.4, position = origin + vec3(1, 3, 2) }
		run(world, 2)
		ends[k] = ball.position - origin
	end
	at_most((ends[1] - ends[2]):length(), 1e-3, "far away")
end

-- Where the mesh has its middle makes no difference: bit for bit the same, with a triangle ten kilometres off.
function TestMeshFloors.testFarMiddle()
	local ends
	for _, far in ipairs { 1, 1000, 10000 } do
		local world = scree.world {}
		local vertices, indices = scenery.squares(8, 8, 1, -4, -4, nil, 3)
		local n = #vertices
		for _, v in ipairs { { far, -5, far }, { far, -5, far + 1 }, { far + 1, -5, far } } do
			vertices[#vertices + 1] = v
		end
		indices[#indices + 1] = { n + 1, n + 2, n + 3 }
		spawn_mesh(world, vertices, indices, { friction = 0.5 })
		local bodies = {}
		for i = 0, 3 do
			bodies[i] = world:spawn {
				shape = "box", size = { 1, 0.6, 0.8 }, position = { 1.6 * i - 2.4, 0.9, 0.3 * i }, can_sleep = false,
				rotation = scree.euler(0.1 * i, 0.2, 0.05 * i), velocity = { 0, 0, 0.3 },
			}
		end
		run(world, 2)
		local list = {}
		for i = 0, 3 do
			list[#list + 1], list[#list + 2] = bodies[i].position, bodies[i].velocity
		end
		ends = ends or list
		lu.assertEquals(list, ends, far)
	end
end

-- Sleep, contacts and events; a destroyed mesh lets go of what stood on it.
function TestMeshFloors.testRestsOnIt()
	local world = scree.world {}
	local mesh = spawn_floor(world, { material = "ice" }, 8, 8, 1, -4, -4, nil, 3)
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0.2, 0.6, 0.1 } }
	local begun = 0
	run(world, 3, function()
		for event in world:events "contact_begin" do
			begun = begun + 1
			lu.assertEquals({ event.a, event.b, event.terrain }, { mesh, box, false })
		end
	end)
	lu.assertEquals({ begun, box.state }, { 1, "asleep" })
	local contacts = box:contacts()
	lu.assertEquals({ #contacts, contacts[1].other, #contacts[1].points }, { 1, mesh, 4 })
	lu.assertEquals(#mesh:contacts(), 1)
	support.is_vec3(contacts[1].normal, 0, 1, 0, 1e-6)
	mesh:destroy()
	world:step()
	lu.assertEquals({ box.state, support.count(world:events "contact_end") }, { "awake", 1 })
	run(world, 0.5)
	at_most(box.position.y, -0.5, "falls")
end

-- Two threads and another order of making the mesh and the bodies.
function TestMeshFloors.testThreads()
	local hashes = {}
	for threads = 1, 2 do
		local random = scenery.generator(3)
		local world = scree.world { threads = threads }
		spawn_floor(world, nil, 30, 30, 1, -15, -15, function(x, z) return math.sin(x / 3) * math.cos(z / 2) end, 3)
		for i = 1, 80 do
			local shape = ({ "ball", "box", "capsule" })[i % 3 + 1]
			world:spawn {
				shape = shape, position = { random() * 16 - 8, 2 + i / 8, random() * 16 - 8 },
				radius = shape ~= "box" and 0.3 or nil, length = shape == "capsule" and 0.4 or nil,
				size = shape == "box" and { 0.5, 0.4, 0.7 } or nil,
			}
		end
		run(world, 2)
		hashes[threads] = world:hash()
	end
	lu.assertEquals(hashes[1], hashes[2])
end

-- A snapshot has the mesh in it, and what lies on it goes on to the same bits, also once the mesh was destroyed.
function TestMeshFloors.testSnapshot()
	local world = scree.world {}
	local mesh = spawn_floor(world, nil, 40, 40, 0.5, -10, -10, function(x, z) return math.sin(x / 2) + z / 8 end, 3)
	for i = 1, 20 do
		world:spawn { shape = i % 2 == 0 and "ball" or "box", radius = i % 2 == 0 and 0.3 or nil,
			size = i % 2 == 1 and { 0.5, 0.4, 0.6 } or nil, position = { i % 5 - 2, 2 + i / 4, i % 3 } }
	end
	run(world, 1)
	local snapshot = world:snapshot()
	run(world, 1)
	local hash = world:hash()
	for k = 1, 2 do
		if k == 2 then
			mesh:destroy()
		end
		assert(world:restore(snapshot))
		run(world, 1)
		lu.assertEquals(world:hash(), hash)
		mesh = world:assemblies()()
		lu.assertEquals(mesh.parts[1].mesh.triangles, 3200)
	end
	local path = os.tmpname()
	assert(world:save(path))
	local copy = assert(scree.load(path))
	os.remove(path)
	run(world, 0.5)
	run(copy, 0.5)
	lu.assertEquals(copy:hash(), world:hash())
end

-- A body made before the mesh stands on the same side of their contact.
function TestMeshFloors.testMeshMadeLater()
	local ends = {}
	for k = 1, 2 do
		local world = scree.world {}
		local function body()
			return world:spawn {
				shape = "box", size = { 1, 0.5, 1 }, position = { 0, 1, 0 }, rotation = scree.euler(0.2, 0, 0.1),
			}
		end
		local box = k == 1 and body()
		spawn_floor(world, nil, 8, 8, 1, -4, -4, nil, 3)
		box = box or body()
		run(world, 2)
		ends[k] = box.position
	end
	lu.assertEquals(ends[1], ends[2])
end

-- A real floor in one plane: 11,978 triangles.
function TestMeshFloors.testStadium()
	local world = scree.world {}
	local path = support.corpus "mesh/stadium.obj"
	local stadium = assert(world:spawn { shape = "mesh", path = path, friction = 1, rolling = 0 })
	local lo, hi = stadium:bounds()
	world.gravity = { 0, 0, -9.81 }
	local info, middle = stadium.parts[1].mesh, (lo + hi) / 2
	at_least(info.triangles, 11000, "triangles")
	local up = world:raycast(middle + { 0, 0, 5 }, middle - { 0, 0, 5 }) and 1 or -1
	world.gravity = { 0, 0, -9.81 * up }
	local reach = math.min(hi.x - lo.x, 10)
	local ball = world:spawn {
		shape = "ball", radius = 0.02 * reach, position = middle + { 0, 0, up * 0.02 * reach },
		velocity = { 0.1 * reach, 0, 0 }, friction = 0, rolling = 0,
	}
	run(world, 2, function()
		at_most(math.abs(ball.velocity.z), 0.01, "vertical speed")
	end)
	near(ball.position.y, middle.y, 2e-3, "drift")
	near(ball.velocity.x, 0.1 * reach, 0.0005 * reach, "speed")
end


return { TestMeshFloors = TestMeshFloors }
