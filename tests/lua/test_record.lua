-- Recordings: what they hold is what the world was.

local lu = require "luaunit"
local scree = require "scree"
local record = require "scree.record"
local ground = require "scree.record.ground"
local bytes = require "scree.record.bytes"
local recordings = require "scree.record.recording"
local scenery = require "scenery"

-- What a world was at each of its steps, read by itself.
local function snapshot(world)
	local rows = {}
	for assembly in world:assemblies() do
		rows[#rows + 1] = { id = assembly.id, position = assembly.position, rotation = assembly.rotation,
			state = assembly.state }
	end
	return rows
end

local STATES = { [0] = "awake", "checking", "asleep" }

local function assert_frame(recording, frame, cursor, rows)
	local count = 0
	local track_of = {}
	for number, track in ipairs(recording.tracks) do
		if recording:is_there(number, frame) then
			track_of[track.id] = number
			count = count + 1
		end
	end
	lu.assertEquals(count, #rows, "frame " .. frame)
	for _, row in ipairs(rows) do
		local track = track_of[row.id]
		local x, y, z, qx, qy, qz, qw = cursor:pose(track)
		lu.assertTrue((row.position - { x, y, z }):length() <= recording.quantum)
		local r = row.rotation
		local size = math.sqrt(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w)
		lu.assertTrue(math.abs(r.x * qx + r.y * qy + r.z * qz + r.w * qw) > (1 - 1e-8) * size)
		lu.assertEquals(STATES[cursor:state(track)], row.state)
	end
end

local function floor_world(options)
	local world = scree.world(options or {})
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "grass" }
	return world
end

local TestRecord = {}

function TestRecord.testNumbers()
	local out = bytes.writer()
	local numbers = { 0, 1, -1, 63, 64, -64, -65, 127, 128, 2 ^ 31, -2 ^ 31, 2 ^ 40 + 3, -2 ^ 52 + 1 }
	for _, number in ipairs(numbers) do
		out:signed(number)
	end
	out:text "words"
	out:byte(255)
	local from = bytes.reader(out)
	for _, number in ipairs(numbers) do
		lu.assertEquals(from:signed(), number)
	end
	lu.assertEquals(from:text(), "words")
	lu.assertEquals(from:byte(), 255)
	lu.assertEquals(from.at, out.size)
	for _, number in ipairs { 2 ^ 54, 1e300, 1 / 0, -1 / 0, 0 / 0 } do
		lu.assertErrorMsgContains("no whole number", function() out:signed(number) end)
	end
end

-- As far away and as fine as there can be, thrown from side to side.
function TestRecord.testFarPoses()
	for _, cell_size in ipairs { 0.001, 0.1, 1 } do
		local recorder = record.start {}
		local world = scree.world { cell_size = cell_size, gravity = { 0, 0, 0 } }
		local body, places = world:spawn { shape = "ball", radius = 0.5, velocity = { 3, 0, 0 } }, {}
		for i = 1, 12 do
			body.position = { i % 2 == 0 and 1e9 or -1e9, 5e8 * (i % 3 - 1), -1e9 }
			world:step()
			places[i] = body.position
		end
		local one = recorder.finish()[1]
		local i = 0
		for _, cursor in one:frames() do
			local x, y, z = cursor:pose(1)
			local off = i == 0 and 0 or (scree.vec3(x, y, z) - places[i]):length()
			lu.assertTrue(off <= one.quantum, ("%g m off in frame %d, cells of %g m"):format(off, i, cell_size))
			i = i + 1
		end
		lu.assertEquals(i, 13)
		world:destroy()
	end
end

-- Bodies fall, sleep, are thrown about, made and destroyed: every frame is what the world was.
function TestRecord.testPosesAreTheWorlds()
	for _, origin in ipairs { { 0, 0, 0 }, { 1e7, 0, -3e6 } } do
		local world = scree.world {}
		world.terrain:fill_box { position = origin, size = { 40, 4, 40 }, material = "grass" }
		local bodies = {}
		local function spawn(i)
			bodies[#bodies + 1] = world:spawn { shape = "box", size = { 1, 0.6, 0.8 }, tag = "box " .. i,
				position = scree.vec3(scree.sin(i), 4 + 1.5 * i, scree.cos(i)) + origin, rotation = scree.euler(i, 1, 2 * i) }
		end
		for i = 1, 6 do
			spawn(i)
		end
		local recorder = record.start { arrows = 0 }
		local rows = { snapshot(world) }
		for step = 1, 300 do
			if step == 100 then
				bodies[2]:destroy()
				spawn(7)
			elseif step == 150 then
				bodies[3].position = scree.vec3(5, 9, 5) + origin
				bodies[3].angular_velocity = { 9, 7, -8 }
			end
			world:step()
			rows[step + 1] = snapshot(world)
		end
		local list = recorder.finish()
		lu.assertEquals(#list, 1)
		local recording = list[1]
		lu.assertEquals(recording.frame_count, 301)
		local asleep = 0
		for frame, cursor in recording:frames() do
			assert_frame(recording, frame, cursor, rows[frame])
			lu.assertEquals(recording.step[frame], frame - 1)
			asleep = asleep + (#cursor.moved == 0 and 1 or 0)
		end
		lu.assertEquals(recording.tracks[7].first, 101)
		lu.assertEquals(recording.tracks[2].last, 100)
		lu.assertEquals(recording.tracks[7].tag, "box 7")
	end
end

-- What sleeps takes no bytes.
function TestRecord.testOnlyWhatMovesTakesBytes()
	local world = floor_world()
	for i = 1, 50 do
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 3 * (i % 7) - 9, 0.5, 3 * math.floor(i / 7) - 9 } }
	end
	assert(world:settle(10))
	local ball = world:spawn { shape = "ball", radius = 0.3, position = { 16, 30, 16 } }
	local recorder = record.start()
	world:run(1)
	local recording = recorder.finish()[1]
	for frame, cursor in recording:frames() do
		if frame > 1 then
			lu.assertEquals(cursor.moved, { 51 })
			lu.assertTrue(recording.pose_bytes[frame] <= 20, "bytes of frame " .. frame)
		end
	end
	lu.assertEquals(recording.tracks[51].id, ball.id)
end

function TestRecord.testNothingChanges()
	local function run(options)
		local world = floor_world()
		local recorder = options and record.start(options)
		for i = 1, 12 do
			world:spawn { shape = "ball", radius = 0.5, position = { scree.sin(i), 1 + i, scree.cos(i) } }
		end
		world:run(1)
		world.terrain:fill_ball { center = { 0, 0, 0 }, radius = 3, material = "air" }
		world:run(1)
		if recorder then
			recorder.finish()
		end
		return world:hash()
	end
	local plain = run()
	lu.assertEquals(run {}, plain)
	lu.assertEquals(run { every = 7, arrows = 3, ground = false }, plain)
end

-- Corners of triangles, sorted, as whole numbers of the recording's units.
local function corners_of(mesh, first, unit)
	local list = {}
	for i = 0, mesh.triangle_count - 1 do
		local words = {}
		for k = 0, 2 do
			local at = 3 * mesh.indices[3 * i + k + first] + first
			for axis = 0, 2 do
				words[#words + 1] = ("%.0f"):format(math.floor(mesh.positions[at + axis] / unit + 0.5))
			end
		end
		list[#list + 1] = table.concat(words, " ")
	end
	return list
end

-- All triangles of the ground that a recording has for a frame.
local function ground_at(recording, frame, which)
	local all = {}
	for _, block in ipairs(recording.blocks) do
		local shown = 0
		for _, version in ipairs(block.versions) do
			if version.frame <= frame then
				shown = version[which]
			end
		end
		if shown > 0 then
			local mesh = recording:mesh(block, shown)
			for _, words in ipairs(corners_of(mesh, 1, recording.cell_size / ground.UNITS)) do
				all[#all + 1] = words
			end
		end
	end
	table.sort(all)
	return all
end

local function surface(world)
	local list = corners_of(world.terrain:mesh(), 0, world.cell_size / ground.UNITS)
	table.sort(list)
	return list
end

-- The ground of every frame is the ground as it was, after edits of all sizes.
function TestRecord.testEdits()
	for _, cell_size in ipairs { 1, 0.25 } do
		local world = scree.world { cell_size = cell_size }
		local terrain, c = world.terrain, cell_size
		terrain:fill_box { position = { 0, -2 * c, 0 }, size = { 40 * c, 4 * c, 40 * c }, material = "grass" }
		terrain:fill_ball { position = { 100 * c, 50 * c, -70 * c }, radius = 5 * c, material = "rock" }
		local edits = {
			function() terrain:fill_ball { center = { 0, 0, 0 }, radius = 3.3 * c, material = "air" } end,
			function() terrain:set(16, 0, 16, "sand", 0.7) end,
			function() terrain:fill_ball { center = { 20 * c, 0, 3 * c }, radius = 6 * c, material = "rock" } end,
			function() terrain:smooth { center = { 16 * c, 0, 0 }, radius = 6 * c, strength = 1 } end,
			function() terrain:fill_box { position = { 0, -100 * c, 0 }, size = { 4 * c, 4 * c, 4 * c }, material = "ice" } end,
			function() terrain:replace({ -20, -4, -20 }, { 19, -1, 19 }, "grass", "sand") end,
			function() terrain:clear() end,
			function() terrain:fill_ball { center = { 0, 0, 0 }, radius = 2 * c, material = "salt" } end,
		}
		local recorder = record.start()
		world:step()
		local expected = { surface(world), surface(world) }
		for _, edit in ipairs(edits) do
			edit()
			world:step()
			expected[#expected + 1] = surface(world)
		end
		local recording = recorder.finish()[1]
		local edited = 0
		for frame = 1, recording.frame_count do
			local got = ground_at(recording, frame, "mesh")
			lu.assertEquals(#got, #expected[frame], "frame " .. frame)
			lu.assertTrue(table.concat(got, ",") == table.concat(expected[frame], ","), "frame " .. frame)
			for _, event in ipairs(recording.events[frame]) do
				edited = edited + (event.kind == "edit" and 1 or 0)
			end
		end
		lu.assertEquals(edited, #edits)
	end
end

-- Corners with their normals, once for each, sorted.
local function normals_of(mesh, first, cell, into)
	for i = 0, mesh.triangle_count - 1 do
		for k = 0, 2 do
			local at, words = 3 * mesh.indices[3 * i + k + first] + first, {}
			for axis = 0, 2 do
				words[axis + 1] = ("%.0f"):format(4096 * mesh.positions[at + axis] / cell)
				words[axis + 4] = ("%.3f"):format(mesh.normals[at + axis] + 0)
			end
			into[table.concat(words, " ")] = true
		end
	end
end

local function missing_from(list, other)
	local count, total = 0, 0
	for words in pairs(list) do
		count, total = count + (other[words:gsub("%-0%.000", "0.000")] and 0 or 1), total + 1
	end
	return count, total
end

local function without_minus_zero(list)
	local result = {}
	for words in pairs(list) do
		result[words:gsub("%-0%.000", "0.000") .. ""] = true
	end
	return result
end

-- Cells by chance, with materials that are blocky more or less: the triangles are the terrain's own, and so are their
-- normals, also across blocks.
function TestRecord.testGroundByChance()
	for seed, empty in ipairs { 0.3, 0.5, 0.8, 0.97 } do
		local random = scenery.generator(seed)
		local world = scree.world { cell_size = seed == 2 and 0.5 or 1 }
		world.materials.tile = { density = 1000, blockiness = 1 }
		world.materials.slab = { density = 1000, blockiness = 0.37 }
		local names = { "rock", "tile", "sand", "slab" }
		local region = world.terrain:read({ -9, -20, -3 }, { 20, 4, 30 })
		for x = 0, 29 do
			for y = 0, 24 do
				for z = 0, 33 do
					if random() * 0.5 + 0.5 > empty then
						region:set(x, y, z, names[1 + math.floor(1.999 * (random() + 1))], 0.5 + 0.5 * random())
					end
				end
			end
		end
		world.terrain:write({ -9, -20, -3 }, region)
		local recorder = record.start()
		world:step()
		local recording = recorder.finish()[1]
		local got, expected = ground_at(recording, 1, "mesh"), surface(world)
		lu.assertEquals(#got, #expected, "seed " .. seed)
		lu.assertTrue(table.concat(got, ",") == table.concat(expected, ","), "seed " .. seed)
		local ours, terrains, materials = {}, {}, { {}, {} }
		for _, block in ipairs(recording.blocks) do
			local number = block.versions[1].mesh
			local mesh = number > 0 and recording:mesh(block, number) or { triangle_count = 0 }
			normals_of(mesh, 1, world.cell_size, ours)
			for i = 1, mesh.triangle_count do
				materials[1][mesh.materials[i]] = (materials[1][mesh.materials[i]] or 0) + 1
			end
		end
		local whole = world.terrain:mesh()
		normals_of(whole, 0, world.cell_size, terrains)
		for i = 0, whole.triangle_count - 1 do
			materials[2][whole.materials[i]] = (materials[2][whole.materials[i]] or 0) + 1
		end
		lu.assertEquals(materials[1], materials[2], "seed " .. seed)
		local wrong, total = missing_from(ours, without_minus_zero(terrains))
		lu.assertTrue(wrong <= 0.01 * total, ("seed %d: %d of %d normals"):format(seed, wrong, total))
	end
end

-- A log of the ground, played, is what was read at once.
function TestRecord.testGroundFromALog()
	local world = scree.world { cell_size = 0.5 }
	local terrain = world.terrain
	world.materials.tile = { density = 1000, blockiness = 1, color = 0x123456 }
	terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "grass" }
	local edits = {
		function() terrain:fill_ball { center = { 0, 0, 0 }, radius = 3.3, material = "air" } end,
		function() terrain:fill_box { position = { 0, -1, 0 }, size = { 3, 2, 3 }, material = "tile" } end,
		function() end,
		function() terrain:fill_box { position = { 6, 0, 6 }, size = { 3, 2, 3 }, material = "water" } end,
		function() terrain:fill_box { position = { 0, 0, 60 }, size = { 90, 90, 90 }, material = "rock" } end, -- large
		function() terrain:clear() end,
		function() terrain:fill_ball { center = { 0, 0, 0 }, radius = 2, material = "salt" } end,
	}
	local twins = { recordings.new(world, {}), recordings.new(world, { ground = "log" }) }
	for i = 0, #edits do
		for _, one in ipairs(twins) do
			recordings.before(one, world)
		end
		if i > 0 then
			edits[i]()
		end
		world:step()
		for _, one in ipairs(twins) do
			recordings.after(one, world)
		end
	end
	for _, one in ipairs(twins) do
		recordings.finish(one, world)
	end
	for frame = 1, twins[1].frame_count do
		for _, which in ipairs { "mesh", "water" } do
			local got, expected = ground_at(twins[2], frame, which), ground_at(twins[1], frame, which)
			lu.assertEquals(#got, #expected, which .. ", frame " .. frame)
			lu.assertTrue(table.concat(got, ",") == table.concat(expected, ","), which .. ", frame " .. frame)
		end
		lu.assertEquals(#twins[2].events[frame], #twins[1].events[frame])
	end
	lu.assertTrue(#ground_at(twins[1], 6, "mesh") > 10000)
	lu.assertEquals(#ground_at(twins[1], 8, "mesh"), 0)
end

-- What is painted, becomes heavier or is let go, and materials that get another colour.
function TestRecord.testLooks()
	local world = floor_world()
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 5, 0 }, motion = "static" }
	world:spawn { shape = "ball", radius = 0.5, position = { 4, 5, 0 } }
	local recorder = record.start()
	world:step(1 / 60, 2)
	box.parts[1].material = "ice"
	world.materials.rock = { color = 0x445566 }
	world:step()
	box.motion = "dynamic"
	box.mass = 7
	world.materials.rock = { friction = 0.1 }
	world:step(1 / 60, 2)
	world:spawn { shape = "ball", radius = 0.5, position = { 8, 5, 0 } }.parts[1].material = "metal"
	world:step()
	local one = recorder.finish()[1]
	local function material(shape)
		return one.materials[one.shapes[shape][1].material].name
	end
	local track = one.tracks[1]
	lu.assertEquals({ material(track.shape), track.motion, #track.looks }, { "rock", "static", 2 })
	local painted, freed = track.looks[1], track.looks[2]
	lu.assertEquals({ painted.frame, material(painted.shape), painted.motion }, { 4, "ice", "static" })
	lu.assertEquals({ freed.frame, material(freed.shape), freed.motion, freed.mass }, { 5, "ice", "dynamic", 7 })
	lu.assertEquals({ one.tracks[2].looks, one.tracks[3].looks }, { {}, {} })
	lu.assertEquals(material(one.tracks[3].shape), "metal")
	lu.assertEquals(#one.colors, 1)
	local change = one.colors[1]
	lu.assertEquals({ change.frame, one.materials[change.material].name, change.color }, { 4, "rock", 0x445566 })
end

-- Tops of the water, by height: square metres.
local function water_areas(recording, frame)
	local areas = {}
	for _, block in ipairs(recording.blocks) do
		local shown = 0
		for _, version in ipairs(block.versions) do
			shown = version.frame <= frame and version.water or shown
		end
		local mesh = shown > 0 and recording:mesh(block, shown)
		for i = 0, mesh and mesh.triangle_count - 1 or -1 do
			local p = {}
			for k = 1, 3 do
				local at = 3 * mesh.indices[3 * i + k]
				p[k] = scree.vec3(mesh.positions[at + 1], mesh.positions[at + 2], mesh.positions[at + 3])
			end
			local normal = (p[2] - p[1]):cross(p[3] - p[1])
			if normal.y > 0.9 * normal:length() then
				local height = ("%.2f"):format(p[1].y)
				areas[height] = (areas[height] or 0) + normal:length() / 2
			end
		end
	end
	return areas
end

function TestRecord.testWater()
	local world = scree.world {}
	local terrain = world.terrain
	terrain:fill_box { position = { 0, -3, 0 }, size = { 24, 6, 24 }, material = "brick" }
	terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "air" }
	terrain:fill_box { position = { 0, -2.75, 0 }, size = { 20, 2.5, 20 }, material = "water" }
	local recorder = record.start()
	world:step()
	terrain:fill_box { position = { 0, -1.5, 0 }, size = { 20, 3, 20 }, material = "water", mode = "remove" }
	world:step()
	local recording = recorder.finish()[1]
	-- 20 by 20 m, and half a cell's reach into each wall is a whole cell: what lies in the wall is not seen
	lu.assertAlmostEquals(water_areas(recording, 1)["-1.50"], 400 + 4 * 20, 1)
	lu.assertAlmostEquals(water_areas(recording, 3)["-3.00"], 400 + 4 * 20, 1)
	lu.assertNil(water_areas(recording, 3)["-1.50"])
end

function TestRecord.testShapesJointsArrowsAndEvents()
	local world = floor_world()
	local post = world:spawn { shape = "box", size = { 0.2, 2, 0.2 }, position = { 0, 1, 0 }, motion = "static" }
	local door = world:spawn { shape = "box", size = { 1, 2, 0.1 }, position = { 0.6, 1.5, 0 }, material = "wood" }
	local hinge = world:joint { type = "hinge", a = post, b = door, at = { 0.1, 1.5, 0 }, axis = { 0, 1, 0 } }
	local tetrahedron = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }
	local hull = world:spawn { shape = "hull", points = tetrahedron, position = { 5, 0.1, 5 }, material = "rock" }
	world:spawn { shape = "hull", points = tetrahedron, position = { -5, 0.1, 5 }, material = "rock" }
	world:spawn { shape = "mesh", vertices = { { -1, 0, 8 }, { -1, 0, 9 }, { 1, 1, 9 } }, indices = { 1, 2, 3 } }
	local recorder = record.start()
	world:run(1)
	local mass, place, turn = hull.mass, hull.position, hull.rotation
	hinge:destroy()
	world:run(1)
	local recording = recorder.finish()[1]
	lu.assertEquals(#recording.shapes, 4) -- the two hulls share one
	local hull_parts = recording.shapes[recording.tracks[3].shape]
	lu.assertEquals(hull_parts, recording.shapes[recording.tracks[4].shape])
	lu.assertEquals(hull_parts[1].mesh.vertex_count, 4)
	lu.assertEquals(hull_parts[1].mesh.triangle_count, 4)
	lu.assertEquals(recording.shapes[recording.tracks[5].shape][1].mesh.triangle_count, 1)
	lu.assertEquals(recording.materials[hull_parts[1].material].name, "rock")
	lu.assertAlmostEquals(recording.tracks[3].mass, mass, 1e-9)
	local joint = recording.joints[1]
	lu.assertEquals({ joint.type, joint.a, joint.b, joint.first, joint.last }, { "hinge", 1, 2, 1, 61 })
	lu.assertAlmostEquals(joint.at_b[1], -0.5, 1e-6)
	-- What pushes the hull adds up to its weight.
	for frame, cursor in recording:frames() do
		if frame == 61 then
			local x, y, z = cursor:pose(3)
			lu.assertTrue((place - { x, y, z }):length() < 1e-3)
			lu.assertTrue(turn.w ~= 0)
			local sum, joints = 0, 0
			for _, arrow in ipairs(recording:arrows(frame, cursor)) do
				if arrow.track == 3 then
					sum = sum + arrow.size * arrow.dy
				elseif arrow.joint then
					joints = joints + 1
					lu.assertEquals({ arrow.track, arrow.other }, { 2, 1 })
					lu.assertAlmostEquals(arrow.size * arrow.dy / (door.mass * 9.81 / 60), 1, 0.05)
				end
			end
			lu.assertEquals(joints, 1)
			lu.assertTrue(recording:is_there(3, frame))
			if cursor:state(3) == 0 then
				lu.assertAlmostEquals(sum / (mass * 9.81 / 60), 1, 0.05)
			end
		end
	end
	local kinds = {}
	for frame = 1, recording.frame_count do
		for _, event in ipairs(recording.events[frame]) do
			if event.a == 2 then
				kinds[event.kind] = kinds[event.kind] or { frame, event }
			end
		end
	end
	lu.assertNotNil(kinds.contact_begin)
	lu.assertTrue(kinds.hit[1] > 61) -- the door, when it had fallen
	lu.assertTrue(kinds.hit[2].terrain and kinds.hit[2].speed > 1)
end

-- The strongest pushes are kept where there are too many.
function TestRecord.testArrowsAreBounded()
	local world = floor_world()
	for i = 1, 30 do
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 4, i - 0.5, 4 }, can_sleep = false }
	end
	world:run(0.5)
	local few, all = record.start { arrows = 5 }, record.start { arrows = 1000 }
	world:step()
	local function last_frame(recording)
		for frame, cursor in recording:frames() do
			if frame == recording.frame_count then
				return recording:arrows(frame, cursor)
			end
		end
	end
	local kept, every = last_frame(few.finish()[1]), last_frame(all.finish()[1])
	lu.assertEquals(#kept, 5)
	lu.assertTrue(#every >= 30)
	table.sort(every, function(a, b)
		return a.size > b.size
	end)
	for _, arrow in ipairs(kept) do
		lu.assertTrue(arrow.size >= every[5].size)
		local on_ground = arrow.other == 0
		lu.assertEquals(arrow.other, on_ground and 0 or arrow.track + 1)
		lu.assertTrue(on_ground and arrow.dy > 0.99 or arrow.dy < -0.99)
		lu.assertAlmostEquals(arrow.y, on_ground and 0 or arrow.track, 0.1)
	end
end

-- A snapshot that is restored makes the clock go on and the world's time go back.
function TestRecord.testGoingBack()
	local world = floor_world()
	local ball = world:spawn { shape = "ball", radius = 0.5, position = { 0, 5, 0 } }
	local recorder = record.start()
	world:step(1 / 60, 10)
	local before = world:snapshot()
	local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 5, 5, 0 } }
	world:step(1 / 60, 10)
	assert(world:restore(before))
	local other = world:spawn { shape = "box", size = { 2, 1, 1 }, position = { 5, 5, 0 } }
	world:step(1 / 60, 10)
	local recording = recorder.finish()[1]
	lu.assertEquals(recording.frame_count, 31)
	lu.assertAlmostEquals(recording.clock[31], 0.5, 1e-9)
	lu.assertAlmostEquals(recording.time[31], 20 / 60, 1e-9)
	lu.assertEquals(recording.events[22][1].kind, "restore")
	lu.assertFalse(box.valid)
	lu.assertEquals(#recording.tracks, 3)
	lu.assertEquals({ recording.tracks[2].last, recording.tracks[3].first }, { 21, 22 })
	for frame, cursor in recording:frames() do
		if frame == 31 then
			local _, y = cursor:pose(1)
			lu.assertAlmostEquals(y, ball.position.y, recording.quantum)
			_, y = cursor:pose(3)
			lu.assertAlmostEquals(y, other.position.y, recording.quantum)
		end
	end
end

function TestRecord.testEveryAndSeveralWorlds()
	local one, two = floor_world(), scree.world { gravity = { 0, 0, 0 } }
	one:spawn { shape = "ball", radius = 0.5, position = { 0, 5, 0 } }
	local recorder = record.start { every = 4 }
	one:step(1 / 60, 40)
	two:step(1 / 30, 8)
	two:destroy()
	local list = recorder.finish()
	lu.assertEquals({ #list, list[1].frame_count, list[2].frame_count }, { 2, 11, 3 })
	lu.assertEquals(list[1].step, { 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40 })
	lu.assertAlmostEquals(list[2].clock[3], 8 / 30, 1e-9)
	lu.assertEquals(list[2].materials[2].name, "grass")
	one:step()
	lu.assertEquals(list[1].frame_count, 11) -- it has ended
end

return { TestRecord = TestRecord }
