-- Recordings as glTF 2.0 (.glb): a node for each assembly, moved by an animation; the ground and its water as meshes,
-- one for all that stays as it is and one for each state of what is edited; a scene for each world. After the Khronos
-- Group's "glTF 2.0 Specification".

local bit = require "bit"
local raise = require "scree.raise"
local buffer = require "scree.gltf.buffer"
local check = require "scree.check"
local json = require "scree.record.json"
local motion = require "scree.gltf.motion"
local palette = require "scree.render.palette"
local progress = require "scree.progress"
local recordings = require "scree.record.recording"
local solids = require "scree.solids"
local surface = require "scree.gltf.surface"
local quat = require "scree.quat"
local vec3 = require "scree.vec3"
local C = require("scree.ffi").C
local ffi = require "ffi"
raise.own()

local Vec3, Quat = vec3.type, quat.type

local gltf = {}

local LIMIT = 2 ^ 32 - 1 -- bytes of a file
local NEAR = 4096 -- metres from the origin within which floats are exact enough without an origin of their own
local WATER = "water"

-- ---- materials -----------------------------------------------------------------------------------------------------

-- A function that gives the index of a material of a recording in the document, where it is added when first asked for.
local function materials_of(document, recording)
	local index_of = {}
	return function(index)
		local number = index_of[index]
		if not number then
			local source = recording.materials[index] or { name = "unknown", color = 0x808080 }
			local r, g, b = palette.linear(source.color)
			local is_water = source.name == WATER
			document.materials[#document.materials + 1] = {
				name = source.name,
				pbrMetallicRoughness = {
					baseColorFactor = { r, g, b, is_water and 0.6 or 1 }, metallicFactor = 0,
					roughnessFactor = is_water and 0.1 or 0.9,
				},
				alphaMode = is_water and "BLEND" or nil,
				doubleSided = is_water or nil,
			}
			number = #document.materials - 1
			index_of[index] = number
		end
		return number
	end
end

-- ---- the document --------------------------------------------------------------------------------------------------

local function add_node(document, parent, node)
	document.nodes[#document.nodes + 1] = node
	local index = #document.nodes - 1
	if parent then
		parent.children = parent.children or {}
		table.insert(parent.children, index)
	end
	return index
end

-- The mesh of a surface, by index; nil when it is empty.
local function add_mesh(document, name, shape, material_index)
	local primitives = shape:primitives(document.buffer, material_index)
	if not primitives then
		return nil
	end
	document.meshes[#document.meshes + 1] = { name = name, primitives = primitives }
	return #document.meshes - 1
end

-- ---- the ground ----------------------------------------------------------------------------------------------------

-- The triangles of one state of a block of ground, about the origin.
local function ground_piece(recording, block, mesh, origin)
	local read = recording:mesh(block, mesh)
	local positions, normals, ox, oy, oz = read.positions, read.normals, origin[1], origin[2], origin[3]
	return {
		count = read.triangle_count,
		corner = function(i) return read.indices[i + 1] end,
		material = function(triangle) return read.materials[triangle + 1] end,
		place = function(i)
			return positions[3 * i + 1] - ox, positions[3 * i + 2] - oy, positions[3 * i + 3] - oz
		end,
		normal = normals and function(i)
			return normals[3 * i + 1], normals[3 * i + 2], normals[3 * i + 3]
		end,
	}
end

local function add_ground(document, world, animation)
	local recording, origin = world.recording, world.origin
	local still = surface.new()
	for _, block in ipairs(recording.blocks) do
		for i, version in ipairs(block.versions) do
			local after = block.versions[i + 1]
			local is_still = version.frame == 1 and not after
			local shape = is_still and still or surface.new()
			for _, mesh in ipairs { version.mesh, version.water } do
				if mesh > 0 then
					shape:add(ground_piece(recording, block, mesh, origin))
				end
			end
			local mesh = not is_still and add_mesh(document, "ground", shape, world.material_index)
			if mesh then
				local name = ("ground %d %d %d"):format(block.x, block.y, block.z)
				local node = { name = name, mesh = mesh }
				local index = add_node(document, world.root, node)
				animation:show(index, node, version.frame, after and after.frame - 1)
			end
		end
	end
	local mesh = add_mesh(document, "ground", still, world.material_index)
	if mesh then
		add_node(document, world.root, { name = "ground", mesh = mesh })
	end
end

-- ---- assemblies ----------------------------------------------------------------------------------------------------

-- The triangles of a part, placed in its assembly.
local function part_piece(part)
	local mesh = solids.mesh(part, part.mesh)
	local p, r = part.position, part.rotation
	local shift, turn = Vec3(p[1], p[2], p[3]), Quat(r[1], r[2], r[3], r[4])
	return {
		count = mesh.triangle_count,
		corner = function(i) return mesh.indices[i] end,
		material = function() return part.material or 0 end,
		place = function(i)
			return (shift + turn * Vec3(mesh.positions[3 * i], mesh.positions[3 * i + 1], mesh.positions[3 * i + 2])):unpack()
		end,
		normal = function(i)
			return (turn * Vec3(mesh.normals[3 * i], mesh.normals[3 * i + 1], mesh.normals[3 * i + 2])):normalized():unpack()
		end,
	}
end

local function shape_name(parts)
	return #parts == 1 and parts[1].shape or #parts .. " parts"
end

-- A function that gives the mesh of shape s, made when first asked for.
local function meshes_of(document, world)
	local made = {}
	return function(s)
		if made[s] == nil then
			local parts, shape = world.recording.shapes[s], surface.new()
			for _, part in ipairs(parts) do
				if part.shape ~= "hull" and part.shape ~= "mesh" or part.mesh then
					shape:add(part_piece(part))
				end
			end
			made[s] = add_mesh(document, shape_name(parts), shape, world.material_index) or false
		end
		return made[s] or nil
	end
end

local LINE = 0.03 -- metres: the radius of ropes, rods and springs
local LINE_COLORS = { rope = 0xC9B48A, rod = 0x6A6E75, spring = 0xA9B4C2 }

-- A cylinder of a metre's length for each kind of joint, which nodes stretch.
local function line_mesh(document, world, kind)
	local made = world.line_meshes[kind]
	if not made then
		local r, g, b = palette.linear(LINE_COLORS[kind])
		document.materials[#document.materials + 1] = {
			name = kind, pbrMetallicRoughness = { baseColorFactor = { r, g, b, 1 }, metallicFactor = 0 },
		}
		local material, shape = #document.materials - 1, surface.new()
		shape:add(part_piece {
			shape = "cylinder", radius = LINE, length = 1, position = { 0, 0, 0 }, rotation = { 0, 0, 0, 1 },
		})
		made = add_mesh(document, kind, shape, function()
			return material
		end)
		world.line_meshes[kind] = made
	end
	return made
end

-- A node that comes and goes, and in it one that moves and is stretched: both are by scale.
local function add_lines(document, world, animation, lines)
	for i, keys in ipairs(lines) do
		local joint = keys.joint
		if keys.count > 0 then
			local p, outer = keys.poses, { name = ("%s %d"):format(joint.type, i) }
			local index = add_node(document, world.root, outer)
			animation:show(index, outer, joint.first, joint.last)
			local line = add_node(document, outer, {
				mesh = line_mesh(document, world, joint.type), translation = { p[0], p[1], p[2] },
				rotation = { p[3], p[4], p[5], p[6] }, scale = { 1, p[7], 1 },
			})
			animation:move(line, keys)
		end
	end
end

local function add_assemblies(document, world, animation, bar)
	local recording, mesh_of = world.recording, meshes_of(document, world)
	local of_track, lines = motion.keys(recording, world.origin, bar)
	for t, track in ipairs(recording.tracks) do
		local keys = of_track[t]
		if keys.count > 0 then
			local p = keys.poses
			local node = {
				name = track.tag or ("%s %d"):format(shape_name(recording.shapes[track.shape]), t),
				mesh = mesh_of(track.shape),
				translation = { p[0], p[1], p[2] },
				rotation = { p[3], p[4], p[5], p[6] },
				extras = { motion = track.motion, mass = track.mass, id = track.id },
			}
			local index = add_node(document, world.root, node)
			animation:move(index, keys)
			animation:show(index, node, track.first, track.last)
		end
	end
	add_lines(document, world, animation, lines)
end

-- ---- worlds --------------------------------------------------------------------------------------------------------

-- Whole metres in the middle of what is there in the first frame, where that is far from zero; else zero.
local function origin_of(recording)
	local x, y, z, count = 0, 0, 0, 0
	local frame, cursor = recording:frames()()
	for track in ipairs(recording.tracks) do
		if recording:is_there(track, frame) then
			local px, py, pz = cursor:pose(track)
			x, y, z, count = x + px, y + py, z + pz, count + 1
		end
	end
	local origin = { 0, 0, 0 }
	if count > 0 then
		for i, sum in ipairs { x, y, z } do
			local mean = sum / count
			origin[i] = math.abs(mean) > NEAR and math.floor(mean + 0.5) or 0
		end
	end
	return origin
end

local function add_world(document, recording, name, bar)
	local world = { recording = recording, origin = origin_of(recording), root = { name = name }, line_meshes = {} }
	world.material_index = materials_of(document, recording)
	local o = world.origin
	if o[1] ~= 0 or o[2] ~= 0 or o[3] ~= 0 then
		world.root.translation = o
	end
	local root = add_node(document, nil, world.root)
	document.scenes[#document.scenes + 1] = { name = name, nodes = { root } }
	local animation = motion.animation(document.buffer, recording)
	add_ground(document, world, animation)
	add_assemblies(document, world, animation, bar)
	document.animations[#document.animations + 1] = animation:finish(name)
end

-- ---- the file ------------------------------------------------------------------------------------------------------

local function u32(value)
	return string.char(bit.band(value, 255), bit.band(bit.rshift(value, 8), 255), bit.band(bit.rshift(value, 16), 255),
		bit.band(bit.rshift(value, 24), 255))
end

local function size_bytes(size)
	return u32(size >= 2 ^ 31 and size - 2 ^ 32 or size)
end

-- The pieces of the file, and its size.
local function pieces_of(document)
	local accessors, views, binary, size = document.buffer:finish()
	local function unless_empty(list)
		return #list > 0 and list or nil
	end
	local text = json.encode {
		asset = { version = "2.0", generator = "scree " .. ffi.string(C.scree_version()) },
		scene = 0,
		scenes = document.scenes,
		nodes = document.nodes,
		meshes = unless_empty(document.meshes),
		materials = unless_empty(document.materials),
		animations = unless_empty(document.animations),
		accessors = unless_empty(accessors),
		bufferViews = unless_empty(views),
		buffers = size > 0 and { { byteLength = size } } or nil,
	}
	text = text .. (" "):rep(-#text % 4)
	local total = 12 + 8 + #text + (size > 0 and 8 + size or 0)
	local pieces = { "glTF", u32(2), size_bytes(total), u32(#text), "JSON", text }
	if size > 0 then
		pieces[#pieces + 1] = size_bytes(size) .. "BIN\0"
		for _, piece in ipairs(binary) do
			pieces[#pieces + 1] = piece
		end
	end
	return pieces, total
end

-- Beside the file first, so that an old one stays until the new one is whole.
local function write_file(path, pieces)
	local temporary = path .. ".part"
	local file, message = io.open(temporary, "wb")
	if not file then
		return nil, message
	end
	local ok = true
	for _, piece in ipairs(pieces) do
		if ok then
			ok, message = file:write(piece)
		end
	end
	local closed, why = file:close()
	if ok and closed then
		ok, message = os.rename(temporary, path)
	elseif ok then
		ok, message = nil, why
	end
	if not ok then
		os.remove(temporary)
		return nil, message
	end
	return true
end

--- Writes recordings into one .glb file: a scene and an animation for each. nil, message when it cannot be written or
--- is too large; then an old file is as it was.
---@param list scree.Recording[]
---@param path string
---@return scree.GltfInfo? info
---@return string? message
function gltf.write(list, path)
	recordings.check(list, "gltf.write: ")
	check.path(path, "gltf.write: ", "path")
	local document = {
		buffer = buffer.new(), scenes = {}, nodes = {}, meshes = {}, materials = {}, animations = {},
	}
	local seconds = 0
	progress.run("animation", function(bar)
		for i, recording in ipairs(list) do
			add_world(document, recording, "world " .. i, bar)
			seconds = math.max(seconds, recording.clock[recording.frame_count] or 0)
		end
	end)
	if #document.scenes == 0 then
		return nil, "export: there is no step to write"
	end
	local pieces, total = pieces_of(document)
	if total > LIMIT then
		return nil, ("export: the file would have %.0f bytes; a .glb has at most %.0f"):format(total, LIMIT)
	end
	local ok, message = write_file(path, pieces)
	if not ok then
		return nil, "export: " .. message
	end
	return { bytes = total, nodes = #document.nodes, meshes = #document.meshes, seconds = seconds }
end

return gltf
