-- Recordings as glTF: what a reader of the file sees at any time is what the world was.

local ffi = require "ffi"
local lu = require "luaunit"
local scree = require "scree"
local gltf = require "scree.gltf"
local record = require "scree.record"
local process = require "process"
local support = require "support"

-- ---- a reader ------------------------------------------------------------------------------------------------------

-- JSON as Lua values; enough of it for what is read here.
local function decode_json(source)
	local at = 1
	local value

	local function skip()
		at = source:find("[^ \n\r\t]", at) or #source + 1
		return source:sub(at, at)
	end

	local function text()
		local finish = source:find('[^\\]"', at)
		local word = source:sub(at + 1, finish)
		at = finish + 2
		return (word:gsub("\\(.)", "%1"))
	end

	local function list(close, entry)
		local result = {}
		at = at + 1
		while skip() ~= close do
			entry(result)
			if skip() == "," then
				at = at + 1
			end
		end
		at = at + 1
		return result
	end

	function value()
		local c = skip()
		if c == "{" then
			return list("}", function(result)
				local key = text()
				lu.assertEquals(skip(), ":")
				at = at + 1
				result[key] = value()
			end)
		elseif c == "[" then
			return list("]", function(result)
				result[#result + 1] = value()
			end)
		elseif c == '"' then
			return text()
		end
		local word = source:match("^[^%s,%]}]+", at)
		at = at + #word
		if word == "true" or word == "false" then
			return word == "true"
		end
		return assert(tonumber(word), word)
	end

	return value()
end

local function u32(bytes, at)
	local a, b, c, d = bytes:byte(at, at + 3)
	return a + 256 * (b + 256 * (c + 256 * d))
end

local WIDTH = { SCALAR = 1, VEC3 = 3, VEC4 = 4 }

-- A .glb file: its JSON, and the numbers of its accessors as lists.
local function read_glb(path)
	local bytes = process.read(path)
	lu.assertEquals({ bytes:sub(1, 4), u32(bytes, 5), u32(bytes, 9) }, { "glTF", 2, #bytes })
	local json_size = u32(bytes, 13)
	lu.assertEquals({ bytes:sub(17, 20), json_size % 4 }, { "JSON", 0 })
	local document = decode_json(bytes:sub(21, 20 + json_size))
	local binary = ""
	if 20 + json_size < #bytes then
		lu.assertEquals(bytes:sub(25 + json_size, 28 + json_size), "BIN\0")
		binary = bytes:sub(29 + json_size)
		lu.assertEquals({ u32(bytes, 21 + json_size), document.buffers[1].byteLength }, { #binary, #binary })
	end
	document.numbers = {}
	for i, accessor in ipairs(document.accessors or {}) do
		local view = document.bufferViews[accessor.bufferView + 1]
		local count = accessor.count * WIDTH[accessor.type]
		lu.assertTrue(accessor.byteOffset + 4 * count <= view.byteLength)
		lu.assertTrue(view.byteOffset + view.byteLength <= #binary)
		local from = view.byteOffset + accessor.byteOffset
		local data = ffi.new(accessor.componentType == 5126 and "float[?]" or "uint32_t[?]", count)
		ffi.copy(data, binary:sub(from + 1, from + 4 * count), 4 * count)
		document.numbers[i - 1] = data
		for k = 1, accessor.min and WIDTH[accessor.type] or 0 do
			local least, most = math.huge, -math.huge
			for n = k - 1, count - 1, WIDTH[accessor.type] do
				least, most = math.min(least, data[n]), math.max(most, data[n])
			end
			lu.assertEquals({ accessor.min[k], accessor.max[k] }, { least, most })
		end
	end
	return document
end

-- The value that a channel has at a time, as numbers.
local function sample(document, sampler, time, width)
	local times, values = document.numbers[sampler.input], document.numbers[sampler.output]
	local count = document.accessors[sampler.input + 1].count
	lu.assertEquals(document.accessors[sampler.output + 1].count, count)
	local k = 0
	while k + 1 < count and times[k + 1] <= time do
		k = k + 1
	end
	local share = 0
	if sampler.interpolation == "LINEAR" and k + 1 < count and time > times[k] then
		share = (time - times[k]) / (times[k + 1] - times[k])
	end
	local result = {}
	for i = 0, width - 1 do
		local a = values[width * k + i]
		result[i + 1] = share > 0 and a + share * (values[width * (k + 1) + i] - a) or a
	end
	return result
end

-- Every node's name, mesh, translation, rotation and scale at a time.
local function nodes_at(document, time, animation)
	local nodes = {}
	for i, node in ipairs(document.nodes) do
		nodes[i] = {
			name = node.name, mesh = node.mesh, translation = node.translation or { 0, 0, 0 },
			rotation = node.rotation or { 0, 0, 0, 1 }, scale = node.scale or { 1, 1, 1 },
		}
	end
	for _, channel in ipairs(animation and animation.channels or {}) do
		local node, what = nodes[channel.target.node + 1], channel.target.path
		node[what] = sample(document, animation.samplers[channel.sampler + 1], time, what == "rotation" and 4 or 3)
	end
	return nodes
end

local function area_of(document, mesh)
	local area = 0
	for _, primitive in ipairs(document.meshes[mesh + 1].primitives) do
		local places, indices = document.numbers[primitive.attributes.POSITION], document.numbers[primitive.indices]
		local function vertex(i)
			local at = 3 * indices[i]
			return scree.vec3(places[at], places[at + 1], places[at + 2])
		end
		for i = 0, document.accessors[primitive.indices + 1].count - 1, 3 do
			local a = vertex(i)
			area = area + (vertex(i + 1) - a):cross(vertex(i + 2) - a):length() / 2
		end
	end
	return area
end

-- ---- what is written -----------------------------------------------------------------------------------------------

-- Of a surface that is smooth, the angle between a triangle and the normals of its corners is small; each is a unit.
local function check_normals(document, mesh)
	local checked = 0
	for _, primitive in ipairs(document.meshes[mesh + 1].primitives) do
		local places, indices = document.numbers[primitive.attributes.POSITION], document.numbers[primitive.indices]
		local normals = document.numbers[primitive.attributes.NORMAL]
		local function vector(numbers, i)
			local at = 3 * indices[i]
			return scree.vec3(numbers[at], numbers[at + 1], numbers[at + 2])
		end
		for i = 0, normals and document.accessors[primitive.indices + 1].count - 1 or -1, 3 do
			local a = vector(places, i)
			local n = (vector(places, i + 1) - a):cross(vector(places, i + 2) - a)
			for k = i, i + 2 do
				local own = vector(normals, k)
				lu.assertAlmostEquals(own:length(), 1, 1e-6)
				lu.assertTrue(own:dot(n) > -0.01 * n:length())
				checked = checked + 1
			end
		end
	end
	return checked
end

local folder, path

local function set_up()
	folder = process.new_folder()
	path = folder .. "/run.glb"
end

local function tear_down()
	process.remove_folder(folder)
end

local TestGltf = { setUp = set_up, tearDown = tear_down }

local function area_of_ground(mesh)
	local area = 0
	for t = 0, mesh.triangle_count - 1 do
		local function vertex(k)
			local at = 3 * mesh.indices[3 * t + k]
			return scree.vec3(mesh.positions[at], mesh.positions[at + 1], mesh.positions[at + 2])
		end
		area = area + (vertex(1) - vertex(0)):cross(vertex(2) - vertex(0)):length() / 2
	end
	return area
end

-- Records what fn(world, keep) does; keep() is called after each step. The document, and what was kept.
local function recorded(fn, options)
	local recorder = record.start()
	local kept, version, area = {}, nil, nil
	local world = support.world_with_floor(options)
	local function keep()
		local poses = {}
		for assembly in world:assemblies() do
			poses[assembly.tag] = { position = assembly.position, rotation = assembly.rotation }
		end
		if version ~= world.terrain.version then
			version, area = world.terrain.version, area_of_ground(world.terrain:mesh())
		end
		kept[#kept + 1] = { time = world.time, poses = poses, area = area }
	end
	local ok, message = pcall(fn, world, keep)
	local recordings = recorder.finish()
	assert(ok, message)
	local info = assert(gltf.write(recordings, path))
	lu.assertEquals(info.bytes, #process.read(path))
	local document = read_glb(path)
	lu.assertEquals(#document.nodes, info.nodes)
	return document, kept
end

local function is_shown(node)
	local s = node.scale
	lu.assertTrue(s[1] == s[2] and s[2] == s[3] and (s[1] == 0 or s[1] == 1))
	return s[1] == 1
end

-- Compares the file at the time of each step with what was kept then.
local function compare(document, kept, shift)
	local most, areas = 0, {}
	for _, row in ipairs(kept) do
		local shown, area = {}, 0
		for _, node in ipairs(nodes_at(document, row.time + 1e-6, document.animations[1])) do -- times are floats there
			if is_shown(node) then
				shown[node.name] = node
				if node.name:find "^ground" then
					areas[node.mesh] = areas[node.mesh] or area_of(document, node.mesh)
					area = area + areas[node.mesh]
				end
			end
		end
		for tag, pose in pairs(row.poses) do
			local node = assert(shown[tag], tag .. " is not shown at " .. row.time)
			shown[tag] = nil
			local t, q, r = node.translation, node.rotation, pose.rotation
			local off = (scree.vec3(t[1], t[2], t[3]) + (shift or { 0, 0, 0 }) - pose.position):length()
			lu.assertTrue(off < 1e-4, ("%s is off by %g m at %g s"):format(tag, off, row.time))
			most = math.max(most, off)
			local length = math.sqrt(q[1] ^ 2 + q[2] ^ 2 + q[3] ^ 2 + q[4] ^ 2)
			local same = math.abs(q[1] * r.x + q[2] * r.y + q[3] * r.z + q[4] * r.w) / length
			lu.assertTrue(same > 1 - 1e-7, ("%s is turned by %g at %g s"):format(tag, 1 - same, row.time))
		end
		for name, node in pairs(shown) do
			lu.assertTrue(node.mesh == nil or name:find "^ground" ~= nil, name .. " is shown at " .. row.time)
		end
		lu.assertAlmostEquals(area / row.area, 1, 1e-4, "the ground at " .. row.time)
	end
	return most
end

function TestGltf.testPosesAreThoseOfTheWorld()
	local document, kept = recorded(function(world, keep)
		support.box(world, { position = { 0, 3, 0 }, rotation = scree.euler(0.5, 0.2, 0.1), tag = "box" })
		world:spawn { shape = "ball", radius = 0.5, position = { 4, 0.5, 0 }, velocity = { 0, 0, 3 }, tag = "ball" }
		world:spawn { shape = "box", size = { 2, 2, 2 }, motion = "static", position = { -8, 0, 0 }, tag = "post" }
		local lift = world:spawn { shape = "box", size = { 2, 0.5, 2 }, motion = "kinematic", position = { 8, 1, 0 },
			tag = "lift" }
		for step = 1, 120 do
			if step == 60 then
				lift.velocity = { 0, 1, 0 }
				lift.angular_velocity = { 0, 2, 0 }
			end
			world:step()
			keep()
		end
	end)
	lu.assertTrue(compare(document, kept) > 0)
	for _, node in ipairs(document.nodes) do
		if node.mesh then
			lu.assertTrue(check_normals(document, node.mesh) > 0, node.name)
		end
	end
	local moved = {}
	for _, channel in ipairs(document.animations[1].channels) do
		local node = document.nodes[channel.target.node + 1]
		moved[node.name .. " " .. channel.target.path] = document.animations[1].samplers[channel.sampler + 1]
	end
	lu.assertNotNil(moved["box translation"])
	lu.assertNotNil(moved["box rotation"])
	lu.assertNil(moved["post translation"])
	-- where it stood for a second there are two keys, not sixty
	lu.assertEquals(document.accessors[moved["lift translation"].input + 1].count, 63)
end

function TestGltf.testComingAndGoing()
	local document, kept = recorded(function(world, keep)
		local first = support.box(world, { tag = "first" })
		support.box(world, { position = { 4, 5, 0 }, tag = "stays" })
		for step = 1, 40 do
			if step == 10 then
				support.box(world, { position = { 8, 5, 0 }, tag = "late" })
			elseif step == 20 then
				first:destroy()
				world.terrain:fill_ball { center = { 0, 0, 0 }, radius = 3, material = "air" }
			elseif step == 30 then
				world.terrain:fill_ball { center = { 0, 2, 0 }, radius = 3, material = "sand" }
			end
			world:step()
			keep()
		end
	end)
	compare(document, kept)
	-- without the animation one sees the first frame
	for _, node in ipairs(document.nodes) do
		local is_later = node.name == "late" or node.name:find "^ground .*" and node.scale
		lu.assertEquals(node.scale, is_later and { 0, 0, 0 } or nil, node.name)
	end
	document.animations = nil
	local area = 0
	for _, node in ipairs(nodes_at(document, 0)) do
		if node.name:find "^ground" and is_shown(node) then
			area = area + area_of(document, node.mesh)
		end
	end
	lu.assertAlmostEquals(area / kept[1].area, 1, 1e-4)
end

function TestGltf.testFarFromTheOrigin()
	local far = scree.vec3(100000, 0, -50000)
	local document, kept = recorded(function(world, keep)
		world.terrain:clear()
		world.terrain:fill_box { position = far - { 0, 2, 0 }, size = { 20, 4, 20 }, material = "grass" }
		support.box(world, { position = far + { 0, 3, 0 }, tag = "box" })
		for _ = 1, 30 do
			world:step()
			keep()
		end
	end)
	local root = document.nodes[document.scenes[1].nodes[1] + 1]
	lu.assertEquals(root.translation, { 100000, 0, -50000 })
	compare(document, kept, root.translation)
end

local ALL = {
	{ shape = "ball", radius = 0.7 }, { shape = "box", size = { 1, 2, 3 } },
	{ shape = "capsule", radius = 0.4, length = 1.3 }, { shape = "cylinder", radius = 0.6, length = 1.5 },
	{ shape = "cone", radius = 0.8, length = 1.1 }, { shape = "wedge", size = { 2, 1, 3 } },
	{ shape = "hull", points = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
}

-- Each shape's vertices lie on it, and materials are the world's.
function TestGltf.testShapesAndMaterials()
	local document = recorded(function(world)
		world.materials.paint = { density = 1000, color = 0xFF8000 }
		for i, part in ipairs(ALL) do
			local options = { position = { 3 * i, 10, 0 }, tag = part.shape, material = i % 2 == 0 and "paint" or "ice" }
			for key, value in pairs(part) do
				options[key] = value
			end
			world:spawn(options)
		end
		local parts = {
			{ shape = "ball", radius = 0.5, position = { 0, 1, 0 }, material = "paint" },
			{ shape = "box", size = { 1, 1, 1 }, material = "metal" },
		}
		world:spawn { parts = parts, position = { 0, 10, 5 }, tag = "two" }
		world.terrain:fill_box { position = { 0, -1, 0 }, size = { 4, 2, 4 }, material = "air" }
		world.terrain:fill_box { position = { 0, -1, 0 }, size = { 4, 2, 4 }, material = "water" }
		world:step()
	end)
	local by_name = {}
	for _, node in ipairs(document.nodes) do
		by_name[node.name] = node.mesh and document.meshes[node.mesh + 1]
	end
	for i, part in ipairs(ALL) do
		local mesh = by_name[part.shape]
		lu.assertEquals(#mesh.primitives, 1)
		local material = document.materials[mesh.primitives[1].material + 1]
		lu.assertEquals(material.name, i % 2 == 0 and "paint" or "ice")
		lu.assertNotNil(mesh.primitives[1].attributes.NORMAL)
	end
	lu.assertEquals(#by_name.two.primitives, 2)
	local paint, wet
	for _, material in ipairs(document.materials) do
		paint = material.name == "paint" and material or paint
		wet = material.name == "water" and material or wet
	end
	local color = paint.pbrMetallicRoughness.baseColorFactor
	lu.assertAlmostEquals(color[1], 1, 1e-9)
	lu.assertAlmostEquals(color[2], 0.2158605, 1e-6) -- sRGB 128, linear
	lu.assertEquals({ color[3], color[4] }, { 0, 1 })
	lu.assertEquals({ wet.alphaMode, wet.doubleSided }, { "BLEND", true })
	local box = document.accessors[by_name.box.primitives[1].attributes.POSITION + 1]
	lu.assertEquals({ box.min, box.max }, { { -0.5, -1, -1.5 }, { 0.5, 1, 1.5 } })
	local cone = document.accessors[by_name.cone.primitives[1].attributes.POSITION + 1]
	lu.assertAlmostEquals(cone.min[2], -0.55, 1e-6)
	lu.assertAlmostEquals(cone.max[2], 0.55, 1e-6)
end

-- A rope is where its ends are, and goes when it is cut.
function TestGltf.testRopes()
	local rope
	local document, kept = recorded(function(world, keep)
		local ball = world:spawn { shape = "ball", radius = 0.3, position = { 3, 6, 0 }, tag = "ball" }
		rope = world:joint { type = "rope", b = ball, at_a = { 0, 8, 0 }, at_b = { 3, 6.3, 0 }, length = 4 }
		for step = 1, 60 do
			if step == 40 then
				rope:destroy()
			end
			world:step()
			keep()
		end
	end)
	local outer, line
	for i, node in ipairs(document.nodes) do
		if node.name == "rope 1" then
			outer, line = i, node.children[1] + 1
		end
	end
	for step, row in ipairs(kept) do
		local nodes = nodes_at(document, row.time + 1e-6, document.animations[1])
		lu.assertEquals(is_shown(nodes[outer]), step < 40, "step " .. step)
		if step < 40 then
			local t, q, length = nodes[line].translation, nodes[line].rotation, nodes[line].scale[2]
			local half = scree.quat(q[1], q[2], q[3], q[4]) * scree.vec3(0, length / 2, 0)
			local middle = scree.vec3(t[1], t[2], t[3])
			local ball = row.poses.ball
			support.is_vec3(middle - half, 0, 8, 0, 1e-3)
			local wanted = ball.position + ball.rotation * scree.vec3(0, 0.3, 0)
			support.is_vec3(middle + half, wanted.x, wanted.y, wanted.z, 1e-3)
		end
	end
end

-- Normals of the ground are kept as two bytes.
function TestGltf.testNormalsComeBack()
	local mesh_bytes = require "scree.record.mesh_bytes"
	local count, worst = 400, 0
	for i = 0, count - 1 do
		local y = 1 - 2 * i / (count - 1)
		local flat, angle = math.sqrt(math.max(0, 1 - y * y)), 2.399963 * i
		local n = scree.vec3(flat * scree.cos(angle), y, flat * scree.sin(angle))
		local x2, y2, z2 = mesh_bytes.unfold(mesh_bytes.fold(n:unpack()))
		worst = math.max(worst, (scree.vec3(x2, y2, z2) - n):length())
	end
	lu.assertTrue(worst < 0.02, worst)
	for _, axis in ipairs { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } } do
		lu.assertEquals({ mesh_bytes.unfold(mesh_bytes.fold(unpack(axis))) }, axis)
	end
end

-- ---- more worlds, and none -----------------------------------------------------------------------------------------

function TestGltf.testSeveralWorlds()
	local recorder = record.start()
	for i = 1, 2 do
		local world = scree.world {}
		world:spawn { shape = "ball", radius = i, tag = "ball " .. i }
		world:step(1 / 60, 10)
	end
	assert(gltf.write(recorder.finish(), path))
	local document = read_glb(path)
	lu.assertEquals({ #document.scenes, #document.animations }, { 2, 2 })
	for i = 1, 2 do
		local root = document.nodes[document.scenes[i].nodes[1] + 1]
		lu.assertEquals(document.nodes[root.children[1] + 1].name, "ball " .. i)
	end
end

function TestGltf.testWorldsWithNothingToSee()
	local recorder = record.start()
	scree.world({}):step()
	assert(gltf.write(recorder.finish(), path))
	local document = read_glb(path)
	lu.assertEquals({ #document.scenes, #document.nodes, document.animations }, { 1, 1 })
end

function TestGltf.testFailures()
	local ok, message = gltf.write({}, path)
	lu.assertNil(ok)
	lu.assertStrContains(message, "no step")
	local recorder = record.start()
	scree.world({}):step()
	local recordings = recorder.finish()
	ok, message = gltf.write(recordings, folder .. "/none/run.glb")
	lu.assertNil(ok)
	lu.assertStrContains(message, "none/run.glb")
	lu.assertNil(process.read(path))
end

return { TestGltf = TestGltf }
