-- Pictures: what is on them, and that they change nothing.

local ffi = require "ffi"
local lu = require "luaunit"
local scree = require "scree"
local render = require "scree.render"
local camera = require "scree.render.camera"
local process = require "process"
local support = require "support"

local fails = support.fails

-- The mean of a square of pixels around a place on the picture, 0..1 from the upper left.
local function color_at(rgb, width, height, u, v, half)
	local sum, count = { 0, 0, 0 }, 0
	local cx, cy = math.floor(u * width), math.floor(v * height)
	for y = cy - (half or 1), cy + (half or 1) do
		for x = cx - (half or 1), cx + (half or 1) do
			local p = rgb + 3 * (y * width + x)
			for c = 1, 3 do
				sum[c] = sum[c] + p[c - 1]
			end
			count = count + 1
		end
	end
	return sum[1] / count, sum[2] / count, sum[3] / count
end

-- A floor, a red block of ground in its middle, a box beside it; seen along -z.
local function small_scene()
	local world = support.world_with_floor()
	world.materials.paint = { density = 1000, color = 0xE02010 }
	world.terrain:fill_box { position = { 0, 1, 0 }, size = { 2, 2, 2 }, material = "paint" }
	support.box(world, { position = { 5, 0.5, 0 }, material = "ice" })
	return world
end

local VIEW = { from = { 0, 3, 14 }, look = { 0, 1, 0 }, fov = 0.8, size = { 64, 48 }, samples = 4 }

local function with(changes)
	local options = {}
	for _, source in ipairs { VIEW, changes or {} } do
		for key, value in pairs(source) do
			options[key] = value
		end
	end
	return options
end

local TestRender = {}

function TestRender.testColorsAreWhereTheyBelong()
	for _, samples in ipairs { 1, 4, 9, 16 } do
		local rgb, width, height = render.draw(small_scene(), with { samples = samples })
		lu.assertEquals({ width, height }, { 64, 48 })
		local r, g, b = color_at(rgb, width, height, 0.5, 0.03) -- sky
		lu.assertTrue(b > r and b > 150, ("sky %d %d %d"):format(r, g, b))
		r, g, b = color_at(rgb, width, height, 0.5, 0.5) -- the block
		lu.assertTrue(r > 2 * g and r > 2 * b, ("block %d %d %d"):format(r, g, b))
		r, g, b = color_at(rgb, width, height, 0.5, 0.9) -- the floor is grey rock
		lu.assertTrue(math.max(r, g, b) - math.min(r, g, b) < 60, ("floor %d %d %d"):format(r, g, b))
	end
end

function TestRender.testShadowsLieAwayFromTheSun()
	local world = small_scene()
	local left, right = { -1, 0.6, 0 }, { 1, 0.6, 0 }
	for _, sun in ipairs { left, right } do
		local rgb, width, height = render.draw(world, with { sun = sun, size = { 128, 96 } })
		local view = camera.new(scree.vec3(VIEW.from), scree.vec3(VIEW.look), VIEW.fov, width / height)
		local u1, v1 = camera.project(view, -2, 0, 0) -- the floor left of the block, and right of it
		local u2, v2 = camera.project(view, 2, 0, 0)
		local a, b = color_at(rgb, width, height, u1, v1, 0), color_at(rgb, width, height, u2, v2, 0)
		local lit, dark = a, b
		if sun == right then
			lit, dark = b, a
		end
		lu.assertTrue(lit > dark + 25, ("lit %d, dark %d"):format(lit, dark))
	end
end

-- Where less sky is seen it is darker, also out of the sun: in a pit.
function TestRender.testPitsAreDarker()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -5, 0 }, size = { 40, 10, 40 }, material = "snow" }
	world.terrain:fill_box { position = { 0, -3, 0 }, size = { 4, 6, 4 }, material = "air" }
	local rgb, width, height = render.draw(world, with { from = { 0, 16, 0.1 }, look = { 0, 0, 0 }, sun = { 0, -1, 0.1 } })
	local pit, plain = color_at(rgb, width, height, 0.5, 0.5), color_at(rgb, width, height, 0.9, 0.5)
	lu.assertTrue(pit < plain - 30, ("in the pit %d, outside %d"):format(pit, plain))
end

-- Through shallow water one sees the ground, deep water has its own colour, and what is under it is bluer.
function TestRender.testWaterLetsLightThrough()
	local function seen(depth)
		local world = scree.world {}
		world.terrain:fill_box { position = { 0, -6, 0 }, size = { 40, 12, 40 }, material = "snow" }
		if depth > 0 then
			world.terrain:fill_box { position = { 0, -depth / 2, 0 }, size = { 20, depth, 20 }, material = "air" }
			world.terrain:fill_box { position = { 0, -depth / 2, 0 }, size = { 20, depth, 20 }, material = "water" }
		end
		local rgb, width, height = render.draw(world, with { from = { 0, 15, 3 }, look = { 0, 0, 0 }, sun = { 0.2, 1, 0.1 } })
		local r, g, b = color_at(rgb, width, height, 0.5, 0.5, 3)
		return { r = r, g = g, b = b }
	end
	local dry, shallow, deep = seen(0), seen(1), seen(8)
	lu.assertTrue(dry.r > shallow.r + 10 and shallow.r > deep.r + 40, ("%d %d %d"):format(dry.r, shallow.r, deep.r))
	lu.assertTrue(deep.b > deep.r + 40 and deep.b > 50, ("%d %d %d"):format(deep.r, deep.g, deep.b))
	lu.assertTrue(shallow.b - shallow.r > dry.b - dry.r)
end

function TestRender.testFromWithinWater()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -6, 0 }, size = { 60, 12, 60 }, material = "snow" }
	world.terrain:fill_box { position = { 0, -5, 0 }, size = { 40, 10, 40 }, material = "air" }
	local function seen()
		local rgb, width, height = render.draw(world, with { from = { 0, -4, 0 }, look = { 10, -10, 0 } })
		local r, g, b = color_at(rgb, width, height, 0.5, 0.5, 3)
		return { r = r, g = g, b = b }
	end
	local dry = seen()
	lu.assertEquals(camera.depth(world["\0pointer"], scree.vec3(0, -4, 0)), 0)
	world.terrain:fill_box { position = { 0, -5, 0 }, size = { 40, 8, 40 }, material = "water" } -- up to y = -1
	lu.assertAlmostEquals(camera.depth(world["\0pointer"], scree.vec3(0, -4, 0)), 3, 1e-6)
	lu.assertEquals(camera.depth(world["\0pointer"], scree.vec3(0, -0.5, 0)), 0)
	local wet = seen()
	lu.assertTrue(wet.r < 0.3 * dry.r and wet.b > 2 * wet.r, ("%d %d %d"):format(wet.r, wet.g, wet.b))
end

function TestRender.testRopesAreDrawn()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local ball = world:spawn { shape = "ball", radius = 0.3, position = { 0, -3, 0 } }
	world:joint { type = "rope", b = ball, at_a = { 0, 3, 0 }, at_b = { 0, -3, 0 }, length = 6 }
	local function differs(u, v)
		local options = with { from = { 0, 0, 14 }, look = { 0, 0, 0 }, size = { 320, 240 } }
		local a, width, height = render.draw(world, options)
		options.joints = false
		local b = render.draw(world, options)
		local r1, g1, b1 = color_at(a, width, height, u, v)
		local r2, g2, b2 = color_at(b, width, height, u, v)
		return math.abs(r1 - r2) + math.abs(g1 - g2) + math.abs(b1 - b2) > 20
	end
	lu.assertTrue(differs(0.5, 0.4))
	lu.assertFalse(differs(0.3, 0.4))
end

function TestRender.testColorsOfAssemblies()
	local world = support.world_with_floor()
	for x = -2, 2, 2 do
		support.box(world, { position = { x, 0.5, 0 }, tag = x })
	end
	local function three(colors)
		local options = with { colors = colors, from = { 0, 2, 9 }, look = { 0, 0.5, 0 } }
		local rgb, width, height = render.draw(world, options)
		local view = camera.new(scree.vec3(0, 2, 9), scree.vec3(0, 0.5, 0), 0.8, width / height)
		local found = {}
		for i = 1, 3 do
			local u, v = camera.project(view, 2 * i - 4, 0.5, 0.5)
			found[i] = { color_at(rgb, width, height, u, v) }
		end
		return found
	end
	local by_tag = three(function(assembly)
		return ({ [-2] = 0xFF0000, [0] = 0x00FF00, [2] = 0x0000FF })[assembly.tag]
	end)
	for i = 1, 3 do
		for c = 1, 3 do
			lu.assertTrue(c == i or by_tag[i][c] < by_tag[i][i] - 60, ("box %d, channel %d"):format(i, c))
		end
	end
	local distinct = three "assembly"
	for c = 1, 3 do
		lu.assertTrue(math.abs(distinct[1][c] - distinct[2][c]) + math.abs(distinct[2][c] - distinct[3][c]) > 20)
	end
	local shape, awake = three "shape", three "state"
	lu.assertTrue(shape[1][1] > shape[1][3] + 60)
	for each in world:assemblies() do
		each:sleep()
	end
	local asleep = three "state"
	lu.assertTrue(awake[2][1] > awake[2][3] + 40 and asleep[2][3] > asleep[2][1] + 40)
end

function TestRender.testSameBytesAndNothingChanged()
	local function run(draw)
		local world = small_scene()
		support.box(world, { position = { 0.3, 6, 0.2 } })
		world:run(0.5)
		local rgb = draw and render.draw(world, VIEW)
		world:run(1)
		return world:hash(), rgb and ffi.string(rgb, 3 * 64 * 48)
	end
	local hash, first = run(true)
	local same, second = run(true)
	lu.assertEquals(hash, same)
	lu.assertTrue(first == second)
	lu.assertEquals(run(false), hash)
end

-- A picture is drawn in bands of rows, which one must not see: a column of it is as in a picture of that width alone.
function TestRender.testBandsAreNotSeen()
	local world = small_scene()
	local function column(height, rows)
		local options = with { size = { 24, height }, fov = 2 * math.atan(rows * math.tan(0.4)), samples = 1 }
		return render.draw(world, options), height
	end
	local tall, height = column(96, 2) -- three bands
	local short, less = column(48, 1) -- its middle half, in two
	local off = 3 * 24 * (height - less) / 2
	local different = 0
	for i = 3 * 24 * 4, 3 * 24 * (less - 4) - 1 do
		different = different + (math.abs(tall[off + i] - short[i]) > 2 and 1 or 0)
	end
	lu.assertTrue(different < 0.01 * 3 * 24 * less, different)
end

-- It is equal to nil, so it is as if there were none.
function TestRender.testANullPointerIsNoOption()
	local world = small_scene()
	local size = 3 * VIEW.size[1] * VIEW.size[2]
	local without, null = with { samples = 1, fov = 0.7 }, with { samples = 1, fov = ffi.new "char *" }
	lu.assertEquals(ffi.string(render.draw(world, null), size), ffi.string(render.draw(world, without), size))
end

-- ---- the view that is taken without one ---------------------------------------------------------------------------

local TestView = {}

local FOV, ASPECT = 0.7, 16 / 9

-- Asserts that all points are on the picture and in front of the ground.
local function sees(world, points)
	local eye, target = camera.place(world, nil, nil, FOV, ASPECT)
	local view = camera.new(eye, target, FOV, ASPECT)
	for i, p in ipairs(points) do
		local u, v = camera.project(view, p.x, p.y, p.z)
		lu.assertTrue(u ~= nil and u > 0 and u < 1 and v > 0 and v < 1, ("point %d is at %s, %s"):format(i, u, v))
		lu.assertNil(world:raycast(eye, p, { assemblies = false }), "point " .. i)
	end
	return eye, target
end

function TestView.testAllThatMovesIsOnIt()
	for _, spread in ipairs { 0, 3, 100 } do
		local world = scree.world {}
		world.terrain:fill_box { position = { 0, -2, 0 }, size = { 400, 4, 400 }, material = "grass" }
		local points = {}
		for i = 1, 12 do
			local p = scree.vec3(spread * scree.sin(i), 1 + spread * 0.1 * i, spread * scree.cos(3 * i))
			support.box(world, { position = p })
			points[i] = p
		end
		sees(world, points)
	end
end

function TestView.testWallsAreLookedOver()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, 5, 0 }, size = { 12, 14, 12 }, material = "brick" }
	world.terrain:fill_box { position = { 0, 6, 0 }, size = { 8, 12, 8 }, material = "air" }
	sees(world, { support.box(world, { position = { 0, 1, 0 } }).position })
end

function TestView.testWhatFellOffIsLeftOut()
	local world = scree.world {}
	local points = {}
	for i = 1, 60 do
		local box = support.box(world, { position = { i % 8, 0, math.floor(i / 8) } })
		points[i] = box.position
	end
	support.box(world, { position = { 0, -5000, 0 } })
	local eye, target = sees(world, points)
	lu.assertTrue((eye - target):length() < 60)
end

function TestView.testOtherSubjects()
	local world = scree.world {}
	camera.place(world, nil, nil, FOV, ASPECT) -- nothing at all
	world.terrain:fill_box { position = { 200, -2, 0 }, size = { 20, 4, 20 }, material = "grass" }
	local _, target = camera.place(world, nil, nil, FOV, ASPECT)
	support.is_vec3(target, 200, 0, 0, 5)
	world:spawn { shape = "box", size = { 1, 1, 1 }, position = { -50, 0, 0 }, motion = "static" }
	_, target = camera.place(world, nil, nil, FOV, ASPECT)
	support.is_vec3(target, -50, 0, 0, 0.01)
	local eye = camera.place(world, scree.vec3(1, 2, 3), nil, FOV, ASPECT)
	support.is_vec3(eye, 1, 2, 3)
	_, target = camera.place(world, nil, scree.vec3(1, 2, 3), FOV, ASPECT)
	support.is_vec3(target, 1, 2, 3)
	_, target = camera.place(world, scree.vec3(-50, 0, 0), nil, FOV, ASPECT) -- within what is looked at
	lu.assertTrue((target - scree.vec3(-50, 0, 0)):length() > 0)
end

-- However far things are, or large, or small, there is a picture.
function TestView.testExtremes()
	local function draws(options)
		local world = support.world_with_floor()
		for _, assembly in ipairs(options.spawn or {}) do
			world:spawn(assembly)
		end
		render.draw(world, { size = options.size or { 8, 6 }, samples = 1, from = options.from, look = options.look,
			fov = options.fov, sun = options.sun })
	end
	draws { spawn = { { shape = "ball", radius = 0.001 } } }
	draws { spawn = { { shape = "ball", radius = 300, density = 0.01 } } }
	for _, far in ipairs { 1e6, 1e9 } do
		draws { spawn = { { shape = "ball", radius = 1, position = { far, far, -far } } } }
		draws { spawn = { { shape = "ball", radius = 1, position = { far, 0, 0 } }, { shape = "ball", radius = 1 } } }
	end
	draws { from = { 1e8, 0, 0 }, look = { 1e8, 0, 1 } }
	draws { from = { 1e8, 0, 0 } }
	draws { look = { -1e8, 0, 0 } }
	draws { from = { 0, 1e7, 0 }, look = { 0, 0, 0 } }
	draws { from = { 0, -2, 0 } }
	draws { from = { 0, 3, 0 }, look = { 0, 3, 1e-9 } }
	draws { fov = 1e-6 }
	draws { fov = 3.09 }
	draws { sun = { 0, 1e-300, 0 } }
	draws { sun = { 0, -1, 0 } }
	for _, size in ipairs { { 1, 1 }, { 1, 200 }, { 200, 1 } } do
		draws { size = size }
	end
end

-- ---- files and mistakes --------------------------------------------------------------------------------------------

local TestFiles = {}

function TestFiles.testAPngFile()
	local folder = process.new_folder()
	local path = folder .. "/shot.png"
	lu.assertTrue(small_scene():render(path, { size = { 40, 30 }, samples = 1 }))
	local file = process.read(path)
	lu.assertEquals(file:sub(1, 8), "\137PNG\r\n\26\n")
	lu.assertEquals(file:sub(13, 26), "IHDR\0\0\0\40\0\0\0\30\8\2")
	local ok, message = small_scene():render(folder .. "/none/shot.png", { size = { 8, 6 }, samples = 1 })
	lu.assertNil(ok)
	lu.assertStrContains(message, "render: ")
	lu.assertStrContains(message, "none/shot.png")
	local rgb = ffi.new("uint8_t[?]", 12)
	lu.assertTrue(render.write_png(path, 2, 2, rgb))
	fails(function() render.write_png(path, 2, 3, rgb) end, "write_png: rgb")
	fails(function() render.write_png(path, 0, 3, rgb) end, "write_png: width")
	fails(function() render.write_png(path, 2, 2.5, rgb) end, "write_png: height")
	process.remove_folder(folder)
end

function TestFiles.testMistakesAreTold()
	local world = small_scene()
	local hash = world:hash()
	local function wrong(key, value, words)
		fails(function() world:render("x.png", { [key] = value }) end, "render: opts.", words or key)
	end
	for _, size in ipairs { 3, {}, { 1 }, { 1, 2, 3 }, { 0, 5 }, { 5, 1.5 }, { 5, 1e5 }, { "1", 2 } } do
		wrong("size", size)
	end
	for _, key in ipairs { "from", "look", "sun" } do
		for _, value in ipairs { 3, { 1, 2 }, { 1, 2, support.NAN } } do
			wrong(key, value)
		end
		if key ~= "sun" then
			wrong(key, { 0, -1.1e8, 0 })
		end
	end
	wrong("sun", { 0, 0, 0 })
	for _, value in ipairs { 0, -1, 3.2, support.NAN, "1" } do
		wrong("fov", value)
	end
	for _, value in ipairs { 0, 2, 5, 64, "4" } do
		wrong("samples", value)
	end
	wrong("colors", "colour")
	wrong("colors", 3)
	wrong("joints", 1)
	wrong("sise", 1, '"size"')
	fails(function() world:render("x.png", { from = { 1, 2, 3 }, look = { 1, 2, 3 } }) end, "look")
	fails(function() world:render() end, "render: path")
	fails(function() world:render("x.png", 3) end, "render: opts")
	fails(function() world:render("x.png", { colors = function() return "red" end }) end, "opts.colors must return")
	lu.assertEquals(world:hash(), hash)
	lu.assertNil(process.read "x.png")
	world:destroy()
	fails(function() world:render("x.png") end, "destroyed")
end

-- A function of the script runs before anything is drawn, so that it may do what it likes.
function TestFiles.testColorsMayDestroy()
	local world = support.world_with_floor()
	for i = 1, 5 do
		support.box(world, { position = { 2 * i, 0.5, 0 } })
	end
	render.draw(world, { size = { 32, 18 }, colors = function(assembly)
		for other in world:assemblies() do
			if other ~= assembly then
				other:destroy()
			end
		end
		return 0xFF0000
	end })
	lu.assertEquals(world.stats.assemblies, 1)
	fails(function()
		render.draw(world, { size = { 32, 18 }, colors = function() world:destroy() end })
	end, "render: ")
end

return { TestRender = TestRender, TestView = TestView, TestFiles = TestFiles }
