-- What of a world is drawn, as LÖVE's meshes: the ground, read anew when it has changed, and one mesh for each kind of
-- part, since parts that are alike are drawn with the same triangles in other places.

local ffi = require "ffi"
local solids = require "scree.solids"

local view = {}
view.__index = view

local FORMAT = { { "VertexPosition", "float", 3 }, { "VertexNormal", "float", 3 }, { "VertexColor", "byte", 4 } }
local Vertex = ffi.typeof "struct { float x, y, z, nx, ny, nz; uint8_t r, g, b, a; } *"
local SIZE = 28 -- bytes

local function set_color(vertex, hex)
	vertex.r, vertex.g, vertex.b, vertex.a = math.floor(hex / 65536) % 256, math.floor(hex / 256) % 256, hex % 256, 255
end

-- Three vertices for each triangle, so that each can have its own colour. color(t): 0xRRGGBB of triangle t from 0.
local function new_mesh(mesh, color)
	local count = 3 * mesh.triangle_count
	local data = love.data.newByteData(count * SIZE)
	local vertices = ffi.cast(Vertex, data:getFFIPointer())
	for i = 0, count - 1 do
		local p, n, v = mesh.positions + 3 * mesh.indices[i], mesh.normals + 3 * mesh.indices[i], vertices[i]
		v.x, v.y, v.z, v.nx, v.ny, v.nz = p[0], p[1], p[2], n[0], n[1], n[2]
		set_color(v, color(math.floor(i / 3)))
	end
	local result = love.graphics.newMesh(FORMAT, count, "triangles", "static")
	result:setVertices(data)
	return result
end

function view.new(world)
	local names, colors = world.materials:names(), {}
	for i, name in ipairs(names) do
		colors[i - 1] = world.materials[name].color -- by the byte that the mesh has for it
	end
	return setmetatable({
		world = world, colors = colors, ground = nil, version = nil, meshes = {},
		shader = love.graphics.newShader "shader.glsl", parts = {},
	}, view)
end

-- Words that parts which look alike have in common.
local function kind_of(part)
	local size = part.size
	return table.concat({
		part.shape, part.material, size and tostring(size) or "", part.radius or "", part.length or "",
	}, " ")
end

-- The parts of an assembly: { mesh, place in its frame }, made once.
local function parts_of(self, assembly)
	local list = self.parts[assembly.id]
	if list then
		return list
	end
	list = {}
	for i, part in ipairs(assembly.parts) do
		local is_own = part.shape == "hull" or part.shape == "mesh"
		local kind = is_own and assembly.id .. " " .. i or kind_of(part)
		if not self.meshes[kind] then
			local color = self.world.materials[part.material].color
			local triangles = solids.mesh(part, is_own and assembly:part_mesh(i) or nil)
			self.meshes[kind] = new_mesh(triangles, function()
				return color
			end)
		end
		list[i] = { mesh = self.meshes[kind], position = part.position, rotation = part.rotation }
	end
	self.parts[assembly.id] = list
	return list
end

-- A place and a rotation as LÖVE takes matrices: rows.
local function matrix(p, q)
	local x, y, z, w = q.x, q.y, q.z, q.w
	return {
		1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), p.x,
		2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), p.y,
		2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), p.z,
		0, 0, 0, 1,
	}
end

-- What a camera at eye sees of target, through a window of that aspect: projection times view, rows.
local function camera(eye, target, fov, aspect)
	local f = (target - eye):normalized()
	local r = f:cross({ 0, 1, 0 }):normalized()
	local u = r:cross(f)
	local near, far, s = 0.1, 500, 1 / math.tan(fov / 2)
	local a, b = (far + near) / (far - near), 2 * far * near / (far - near)
	local sx = s / aspect
	return {
		sx * r.x, sx * r.y, sx * r.z, -sx * r:dot(eye),
		s * u.x, s * u.y, s * u.z, -s * u:dot(eye),
		a * f.x, a * f.y, a * f.z, -a * f:dot(eye) - b,
		f.x, f.y, f.z, -f:dot(eye),
	}
end

local IDENTITY = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 }

--- Draws the world as it was between its last two steps.
---@param alpha number as world:advance gives it
function view:draw(alpha, eye, target)
	local graphics, terrain, shader = love.graphics, self.world.terrain, self.shader
	if self.version ~= terrain.version then
		local mesh = terrain:mesh()
		self.version = terrain.version
		self.ground = mesh.triangle_count > 0 and new_mesh(mesh, function(t)
			return self.colors[mesh.materials[t]]
		end) or nil
	end
	graphics.setShader(shader)
	graphics.setDepthMode("lequal", true)
	graphics.setMeshCullMode "none"
	shader:send("view_projection", camera(eye, target, 0.8, graphics.getWidth() / graphics.getHeight()))
	shader:send("sun", { 0.48, 0.8, 0.36 })
	shader:send("model", IDENTITY)
	if self.ground then
		graphics.draw(self.ground)
	end
	-- Parts are listed before the transforms are read, whose buffer is good until the next call only.
	local list = {}
	for assembly in self.world:assemblies() do
		list[#list + 1] = parts_of(self, assembly)
	end
	local transforms, count = self.world:transforms(alpha)
	for i = 0, count - 1 do
		local t = transforms + 8 * i -- id, x, y, z, qx, qy, qz, qw
		local p, q = self.vec3(t[1], t[2], t[3]), self.quat(t[4], t[5], t[6], t[7])
		for _, part in ipairs(list[i + 1]) do
			shader:send("model", matrix(p + q * part.position, q * part.rotation))
			graphics.draw(part.mesh)
		end
	end
	graphics.setShader()
	graphics.setDepthMode()
end

local scree = require "scree"
view.vec3, view.quat = scree.vec3, scree.quat

return view
