-- How much of the sun and of the sky each sample sees. Every sample asks for one place of the sun and for few
-- directions of the sky; those of its 4 x 4 neighbours are others, and what they found is then shared among those that
-- lie on the same surface (Keller and Heidrich, "Interleaved Sampling", 2001).

local ffi = require "ffi"
local raise = require "scree.raise"
local bridge = require "scree.ffi"
local functions = require "scree.functions"
local cast = require "scree.render.cast"
raise.own()

local C = bridge.C
local SOLID = cast.SOLID

local light = {}

local TILE = 4 -- samples along the side of the pattern
local PLACES = TILE * TILE
local BOUNCED = 0.2 -- of the sky's light comes back from what hides it
local SUN_SIZE = 0.025 -- the tangent of the radius it is seen with: larger than the real one, for softer shadows
local CHUNK = 4096 -- rays asked for at once

-- In which order the places of the tile take what is given out evenly: no two neighbours follow each other.
local ORDER = ffi.new("int32_t[16]", 0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5)

-- i's binary digits behind the point, mirrored (van der Corput's sequence).
local function mirrored(i)
	local value, digit = 0, 0.5
	while i > 0 do
		value = value + digit * (i % 2)
		i, digit = math.floor(i / 2), digit / 2
	end
	return value
end

-- n points spread evenly over the disc of radius 1: 2 n doubles.
local function disc(n)
	local points = ffi.new("double[?]", 2 * n)
	for i = 0, n - 1 do
		local radius, angle = math.sqrt((i + 0.5) / n), 2 * math.pi * mirrored(i)
		points[2 * i], points[2 * i + 1] = radius * functions.cos(angle), radius * functions.sin(angle)
	end
	return points
end

--- What all bands of a picture share.
---@param rays integer of the sky, a sample
function light.new(rays)
	return {
		rays = rays,
		sun_disc = disc(PLACES),
		sky_disc = disc(PLACES * rays),
		from = ffi.new("double[?]", 3 * CHUNK),
		to = ffi.new("double[?]", 3 * CHUNK),
		fraction = ffi.new("double[?]", CHUNK),
		index = ffi.new("int32_t[?]", CHUNK),
	}
end

local function ask(scene, lamp, count)
	local code = C.screeWorld_Raycasts(scene.pointer, count, lamp.from, lamp.to, lamp.fraction, scene.dry)
	if code < 0 then
		bridge.failed(scene.pointer, code, "render: ")
	end
end

-- A ray from just above the sample's surface.
local function put(lamp, k, i, sample, x, y, z)
	local from, to = lamp.from + 3 * k, lamp.to + 3 * k
	local lift = 1e-3 + 2e-4 * sample.t
	local fx, fy, fz = sample.x + lift * sample.nx, sample.y + lift * sample.ny, sample.z + lift * sample.nz
	from[0], from[1], from[2] = fx, fy, fz
	to[0], to[1], to[2] = fx + x, fy + y, fz + z
	lamp.index[k] = i
end

-- Two unit vectors across n and each other, without a jump but at one n (Duff et al., "Building an Orthonormal Basis,
-- Revisited", 2017).
local function across(x, y, z)
	local sign = z >= 0 and 1 or -1
	local a = -1 / (sign + z)
	local b = x * y * a
	return 1 + sign * x * x * a, sign * b, -sign * x, b, sign + y * y * a, -y
end

local function place_of(column, row)
	return ORDER[column % TILE + TILE * (row % TILE)]
end

local function take_sun(samples, lamp, count)
	for k = 0, count - 1 do
		samples[lamp.index[k]].sun = lamp.fraction[k] > 1 and 1 or 0
	end
end

local function sun_pass(scene, lamp, samples, width, first, last)
	local sun, count = scene.sun, 0
	local x, y, z = sun.x, sun.y, sun.z
	local ax, ay, az, bx, by, bz = across(x, y, z)
	local range, disc_points = scene.range, lamp.sun_disc
	for i = 0, (last - first + 1) * width - 1 do
		local sample = samples[i]
		sample.sun = 0
		if sample.kind == SOLID and sample.nx * x + sample.ny * y + sample.nz * z > 0 then
			local place = place_of(i % width, first + math.floor(i / width))
			local a, b = SUN_SIZE * range * disc_points[2 * place], SUN_SIZE * range * disc_points[2 * place + 1]
			put(lamp, count, i, sample, range * x + a * ax + b * bx, range * y + a * ay + b * by,
				range * z + a * az + b * bz)
			count = count + 1
			if count == CHUNK then
				ask(scene, lamp, count)
				take_sun(samples, lamp, count)
				count = 0
			end
		end
	end
	ask(scene, lamp, count)
	take_sun(samples, lamp, count)
end

-- What hides the sky nearby takes more of it away than what does so from afar.
local function take_sky(samples, lamp, count)
	for k = 0, count - 1 do
		local sample, fraction = samples[lamp.index[k]], lamp.fraction[k]
		local free = fraction > 1 and 1 or BOUNCED + (1 - BOUNCED) * fraction * fraction
		sample.sky = sample.sky + free / lamp.rays
	end
end

local function sky_pass(scene, lamp, samples, width, first, last)
	local rays, points, reach, count = lamp.rays, lamp.sky_disc, scene.occlusion, 0
	for i = 0, (last - first + 1) * width - 1 do
		local sample = samples[i]
		sample.sky = 0
		if sample.kind == SOLID then
			local nx, ny, nz = sample.nx, sample.ny, sample.nz
			local ax, ay, az, bx, by, bz = across(nx, ny, nz)
			local place = place_of(i % width, first + math.floor(i / width))
			for ray = 0, rays - 1 do
				local point = points + 2 * (place + PLACES * ray)
				local a, b = reach * point[0], reach * point[1]
				local up = math.sqrt(math.max(0, reach * reach - a * a - b * b))
				put(lamp, count, i, sample, a * ax + b * bx + up * nx, a * ay + b * by + up * ny,
					a * az + b * bz + up * nz)
				count = count + 1
				if count == CHUNK then
					ask(scene, lamp, count)
					take_sky(samples, lamp, count)
					count = 0
				end
			end
		end
	end
	ask(scene, lamp, count)
	take_sky(samples, lamp, count)
end

-- The mean of sun and sky over the tile's worth of neighbours on the same surface.
local function share(samples, i, width, column, row, rows)
	local own = samples[i]
	local nx, ny, nz, near = own.nx, own.ny, own.nz, 1e-3 + 4e-3 * own.t
	local sun, sky, count = 0, 0, 0
	for y = math.max(0, row - 1), math.min(rows - 1, row + 2) do
		for x = math.max(0, column - 1), math.min(width - 1, column + 2) do
			local other = samples[y * width + x]
			if other.kind == SOLID and nx * other.nx + ny * other.ny + nz * other.nz > 0.9 then
				local away = (other.x - own.x) * nx + (other.y - own.y) * ny + (other.z - own.z) * nz
				if away < near and away > -near then
					sun, sky, count = sun + other.sun, sky + other.sky, count + 1
				end
			end
		end
	end
	return sun / count, sky / count
end

--- Lights the samples of rows first..last; shared receives the sun and the sky of each, 2 floats a sample.
function light.rows(scene, lamp, samples, first, last, shared)
	local width = scene.width * scene.side
	local rows = last - first + 1
	sun_pass(scene, lamp, samples, width, first, last)
	sky_pass(scene, lamp, samples, width, first, last)
	for row = 0, rows - 1 do
		for column = 0, width - 1 do
			local i = row * width + column
			if samples[i].kind == SOLID then
				shared[2 * i], shared[2 * i + 1] = share(samples, i, width, column, row, rows)
			end
		end
	end
end

light.MARGIN = TILE -- rows of samples beyond a band that its own share with

return light
