-- Replay pages in a browser: what they show is what the world was. Skipped where Chromium or ChromeDriver is missing.

local lu = require "luaunit"
local scree = require "scree"
local browser = require "browser"
local process = require "process"
local record = require "scree.record"
local replay = require "scree.replay"
local scenery = require "scenery"

local WIDTH, HEIGHT = 800, 600
local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."

local TestReplay = {}
local page, folder, shown -- the browser, for all tests of this file; which of the scenes it shows

local function open_browser()
	local missing = browser.missing()
	lu.skipIf(missing ~= nil, "no browser: " .. tostring(missing) .. " is missing")
	if not page then
		page, folder = browser.start(WIDTH, HEIGHT), process.new_folder()
	end
	shown = nil
end

-- A browser that has opened the page of some recordings, or of a file.
local function show(recordings, options, address)
	open_browser()
	local path = options
	if recordings then
		path = folder .. "/page.html"
		process.write(path, assert(replay.page(recordings, options or { title = "a test" })))
	end
	page:open "about:blank"
	page:open("file://" .. path .. (address or ""))
	page:wait "window.replay && window.replay.player.ground.isComplete || !document.getElementById('message').hidden"
	lu.assertEquals(page:run "return window.replay ? '' : document.getElementById('message').textContent", "")
end

local function assert_no_errors()
	for _, line in ipairs(page:console()) do
		lu.assertNotEquals(line.level, "SEVERE", line.message)
	end
end

function TestReplay.tearDown()
	if page then
		assert_no_errors()
	end
end

-- Every shape, a joint, water, a hole that is dug, something that is made and something that goes.
local function run_scene(origin)
	local world = scree.world {}
	local function at(x, y, z)
		return scree.vec3(x, y, z) + origin
	end
	world.terrain:fill_box { position = at(0, -4, 0), size = { 48, 8, 48 }, material = "grass" }
	world.terrain:fill_box { position = at(12, -1, 0), size = { 8, 2, 16 }, material = "air" }
	world.terrain:fill_box { position = at(12, -1, 0), size = { 8, 2, 16 }, material = "water" }
	local things = {
		{ shape = "ball", radius = 0.6 },
		{ shape = "box", size = { 1, 0.8, 1.2 } },
		{ shape = "capsule", radius = 0.3, length = 0.8 },
		{ shape = "cylinder", radius = 0.5, length = 0.9 },
		{ shape = "cone", radius = 0.6, length = 1.2 },
		{ shape = "wedge", size = { 1, 1, 1.4 } },
		{ shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0.8, 0.8, 0.8 } } },
	}
	local bodies = {}
	for i, thing in ipairs(things) do
		thing.position, thing.tag = at(3 * i - 12, 3, 2 * scree.sin(i)), thing.shape
		thing.rotation = scree.euler(i, 0.5 * i, 0)
		bodies[i] = world:spawn(thing)
	end
	bodies[#bodies + 1] = world:spawn {
		position = at(0, 6, 5), tag = "dumb-bell",
		parts = {
			{ shape = "cylinder", radius = 0.1, length = 1.4, material = "wood" },
			{ shape = "ball", radius = 0.4, position = { 0, 0.7, 0 }, material = "metal" },
			{ shape = "ball", radius = 0.4, position = { 0, -0.7, 0 }, material = "metal" },
		},
	}
	local raft = world:spawn { shape = "box", size = { 2, 0.5, 2 }, position = at(12, 1, 0), material = "wood" }
	local mast = world:spawn { shape = "capsule", radius = 0.1, length = 1, position = at(12, 2, 0), material = "wood" }
	world:joint { type = "weld", a = raft, b = mast }
	world:spawn {
		shape = "mesh", position = at(-18, 0.5, -10), indices = { 1, 2, 3, 1, 3, 4 }, material = "brick",
		vertices = { { -3, 0, -3 }, { -3, 0, 3 }, { 3, 2, 3 }, { 3, 2, -3 } },
	}
	local recorder = record.start()
	world:run(1.5)
	world.terrain:fill_ball { center = at(0, 0, 0), radius = 3, material = "air" }
	local late = world:spawn { shape = "ball", radius = 0.5, position = at(0, 4, 0), tag = "late" }
	world:run(1)
	bodies[1]:destroy()
	world:run(1)
	return recorder.finish(), world, late
end

local near -- recordings, world and page of the scene near the origin, which most tests look at

-- Shows the scene near the origin, from its beginning with nothing selected.
local function show_near()
	if not near then
		local list, world = run_scene(scree.vec3(0, 0, 0))
		near = { list = list, world = world }
	end
	if shown ~= near then
		show(near.list)
		shown = near
	end
	page:run "window.replay.player.select(0); window.replay.player.seekFrame(1); window.replay.player.frameAll()"
	return near.list, near.world
end

-- Poses in the page, by a recording's frame, are those of the recording.
local function assert_poses(recording, frames, reach)
	local worst = 0
	local wanted = {}
	for _, frame in ipairs(frames) do
		wanted[frame] = true
	end
	local kept = {}
	for frame, cursor in recording:frames() do
		if wanted[frame] then
			kept[frame] = {}
			for track = 1, #recording.tracks do
				if recording:is_there(track, frame) then
					kept[frame][track] = { cursor:pose(track) }
					kept[frame][track].state = cursor:state(track)
				end
			end
		end
	end
	for _, frame in ipairs(frames) do
		local poses = page:run([[
			const frame = arguments[0];
			const { player, view } = window.replay;
			player.bodies.update(frame, 0);
			return player.bodies.meshes.map((mesh, track) => mesh && mesh.visible ? [
				...mesh.position.toArray().map((value, axis) => value + view.origin[axis]),
				...mesh.quaternion.toArray(), player.bodies.from.states[track],
			] : 0);
		]], frame)
		for track in ipairs(recording.tracks) do
			local pose, got = kept[frame][track], poses[track + 1] -- the page's list begins with what is no track
			lu.assertEquals(type(got) == "table", pose ~= nil, ("track %d, frame %d"):format(track, frame))
			if pose then
				local dot = 0
				for i = 1, 3 do
					worst = math.max(worst, math.abs(pose[i] - got[i]))
				end
				for i = 4, 7 do
					dot = dot + pose[i] * got[i]
				end
				lu.assertTrue(math.abs(dot) > 1 - 1e-7, ("rotation of track %d, frame %d"):format(track, frame))
				lu.assertEquals(got[8], pose.state)
			end
		end
	end
	lu.assertTrue(worst < reach, "worst of positions: " .. worst)
end

-- Forwards, back, and to frames that stand alone.
local FRAMES = { 1, 2, 3, 90, 91, 92, 64, 65, 66, 150, 151, 152, 211, 10, 211, 1 }

function TestReplay.testPosesNearAndFar()
	for _, is_far in ipairs { false, true } do
		local list, world
		if is_far then
			list, world = run_scene(scree.vec3(2e6, 100, -1e6))
			show(list)
		else
			list, world = show_near()
		end
		assert_poses(list[1], FRAMES, 1e-3)
		for body in world:assemblies() do -- and of the world itself, at the end
			local place = page:run([[
				const { player, view } = window.replay;
				player.bodies.update(player.recording.frames, 0);
				const track = 1 + player.recording.tracks.findIndex((track) => track.id === arguments[0]);
				return player.bodies.meshes[track].position.toArray().map((value, axis) => value + view.origin[axis]);
			]], body.id)
			lu.assertTrue((body.position - place):length() < 1e-3)
		end
	end
end

-- What is drawn between two frames lies between them.
function TestReplay.testBetweenFrames()
	show_near()
	local heights = page:run [[
		const { player } = window.replay;
		return [60 / 60, 60.5 / 60, 61 / 60].map((time) => {
			const { frame, alpha } = player.recording.frameAt(time);
			player.bodies.update(frame, alpha);
			return player.bodies.meshes[1].position.y;
		});
	]]
	lu.assertAlmostEquals(heights[2], (heights[1] + heights[3]) / 2, 1e-5)
	lu.assertNotEquals(heights[1], heights[3])
end

-- The place in the window where a track is drawn.
local PLACE = [=[
	const { player, view } = window.replay;
	player.draw();
	const mesh = player.bodies.meshes[arguments[0]];
	const place = mesh.position.clone().project(view.camera);
	return [(place.x + 1) / 2 * view.canvas.clientWidth, (1 - place.y) / 2 * view.canvas.clientHeight];
]=]

function TestReplay.testClickKeysAndPlay()
	local list = show_near()
	page:run "location.hash = '#t=1.0'"
	page:wait "Math.abs(window.replay.player.time - 1) < 1e-9"
	page:run "window.replay.camera.distance = 14; window.replay.camera.pitch = 1"
	local place = page:run(PLACE, 2)
	page:click(place[1], place[2])
	page:wait "!document.getElementById('right').hidden"
	lu.assertEquals(page:run "return document.getElementById('name').textContent", "box")
	local numbers = page:run "return document.getElementById('numbers').textContent"
	lu.assertStrContains(numbers, ("%.3f"):format(list[1].time[61]) and "position, m")
	lu.assertStrContains(numbers, "rock")
	lu.assertStrContains(numbers, ("mass, kg%.4g"):format(list[1].tracks[2].mass))
	-- Steps, by keys and by buttons.
	page:key "\238\128\148" -- right
	page:wait "window.replay.player.frame === 62"
	page:key "\238\128\146" -- left
	page:wait "window.replay.player.frame === 61"
	page:run "document.getElementById('last').click()"
	page:wait "window.replay.player.frame === 211"
	page:run "document.getElementById('back').click()"
	page:wait "window.replay.player.frame === 210"
	-- Followed, it stays in the middle of what the controls leave free; let go, the camera stays where it is.
	local middle = page:run [[
		const { canvas } = window.replay.view;
		return [canvas.clientWidth / 2, (canvas.clientHeight - document.getElementById("bottom").offsetHeight) / 2];
	]]
	page:key "f"
	page:wait "window.replay.player.following"
	local targets = {}
	for i, frame in ipairs { 31, 91, 151 } do
		page:run("window.replay.player.seekFrame(arguments[0])", frame)
		local seen = page:run(PLACE, 2)
		lu.assertAlmostEquals(seen[1], middle[1], 1)
		lu.assertAlmostEquals(seen[2], middle[2], 1)
		targets[i] = page:run "return window.replay.camera.target.toArray()"
	end
	lu.assertTrue(math.abs(targets[1][2] - targets[3][2]) > 0.5, "what is followed did not move")
	page:key "f"
	page:wait "!window.replay.player.following"
	page:run "window.replay.player.seekFrame(31); window.replay.player.draw()"
	lu.assertEquals(page:run "return window.replay.camera.target.toArray()", targets[3])
	page:key "f"
	page:wait "window.replay.player.following"
	page:run "document.getElementById('first').click(); document.getElementById('play').click()"
	page:wait "window.replay.player.time > 0.2"
	page:key " "
	page:wait "!window.replay.player.playing"
	page:key "\238\128\140" -- escape
	page:wait "document.getElementById('right').hidden"
	-- A link to a moment.
	page:run "window.replay.player.seekFrame(31); document.getElementById('link').click()"
	lu.assertEquals(page:run "return location.hash", "#t=0.500")
	page:run "location.hash = '#t=2&a=3'"
	page:wait "window.replay.player.selected === 3 && Math.abs(window.replay.player.time - 2) < 1e-9"
end

-- The time line goes where it is clicked.
function TestReplay.testTimeLine()
	show_near()
	local box = page:run [[
		const box = document.getElementById("timeline").getBoundingClientRect();
		return [box.left, box.top, box.width, box.height];
	]]
	page:click(box[1] + 0.5 * box[3], box[2] + 10)
	page:wait "Math.abs(window.replay.player.time - 1.75) < 0.02"
	local kinds = page:run "return document.getElementById('ticks').textContent"
	for _, kind in ipairs { "hit", "spawn 1", "destroy 1", "edit 1", "water enter", "contact begin" } do
		lu.assertStrContains(kinds, kind)
	end
end

-- The ground is dug when it was, and the page has as many triangles of it as the world had.
function TestReplay.testGroundByTime()
	local _, world = show_near()
	local count = [[
		const { player } = window.replay;
		player.ground.update(arguments[0]);
		return player.ground.solid.children.filter((mesh) => mesh.visible)
			.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count / 3, 0);
	]]
	local before, after = page:run(count, 91), page:run(count, 92)
	lu.assertNotEquals(before, after)
	lu.assertEquals(after, world.terrain:mesh().triangle_count)
	lu.assertEquals(page:run(count, 91), before)
	lu.assertTrue(page:run "return window.replay.player.ground.water.children.length > 0")
end

-- Of ground by chance, blocky or not, the page makes the triangles that a recording has.
function TestReplay.testTrianglesOfGround()
	local random = scenery.generator(5)
	local world = scree.world { cell_size = 0.5 }
	world.materials.tile = { density = 1000, blockiness = 0.6 }
	local region = world.terrain:read({ 0, 0, 0 }, { 20, 20, 20 })
	for x = 0, 20 do
		for y = 0, 20 do
			for z = 0, 20 do
				if random() > 0.2 then
					region:set(x, y, z, random() > 0.3 and "tile" or "rock", 0.6 + 0.4 * random())
				end
			end
		end
	end
	world.terrain:write({ 0, 0, 0 }, region)
	local recorder = record.start()
	world:step()
	local list = recorder.finish()
	show(list)
	local count = 0
	for number = 1, #list[1].blocks do
		local block = list[1].blocks[number]
		local mesh = list[1]:mesh(block, block.versions[1].mesh)
		local got = page:run([[
			const { recording } = window.replay.player;
			const mesh = window.replay.readMesh(recording.meshes[arguments[0] - 1]);
			const corners = (list, words) => [...mesh.indices].map((i) => [0, 1, 2].map((k) => words(list[3 * i + k])).join());
			return [corners(mesh.positions, (value) => 8192 * value).join(" "),
				corners(mesh.normals, (value) => value.toFixed(4)).join(" "), [...mesh.materials].join()];
		]], block.versions[1].mesh)
		local places, normals = {}, {}
		for i = 1, 3 * mesh.triangle_count do
			local at = 3 * mesh.indices[i]
			local p, n = {}, {}
			for axis = 1, 3 do
				p[axis] = ("%.0f"):format(8192 * (mesh.positions[at + axis] - 8 * ({ block.x, block.y, block.z })[axis]))
				n[axis] = ("%.4f"):format(mesh.normals[at + axis])
			end
			places[i], normals[i] = table.concat(p, ","), table.concat(n, ",")
		end
		count = count + #places
		lu.assertTrue(got[1] == table.concat(places, " "), "positions of block " .. number)
		lu.assertEquals(got[3], table.concat(mesh.materials, ","))
		local wrong, i = 0, 0
		for words in got[2]:gmatch "%S+" do
			i = i + 1
			wrong = wrong + (words:gsub("%-0%.0000", "0.0000") == normals[i]:gsub("%-0%.0000", "0.0000") and 0 or 1)
		end
		lu.assertTrue(i == #normals and wrong <= 0.01 * i, ("%d of %d normals of block %d"):format(wrong, i, number))
	end
	lu.assertTrue(count > 3000)
end

-- How many colours the picture has, and what share of it is of the commonest.
local function look(png)
	return page:run([[
		return new Promise((resolve) => {
			const image = new Image();
			image.onload = () => {
				const canvas = document.createElement("canvas");
				canvas.width = image.width;
				canvas.height = image.height;
				const context = canvas.getContext("2d");
				context.drawImage(image, 0, 0);
				const data = context.getImageData(0, 0, image.width, image.height).data;
				const counts = new Map();
				for (let i = 0; i < data.length; i += 4) {
					const color = data[i] << 16 | data[i + 1] << 8 | data[i + 2];
					counts.set(color, (counts.get(color) || 0) + 1);
				}
				resolve([counts.size, Math.max(...counts.values()) / (data.length / 4), image.width, image.height]);
			};
			image.src = "data:image/png;base64," + arguments[0];
		});
	]], png)
end

function TestReplay.testThePictureIsNotEmpty()
	show_near()
	page:run "window.replay.goTo({ t: 1.2, a: 8 })"
	page:run "document.getElementById('show-arrows').click(); window.replay.player.draw()"
	lu.assertTrue(page:run "return window.replay.player.marks.contacts.count > 3")
	lu.assertTrue(page:run "return window.replay.player.marks.outline.visible")
	for _, mode in ipairs { "material", "state", "mechanism", "assembly" } do
		page:run([[
			const select = document.getElementById("colors");
			select.value = arguments[0];
			select.dispatchEvent(new Event("change"));
			window.replay.player.draw();
		]], mode)
		local seen = look(page:screenshot())
		lu.assertTrue(seen[1] > 500 and seen[2] < 0.6, ("%s: %d colours, most %.2f"):format(mode, seen[1], seen[2]))
	end
	-- Pixels of the ground are green: more so than with the ground hidden.
	local green = [[
		const gl = document.createElement("canvas").getContext("2d");
		const source = window.replay.canvas;
		window.replay.player.show.ground = arguments[0];
		window.replay.player.draw();
		gl.canvas.width = source.width;
		gl.canvas.height = source.height;
		gl.drawImage(source, 0, 0);
		const data = gl.getImageData(0, 0, source.width, source.height).data;
		let count = 0;
		for (let i = 0; i < data.length; i += 4)
			count += data[i + 1] > data[i] + 20 && data[i + 1] > data[i + 2] + 20 ? 1 : 0;
		return count / (data.length / 4);
	]]
	lu.assertTrue(page:run(green, true) > 0.1)
	lu.assertTrue(page:run(green, false) < 0.02)
end

function TestReplay.testSeveralWorldsAndAMessage()
	local recorder = record.start { every = 2 }
	for i = 1, 2 do
		local world = scree.world {}
		world:spawn { shape = "ball", radius = i, position = { 0, 5 * i, 0 }, tag = "</script> \"\255" .. i }
		world:run(0.5 * i)
	end
	show(recorder.finish(), { title = "two <worlds>", message = "it failed\n<here>", start = 0.25, select = 1 }, "#w=2")
	lu.assertEquals(page:run "return [window.replay.number, window.replay.player.time, window.replay.player.selected]",
		{ 2, 0.25, 1 })
	lu.assertEquals(page:run "return document.title", "two <worlds>")
	lu.assertEquals(page:run "return document.getElementById('message').textContent", "it failed\n<here>")
	page:wait "document.getElementById('name').textContent !== ''"
	lu.assertEquals(page:run "return document.getElementById('name').textContent", "</script> \"\195\1912")
	page:run [[
		const worlds = document.getElementById("worlds");
		worlds.value = "1";
		worlds.dispatchEvent(new Event("change"));
	]]
	page:wait "window.replay.player.recording.frames === 16"
end

local SCENE = [[
local golden = require "scree.golden"
local world = require("scree").world {}
world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "grass" }
for i = 1, 3 do
	world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 3 * i, 3, 0 }, tag = "box " .. i }
end
golden.record(world, { every = 5 })
world:run(0.5)
for assembly in world:assemblies() do
	if PUSH and assembly.tag == "box 2" then
		assembly.velocity = { 0, 0, 3 }
	end
end
world:run(0.5)
golden.check(world, "boxes")
]]

-- A golden check that fails leaves a page on which what was expected stands beside what was.
function TestReplay.testAFailedCheck()
	open_browser()
	local place = process.new_folder()
	process.write(place .. "/good.lua", "local PUSH = false " .. SCENE)
	process.write(place .. "/bad.lua", "local PUSH = true " .. SCENE)
	lu.assertEquals(process.luajit(place, "good.lua", "CI= SCREE_UPDATE=1"), 0)
	lu.assertEquals(process.luajit(place, "bad.lua", "CI= SCREE_UPDATE="), 1)
	show(nil, place .. "/golden/boxes.html")
	lu.assertStrContains(page:run "return document.getElementById('message').textContent", "golden: boxes is not as in")
	local found = page:run [[
		const { player, view } = window.replay;
		const z = (mesh) => mesh.position.z + view.origin[2];
		player.seek(1);
		player.draw();
		return {
			selected: player.recording.nameOf(player.selected), frames: player.recording.frames,
			ghosts: player.ghosts.group.children.filter((mesh) => mesh.visible).map(z), got: z(player.bodies.meshes[2]),
		};
	]]
	lu.assertEquals(found.selected, "box 2")
	lu.assertEquals(found.frames, 61)
	lu.assertEquals(#found.ghosts, 1)
	lu.assertAlmostEquals(found.ghosts[1], 0, 1e-3)
	lu.assertTrue(found.got > 0.5)
	lu.assertEquals(page:run [[
		const { player } = window.replay;
		player.seek(0.5);
		player.draw();
		return player.ghosts.group.children.filter((mesh) => mesh.visible).length;
	]], 0)
	process.remove_folder(place)
end

-- The page of a check that fails shows the ground and the colours as they were at each moment.
function TestReplay.testAFailedCheckByTime()
	open_browser()
	local place = process.new_folder()
	process.write(place .. "/dig.lua", [[
		local golden = require "scree.golden"
		local world = require("scree").world {}
		world.terrain:fill_box { position = { 0, -4, 0 }, size = { 16, 8, 16 }, material = "grass" }
		local box = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 3, 0 }, material = "wood" }
		world:run(0.5)
		world.terrain:fill_ball { center = { 5, 0, 5 }, radius = 3, material = "air" }
		box.parts[1].material = "ice"
		world:run(0.5)
		world.materials.grass = { color = 0xff0000 }
		world:run(0.5)
		golden.check(world, "dig" .. arg[1])
	]])
	lu.assertEquals(process.luajit(place, "dig.lua 1", "CI= SCREE_UPDATE=1"), 0)
	local trace = process.read(place .. "/golden/dig1.txt")
	process.write(place .. "/golden/dig2.txt", (trace:gsub("(\n[^\n]* )3( 0 )", "%13.25%2", 1)))
	lu.assertEquals(process.luajit(place, "dig.lua 2", "CI= SCREE_UPDATE="), 1)
	show(nil, place .. "/golden/dig2.html")
	local seen = page:run [[
		const { player } = window.replay;
		const { materials } = player.recording;
		return [0.3, 0.7, 1.2].map((time) => {
			player.seek(time);
			player.draw();
			const corners = player.ground.solid.children.filter((mesh) => mesh.visible)
				.reduce((sum, mesh) => sum + mesh.geometry.attributes.position.count, 0);
			const color = player.ground.solid.children[0].geometry.attributes.color;
			return [corners, document.getElementById("legend").textContent.trim().split(/\s/)[0],
				color.getX(0) > 2 * color.getY(0), player.ghosts.group.children.length];
		});
	]]
	lu.assertTrue(seen[1][1] ~= seen[2][1] and seen[2][1] == seen[3][1], "the hole")
	lu.assertEquals({ seen[1][2], seen[2][2], seen[3][2] }, { "wood", "ice", "ice" })
	lu.assertEquals({ seen[1][3], seen[2][3], seen[3][3] }, { false, false, true })
	lu.assertEquals(seen[1][4], 1)
	process.remove_folder(place)
end

local FALLING = [[
local world = require("scree").world {}
world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, %d, 0 } }
world:run(1)
]]

-- The page of scree watch follows the scene, and keeps its moment and camera.
function TestReplay.testTheLivePage()
	open_browser()
	local root = os.getenv "SCREE_SOURCE_ROOT" or here .. "/../.."
	local place = process.new_folder()
	process.write(place .. "/scene.lua", FALLING:format(5))
	local pid = process.start(place, process.quote(root .. "/lua/bin/scree") .. " watch scene.lua --port 0")
	local ok, message = pcall(function()
		local url
		for _ = 1, 200 do
			url = (process.read(place .. "/said") or ""):match "http://[%d%.:]+/"
			if url then
				break
			end
			page:run "return new Promise((resolve) => setTimeout(resolve, 50))"
		end
		page:open(url)
		page:wait "window.replay && window.replay.live.run === 1 && window.replay.player.ground.isComplete"
		page:run "window.replay.player.seek(0.4); window.replay.camera.yaw = 2"
		process.write(place .. "/scene.lua", FALLING:format(9))
		page:wait "window.replay && window.replay.live.run === 2"
		lu.assertAlmostEquals(page:run "return window.replay.player.time", 0.4, 1e-6)
		lu.assertAlmostEquals(page:run "return window.replay.camera.yaw", 2, 1e-6)
		lu.assertAlmostEquals(page:run [[
			const cursor = window.replay.player.bodies.from;
			cursor.seek(1);
			return cursor.position(1, [])[1];
		]], 9, 1e-3)
		process.write(place .. "/scene.lua", "local = 1")
		page:wait "document.getElementById('message').textContent.includes('scene.lua:1:')"
		page:open "about:blank"
	end)
	os.execute("kill " .. pid)
	for _ = 1, 100 do
		if process.read(place .. "/ended") then
			break
		end
		page:run "return new Promise((resolve) => setTimeout(resolve, 50))"
	end
	process.remove_folder(place)
	if not ok then
		error(message, 0)
	end
end

-- Called when all tests are done.
local function finish()
	if page then
		page:stop()
		process.remove_folder(folder)
	end
end

return { TestReplay = TestReplay }, finish
