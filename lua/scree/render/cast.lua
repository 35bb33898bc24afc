-- What the rays of a picture meet: for each sample of a band of rows the point, its normal and its colour, and the
-- surface of water before it.

local ffi = require "ffi"
local raise = require "scree.raise"
local bridge = require "scree.ffi"
raise.own()

local C = bridge.C

local cast = {}

-- kind: SKY, SOLID, or what is behind water where nothing is (DEEP). Positions are metres; t along the ray; water_t: 0,
-- or where the ray meets water, whose normal is water_n; solid_t: the way on below it.
cast.Samples = ffi.typeof [[
	struct {
		double x, y, z;
		float nx, ny, nz;
		float r, g, b;
		float way_x, way_y, way_z;
		float t, water_t, solid_t;
		float water_nx, water_ny, water_nz;
		float sun, sky;
		int32_t kind;
	}[?]
]]
cast.SKY, cast.SOLID, cast.DEEP = 0, 1, 2

local SKY, SOLID, DEEP = cast.SKY, cast.SOLID, cast.DEEP
local WATER_INDEX = 1.33 -- of refraction

-- Where in its own square each of 2 x 2 samples of a pixel lies, so that edges that are nearly level or upright have
-- four steps, not two ("rotated grid").
local TURNED_U, TURNED_V = ffi.new("double[4]", 0.75, 0.75, 0.25, 0.25), ffi.new("double[4]", 0.25, 0.75, 0.25, 0.75)

local from3, to3 = ffi.new "double[3]", ffi.new "double[3]"

local function ask(scene, query, hit, reach)
	local code = C.screeWorld_Raycast(scene.pointer, from3, to3, query, hit)
	if code < 0 then
		bridge.failed(scene.pointer, code, "render: ")
	end
	return code > 0 and hit.inside == 0
end

local function set_solid(scene, sample, hit)
	local p, n = hit.position, hit.normal
	sample.x, sample.y, sample.z = p[0], p[1], p[2]
	sample.nx, sample.ny, sample.nz = n[0], n[1], n[2]
	sample.r, sample.g, sample.b = scene.color_of(hit)
	sample.kind = SOLID
end

-- Goes on below the surface of water, bent as light is.
local function look_below(scene, sample, hit)
	local p, n = hit.position, hit.normal
	local dx, dy, dz = sample.way_x, sample.way_y, sample.way_z
	local nx, ny, nz = n[0], n[1], n[2]
	sample.water_t = hit.distance
	sample.water_nx, sample.water_ny, sample.water_nz = nx, ny, nz
	local ratio = 1 / WATER_INDEX
	local cosine = -(dx * nx + dy * ny + dz * nz)
	local turn = ratio * cosine - math.sqrt(1 - ratio * ratio * (1 - cosine * cosine))
	dx, dy, dz = ratio * dx + turn * nx, ratio * dy + turn * ny, ratio * dz + turn * nz
	local range = scene.range
	from3[0], from3[1], from3[2] = p[0], p[1], p[2]
	to3[0], to3[1], to3[2] = p[0] + range * dx, p[1] + range * dy, p[2] + range * dz
	if ask(scene, scene.dry, hit) then
		set_solid(scene, sample, hit)
		sample.solid_t = hit.distance
	else
		sample.kind = DEEP
		sample.solid_t = range
	end
	sample.t = sample.water_t + sample.solid_t
end

local function cast_sample(scene, sample, dx, dy, dz)
	local eye, range, hit = scene.view.eye, scene.range, scene.hit
	local ex, ey, ez = eye.x, eye.y, eye.z
	sample.way_x, sample.way_y, sample.way_z = dx, dy, dz
	sample.water_t, sample.solid_t, sample.t, sample.kind = 0, 0, range, SKY
	sample.nx, sample.ny, sample.nz = 0, 0, 0
	from3[0], from3[1], from3[2] = ex, ey, ez
	to3[0], to3[1], to3[2] = ex + range * dx, ey + range * dy, ez + range * dz
	if not ask(scene, scene.wet, hit) then
		return
	end
	sample.t = hit.distance
	if hit.water ~= 0 then
		look_below(scene, sample, hit)
	else
		set_solid(scene, sample, hit)
		sample.solid_t = hit.distance
	end
end

--- Casts the samples of rows first..last (of samples, not of pixels) into `samples`, row after row.
function cast.rows(scene, samples, first, last)
	local width, side = scene.width * scene.side, scene.side
	local height = scene.height * side
	local view = scene.view
	local f, r, u = view.forward, view.right, view.up
	local fx, fy, fz, rx, ry, rz, ux, uy, uz = f.x, f.y, f.z, r.x, r.y, r.z, u.x, u.y, u.z
	local half_width, half_height = view.half_width, view.half_height
	for row = first, last do
		for column = 0, width - 1 do
			local a, b = 0.5, 0.5
			if side == 2 then
				local k = column % 2 + 2 * (row % 2)
				a, b = TURNED_U[k], TURNED_V[k]
			end
			local right = (2 * (column + a) / width - 1) * half_width
			local up = (1 - 2 * (row + b) / height) * half_height
			local dx, dy, dz = fx + right * rx + up * ux, fy + right * ry + up * uy, fz + right * rz + up * uz
			local length = math.sqrt(dx * dx + dy * dy + dz * dz)
			cast_sample(scene, samples[(row - first) * width + column], dx / length, dy / length, dz / length)
		end
	end
end

return cast
