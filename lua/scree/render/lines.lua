-- Ropes, rods and springs as thin round lines between their ends.

local ffi = require "ffi"
local raise = require "scree.raise"
local bridge = require "scree.ffi"
local camera = require "scree.render.camera"
local cast = require "scree.render.cast"
local palette = require "scree.render.palette"
raise.own()

local C = bridge.C
local SOLID = cast.SOLID

local lines = {}

local COLORS = {
	[C.SCREE_JOINT_ROPE] = 0xC9B48A, [C.SCREE_JOINT_ROD] = 0x6A6E75, [C.SCREE_JOINT_SPRING] = 0xA9B4C2,
}
local WIDTH = 0.0022 -- radius as a share of the distance that the picture is taken from

--- The lines of a world's joints for a scene: { from =, way =, length =, radius =, r =, g =, b =, and where on the
--- picture it is: left, right, top, bottom in samples }.
function lines.of(world, scene)
	local ids_out, joint = ffi.new "const ScreeId *[1]", ffi.new "ScreeJoint"
	local count = C.screeWorld_Joints(scene.pointer, ids_out)
	if count < 0 then
		bridge.failed(scene.pointer, count, "render: ")
	end
	local ids = {}
	for i = 0, count - 1 do
		ids[i + 1] = ids_out[0][i]
	end
	local list = {}
	for _, id in ipairs(ids) do
		C.screeJoint_Get(scene.pointer, id, joint)
		local color = COLORS[joint.type]
		local a, b = joint.at_a, joint.at_b
		local x, y, z = b[0] - a[0], b[1] - a[1], b[2] - a[2]
		local length = math.sqrt(x * x + y * y + z * z)
		if color and length > 0 then
			local line = {
				x = a[0], y = a[1], z = a[2], dx = x / length, dy = y / length, dz = z / length, length = length,
				radius = WIDTH * scene.view.distance,
			}
			line.r, line.g, line.b = palette.linear(color)
			if lines.frame(scene, line) then
				list[#list + 1] = line
			end
		end
	end
	return list
end

--- Finds the part of the picture that a line takes; false: none. One that passes the eye's side takes it all.
function lines.frame(scene, line)
	local width, height = scene.width * scene.side, scene.height * scene.side
	local left, right, top, bottom = math.huge, -math.huge, math.huge, -math.huge
	for _, t in ipairs { 0, line.length } do
		local u, v, depth = camera.project(scene.view, line.x + t * line.dx, line.y + t * line.dy, line.z + t * line.dz)
		if not u then
			left, right, top, bottom = 0, width, 0, height
			break
		end
		local wide = width * line.radius / (depth * scene.view.half_width) + 1
		left, right = math.min(left, u * width - wide), math.max(right, u * width + wide)
		top, bottom = math.min(top, v * height - wide), math.max(bottom, v * height + wide)
	end
	line.left, line.right = math.max(0, math.floor(left)), math.min(width - 1, math.ceil(right))
	line.top, line.bottom = math.max(0, math.floor(top)), math.min(height - 1, math.ceil(bottom))
	return line.left <= line.right and line.top <= line.bottom
end

-- Where a ray meets the line: t and the normal, or nil. The line is taken for flat and turned to the eye, with the
-- normals of a round one: it is too thin for the difference to be seen.
local function meet(line, eye, dx, dy, dz)
	local wx, wy, wz = eye.x - line.x, eye.y - line.y, eye.z - line.z
	local along = dx * line.dx + dy * line.dy + dz * line.dz
	local own, other = dx * wx + dy * wy + dz * wz, line.dx * wx + line.dy * wy + line.dz * wz
	local across = 1 - along * along
	if across < 1e-9 then
		return nil
	end
	local s = (other - along * own) / across
	s = math.max(0, math.min(line.length, s))
	local t = along * s - own
	local ox = eye.x + t * dx - line.x - s * line.dx
	local oy = eye.y + t * dy - line.y - s * line.dy
	local oz = eye.z + t * dz - line.z - s * line.dz
	local square, radius = ox * ox + oy * oy + oz * oz, line.radius
	if t <= 0 or square > radius * radius then
		return nil
	end
	local deep = math.sqrt(radius * radius - square)
	return t - deep, (ox - deep * dx) / radius, (oy - deep * dy) / radius, (oz - deep * dz) / radius
end

local function draw_line(scene, line, samples, first, last)
	local width, eye = scene.width * scene.side, scene.view.eye
	for row = math.max(first, line.top), math.min(last, line.bottom) do
		for column = line.left, line.right do
			local sample = samples[(row - first) * width + column]
			local dx, dy, dz = sample.way_x, sample.way_y, sample.way_z
			local t, nx, ny, nz = meet(line, eye, dx, dy, dz)
			local before = sample.water_t > 0 and sample.water_t or sample.t
			if t and t < before then
				sample.kind, sample.t, sample.solid_t, sample.water_t = SOLID, t, t, 0
				sample.x, sample.y, sample.z = eye.x + t * dx, eye.y + t * dy, eye.z + t * dz
				sample.nx, sample.ny, sample.nz = nx, ny, nz
				sample.r, sample.g, sample.b = line.r, line.g, line.b
			end
		end
	end
end

--- Puts the lines before what the rays of rows first..last have met.
function lines.draw(scene, samples, first, last)
	for _, line in ipairs(scene.lines) do
		draw_line(scene, line, samples, first, last)
	end
end

return lines
