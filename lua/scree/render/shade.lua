-- The light that comes to the eye from a sample, and the bytes that it becomes.

local ffi = require "ffi"
local raise = require "scree.raise"
local bridge = require "scree.ffi"
local functions = require "scree.functions"
local cast = require "scree.render.cast"
raise.own()

local C = bridge.C
local SKY, DEEP = cast.SKY, cast.DEEP
local exp = functions.exp

local shade = {}

-- Linear red, green and blue. What a white surface throws back of the sun that it faces, of the sky above it, of the
-- ground below it.
local SUN_R, SUN_G, SUN_B = 3.4, 2.85, 2.15
local SKY_R, SKY_G, SKY_B = 0.55, 0.72, 1.02
local GROUND_R, GROUND_G, GROUND_B = 0.30, 0.27, 0.22
local EXPOSURE = 0.68

-- Of water: what a metre of it lets through, and its own colour.
local CLEAR_R, CLEAR_G, CLEAR_B = 0.40, 0.13, 0.08 -- lost, 1/m
local WATER_R, WATER_G, WATER_B = 0.02, 0.16, 0.22
local REFLECTED = 0.02 -- straight down

-- Palest at the horizon; below it, where there is no ground, it darkens slowly.
local function sky(y)
	local t = y < 0 and math.min(1, -y * 1.6) or math.min(1, y * 2.6)
	if y < 0 then
		return 1.02 - 0.42 * t, 1.14 - 0.40 * t, 1.30 - 0.36 * t
	end
	return 1.02 - 0.78 * t, 1.14 - 0.62 * t, 1.30 - 0.26 * t
end

-- The light of a surface of that colour.
local function lit(scene, nx, ny, nz, r, g, b, sun, open)
	local way = scene.sun
	local direct = sun * math.max(0, nx * way.x + ny * way.y + nz * way.z)
	local up = 0.5 + 0.5 * ny
	local down = 1 - up
	return r * (SUN_R * direct + open * (SKY_R * up + GROUND_R * down)),
		g * (SUN_G * direct + open * (SKY_G * up + GROUND_G * down)),
		b * (SUN_B * direct + open * (SKY_B * up + GROUND_B * down))
end

local from3, to3 = ffi.new "double[3]", ffi.new "double[3]"

-- What is mirrored in water at a point: what stands there, in plain light, or the sky.
local function mirrored(scene, px, py, pz, dx, dy, dz)
	local hit, range = scene.hit, scene.range
	from3[0], from3[1], from3[2] = px, py, pz
	to3[0], to3[1], to3[2] = px + range * dx, py + range * dy, pz + range * dz
	local code = C.screeWorld_Raycast(scene.pointer, from3, to3, scene.dry, hit)
	if code < 0 then
		bridge.failed(scene.pointer, code, "render: ")
	end
	if code > 0 and hit.inside == 0 then
		local n = hit.normal
		local r, g, b = scene.color_of(hit)
		return lit(scene, n[0], n[1], n[2], r, g, b, 0.8, 0.8)
	end
	return sky(dy)
end

-- What is left of a light after some metres of water, and the water's own colour instead.
local function dimmed(r, g, b, way)
	local kept_r, kept_g, kept_b = exp(-CLEAR_R * way), exp(-CLEAR_G * way), exp(-CLEAR_B * way)
	return r * kept_r + WATER_R * (1 - kept_r), g * kept_g + WATER_G * (1 - kept_g),
		b * kept_b + WATER_B * (1 - kept_b)
end

-- Water before what is seen through it.
local function through_water(scene, sample, r, g, b)
	local dx, dy, dz = sample.way_x, sample.way_y, sample.way_z
	local nx, ny, nz = sample.water_nx, sample.water_ny, sample.water_nz
	r, g, b = dimmed(r, g, b, sample.kind == DEEP and 1e9 or sample.solid_t)
	-- Schlick's approximation of Fresnel's law.
	local cosine = math.max(0, -(dx * nx + dy * ny + dz * nz))
	local flat = 1 - cosine
	local share = REFLECTED + (1 - REFLECTED) * flat * flat * flat * flat * flat
	local eye, t = scene.view.eye, sample.water_t - 1e-3
	local mr, mg, mb = mirrored(scene, eye.x + t * dx, eye.y + t * dy, eye.z + t * dz,
		dx + 2 * cosine * nx, dy + 2 * cosine * ny, dz + 2 * cosine * nz)
	return r + share * (mr - r), g + share * (mg - g), b + share * (mb - b)
end

-- The metres that the light of a sample has in water when the eye is in it: as if its level were the same everywhere.
local function from_within(scene, sample)
	local up = sample.way_y
	return math.min(sample.t, up > 0 and scene.depth / up or sample.t)
end

-- Red, green and blue of the light from a sample, for an eye in the air.
local function seen_in_air(scene, sample, sun, open)
	if sample.kind == SKY then
		return sky(sample.way_y)
	end
	local r, g, b = WATER_R, WATER_G, WATER_B
	if sample.kind ~= DEEP then
		r, g, b = lit(scene, sample.nx, sample.ny, sample.nz, sample.r, sample.g, sample.b, sun, open)
	end
	local t = sample.t
	if sample.water_t > 0 then
		r, g, b = through_water(scene, sample, r, g, b)
		t = sample.water_t
	end
	local haze = 1 - exp(-t / scene.haze)
	local ar, ag, ab = sky(0)
	return r + haze * (ar - r), g + haze * (ag - g), b + haze * (ab - b)
end

local function seen(scene, sample, sun, open)
	local r, g, b = seen_in_air(scene, sample, sun, open)
	if scene.depth > 0 then
		return dimmed(r, g, b, from_within(scene, sample))
	end
	return r, g, b
end

-- Brightness without end to 0..1.
local function bounded(value)
	return 1 - exp(-EXPOSURE * value)
end

-- 0..1 to a byte of sRGB, by a table.
local ENCODED = 4095
local encode = ffi.new("uint8_t[?]", ENCODED + 1)
for i = 0, ENCODED do
	local v = i / ENCODED
	v = v <= 0.0031308 and 12.92 * v or 1.055 * functions.pow(v, 1 / 2.4) - 0.055
	encode[i] = math.floor(255 * v + 0.5)
end

--- The pixels of rows first..last into rgb (of the whole picture), from the samples whose first row is sample_first.
function shade.rows(scene, samples, shared, sample_first, first, last, rgb)
	local width, side = scene.width, scene.side
	local across, share = width * side, ENCODED / (side * side)
	for y = first, last do
		for x = 0, width - 1 do
			local r, g, b = 0, 0, 0
			for k = 0, side * side - 1 do
				local row = y * side + math.floor(k / side) - sample_first
				local i = row * across + x * side + k % side
				local sr, sg, sb = seen(scene, samples[i], shared[2 * i], shared[2 * i + 1])
				r, g, b = r + bounded(sr), g + bounded(sg), b + bounded(sb)
			end
			local at = rgb + 3 * (y * width + x)
			at[0] = encode[math.floor(r * share + 0.5)]
			at[1] = encode[math.floor(g * share + 0.5)]
			at[2] = encode[math.floor(b * share + 0.5)]
		end
	end
end

return shade
