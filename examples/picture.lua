-- A picture of a scene by ray casting: sun with soft shadows, light from the sky, the colours of the materials.
--
--   luajit examples/picture.lua [FILE.png] [width=640] [height=360] [samples=4] [count=600] [at=2.2]
--
-- By itself it draws the landslide `at` seconds after the start. As a module it draws any world:
--   local picture = require "examples.picture"
--   picture.save(world, "shot.png", { eye = { 20, 10, 20 }, target = { 0, 0, 0 }, width = 640, height = 360 })

local ffi = require "ffi"
local folder = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = folder .. "/../?.lua;" .. package.path

local scree = require "scree"
local progress = require "scree.progress"
local png = require "examples.png"

local M = {}

---------------------------------------------------------------------------------------------------------------
-- Settings
---------------------------------------------------------------------------------------------------------------

local defaults = {
	width = 640,
	height = 360,
	samples = 4, -- rays a pixel: the next lower square number is taken
	eye = { 30, 20, 30 },
	target = { 0, 0, 0 },
	fov = 40, -- degrees, from the lower to the upper edge
	range = 1000, -- metres: beyond it there is sky
	sun = { 0.5, 0.7, 0.35 }, -- towards it
	sun_size = 0.02, -- its radius, as a tangent
	sun_color = { 3.6, 3.0, 2.2 },
	sky_color = { 0.48, 0.66, 1.0 },
	ground_color = { 0.24, 0.22, 0.18 }, -- what the ground throws back
	occlusion = 7, -- metres to which things keep the sky's light from each other
	haze = 900, -- metres over which most of a colour is lost
	exposure = 0.66,
	-- What moves stands out by a colour of its shape; everything else has its material's.
	shapes = { ball = 0xD9502E, box = 0xE9A63A, capsule = 0x3E86B5, hull = 0x7FA650, wedge = 0x9A6FB0 },
	compound = 0xE8E2D4, -- several parts
	grain = 0.06, -- by what share cells of one material differ in brightness
}

---------------------------------------------------------------------------------------------------------------
-- Colours: linear red, green, blue
---------------------------------------------------------------------------------------------------------------

local function linear(byte)
	local v = byte / 255
	return v <= 0.04045 and v / 12.92 or scree.pow((v + 0.055) / 1.055, 2.4)
end

local function from_hex(hex)
	return { linear(math.floor(hex / 65536)), linear(math.floor(hex / 256) % 256), linear(hex % 256) }
end

-- Brightness without end into a byte.
local function to_byte(value, exposure)
	local v = 1 - scree.exp(-exposure * value)
	v = v <= 0.0031308 and 12.92 * v or 1.055 * scree.pow(v, 1 / 2.4) - 0.055
	return math.floor(255 * math.max(0, math.min(1, v)) + 0.5)
end

-- A function that gives the colour of a hit.
local function colors_of(world, settings)
	local of_material, of_assembly, shapes = {}, {}, {}
	for _, name in ipairs(world.materials:names()) do
		of_material[name] = from_hex(world.materials[name].color)
	end
	for name, hex in pairs(settings.shapes) do
		shapes[name] = from_hex(hex)
	end
	local compound = from_hex(settings.compound)
	local function color_of(assembly)
		if assembly.motion ~= "dynamic" then
			return false
		end
		local parts = assembly.parts
		return #parts > 1 and compound or shapes[parts[1].shape]
	end
	-- Cells of the ground differ a little, so that one sees how large they are.
	local function grained(color, cell)
		local mixed = (cell.x * 73 + cell.y * 179 + cell.z * 283) % 97 * 61 % 97
		local factor = 1 + settings.grain * (mixed / 48 - 1)
		return { factor * color[1], factor * color[2], factor * color[3] }
	end
	return function(hit)
		local assembly = hit.assembly
		if hit.cell then
			return grained(of_material[hit.material], hit.cell)
		end
		if assembly and of_assembly[assembly] == nil then
			of_assembly[assembly] = color_of(assembly)
		end
		return assembly and of_assembly[assembly] or of_material[hit.material]
	end
end

---------------------------------------------------------------------------------------------------------------
-- Camera and chance
---------------------------------------------------------------------------------------------------------------

-- A function from a place on the picture, 0..1 from the upper left, to a direction.
local function camera(settings, eye)
	local forward = (scree.vec3(settings.target) - eye):normalized()
	local right = forward:cross({ 0, 1, 0 }):normalized()
	local up = right:cross(forward)
	local half = scree.tan(settings.fov * math.pi / 360)
	local aspect = settings.width / settings.height
	return function(u, v)
		return (forward + right * ((2 * u - 1) * half * aspect) + up * ((1 - 2 * v) * half)):normalized()
	end
end

-- Numbers in [0, 1), the same on every machine.
local function chance(seed)
	local state = seed
	return function()
		state = (state * 16807) % 2147483647
		return state / 2147483647
	end
end

-- Two directions across n, and across each other.
local function across(n)
	local a = n:cross(math.abs(n.x) < 0.8 and { 1, 0, 0 } or { 0, 1, 0 }):normalized()
	return a, n:cross(a)
end

---------------------------------------------------------------------------------------------------------------
-- One row of the picture
---------------------------------------------------------------------------------------------------------------

local LIFT = 0.01 -- metres: where light is asked for, above the surface

-- Room for the rays of one row: one to the sun and one to the sky for each sample.
local function row_buffers(settings)
	local n = 2 * settings.width * settings.samples
	return { from = ffi.new("double[?]", 3 * n), to = ffi.new("double[?]", 3 * n), found = ffi.new("double[?]", n) }
end

local function put_ray(buffers, i, from, way)
	local a, b = buffers.from + 3 * i, buffers.to + 3 * i
	a[0], a[1], a[2] = from:unpack()
	b[0], b[1], b[2] = (from + way):unpack()
end

-- Where the sample's light may come from, as two rays: to a place on the sun, and into the half of the sky above the
-- surface, more often straight up from it than flat.
local function put_light_rays(scene, buffers, i, hit)
	local random, settings = scene.random, scene.settings
	local start = hit.position + hit.normal * LIFT
	local angle, radius = 2 * math.pi * random(), math.sqrt(random()) * settings.sun_size
	local aim = scene.sun
		+ scene.sun_a * (radius * scree.cos(angle))
		+ scene.sun_b * (radius * scree.sin(angle))
	put_ray(buffers, 2 * i, start, aim * settings.range)
	local a, b = across(hit.normal)
	local turn, spread = 2 * math.pi * random(), random()
	local flat = math.sqrt(spread)
	local way = a * (flat * scree.cos(turn)) + b * (flat * scree.sin(turn)) + hit.normal * math.sqrt(1 - spread)
	put_ray(buffers, 2 * i + 1, start, way * settings.occlusion)
end

local function sky(settings, way)
	local t = math.max(0, math.min(1, way.y * 3))
	local s = settings.sky_color
	return s[1] * (1.7 - 1.25 * t), s[2] * (1.65 - 0.95 * t), s[3] * (1.5 - 0.35 * t)
end

-- The light that comes from a hit, once its two rays are known.
local function shade(scene, sample, sun_free, sky_free)
	local settings, n, color = scene.settings, sample.normal, sample.color
	local sun = sun_free and math.max(0, n:dot(scene.sun)) or 0
	local open = sky_free and 1 or 0.25
	local up = 0.5 + 0.5 * n.y
	local haze = scree.exp(-sample.distance * 2 / settings.haze)
	local air = { sky(settings, sample.way) }
	local light = {}
	for c = 1, 3 do
		local diffuse = settings.sun_color[c] * sun
			+ open * (settings.sky_color[c] * up + settings.ground_color[c] * (1 - up))
		light[c] = haze * color[c] * diffuse + (1 - haze) * air[c]
	end
	return light[1], light[2], light[3]
end

local function cast_row(scene, buffers, y)
	local settings, samples, hits = scene.settings, {}, 0
	local side = scene.side
	for x = 0, settings.width - 1 do
		for k = 0, settings.samples - 1 do
			local u = (x + (k % side + scene.random()) / side) / settings.width
			local v = (y + (math.floor(k / side) + scene.random()) / side) / settings.height
			local way = scene.look(u, v)
			local hit = scene.world:raycast(scene.eye, scene.eye + way * settings.range)
			local sample = { way = way }
			if hit and not hit.inside then
				sample.ray, sample.normal, sample.distance = hits, hit.normal, hit.distance
				sample.color = scene.color_of(hit)
				put_light_rays(scene, buffers, hits, hit)
				hits = hits + 1
			end
			samples[#samples + 1] = sample
		end
	end
	scene.world:raycasts(2 * hits, buffers.from, buffers.to, buffers.found)
	return samples
end

local function draw_row(scene, buffers, y, rgb)
	local settings, samples = scene.settings, cast_row(scene, buffers, y)
	local n, found = settings.samples, buffers.found
	for x = 0, settings.width - 1 do
		local r, g, b = 0, 0, 0
		for k = 1, n do
			local sample = samples[x * n + k]
			local i = sample.ray
			local sr, sg, sb
			if i then
				sr, sg, sb = shade(scene, sample, found[2 * i] == 2, found[2 * i + 1] == 2)
			else
				sr, sg, sb = sky(settings, sample.way)
			end
			r, g, b = r + sr, g + sg, b + sb
		end
		local at = rgb + 3 * (y * settings.width + x)
		at[0], at[1], at[2] =
			to_byte(r / n, settings.exposure), to_byte(g / n, settings.exposure), to_byte(b / n, settings.exposure)
	end
end

---------------------------------------------------------------------------------------------------------------
-- Pictures
---------------------------------------------------------------------------------------------------------------

--- Draws a world: 3 * width * height bytes from the upper left. options replace the defaults above; on_row(fraction) is
--- called after each row.
function M.draw(world, options, on_row)
	local settings = {}
	for name, value in pairs(defaults) do
		settings[name] = options and options[name] ~= nil and options[name] or value
	end
	local side = math.max(1, math.floor(math.sqrt(settings.samples)))
	settings.samples = side * side
	local eye, sun = scree.vec3(settings.eye), scree.vec3(settings.sun):normalized()
	local sun_a, sun_b = across(sun)
	local scene = {
		world = world,
		settings = settings,
		side = side,
		eye = eye,
		look = camera(settings, eye),
		sun = sun,
		sun_a = sun_a,
		sun_b = sun_b,
		random = chance(20170327),
		color_of = colors_of(world, settings),
	}
	local rgb, buffers = ffi.new("uint8_t[?]", 3 * settings.width * settings.height), row_buffers(settings)
	for y = 0, settings.height - 1 do
		draw_row(scene, buffers, y, rgb)
		if on_row then
			on_row((y + 1) / settings.height)
		end
	end
	return rgb, settings.width, settings.height
end

--- Draws a world into a PNG file: true, or nil and a message.
function M.save(world, path, options, on_row)
	local rgb, width, height = M.draw(world, options, on_row)
	return png.write(path, width, height, rgb)
end

---------------------------------------------------------------------------------------------------------------
-- The landslide
---------------------------------------------------------------------------------------------------------------

local landslide_view = {
	eye = { 107, 12, 84 },
	target = { 135.5, 11, 61.5 },
	fov = 38,
	sun = { -0.82, 0.56, -0.34 },
}

-- The walls round the scene would hide the sky.
local function take_fence_away(world)
	local bounds = world.terrain.bounds
	local lo, hi = bounds.min, bounds.max + scree.vec3(1, 1, 1)
	local middle, size = (lo + hi) / 2, hi - lo
	for _, side in ipairs { -1, 1 } do
		local x, z = middle.x + side * (size.x / 2 - 1), middle.z + side * (size.z / 2 - 1)
		world.terrain:fill_box { position = { x, middle.y, middle.z }, size = { 2, size.y, size.z }, mode = "remove" }
		world.terrain:fill_box { position = { middle.x, middle.y, z }, size = { size.x, size.y, 2 }, mode = "remove" }
	end
end

local function read_arguments(...)
	local values, path = { at = 2.2, count = 600 }, "landslide.png"
	for _, argument in ipairs { ... } do
		local name, value = argument:match "^(%a+)=([%d.]+)$"
		if name and tonumber(value) then
			values[name] = tonumber(value)
		elseif argument:find "=" then
			return nil, argument .. " is not understood"
		else
			path = argument
		end
	end
	return values, path
end

local function main(...)
	local values, path = read_arguments(...)
	if not values then
		io.stderr:write(path, "\n")
		return 2
	end
	local options = { width = values.width, height = values.height, samples = values.samples }
	for name, value in pairs(landslide_view) do
		options[name] = value
	end
	local world = require("examples.landslide").build { count = values.count }
	world:run(values.at)
	take_fence_away(world)
	local ok, message = progress.run("picture", function(bar)
		return M.save(world, path, options, function(fraction)
			bar:update(fraction)
		end)
	end)
	if not ok then
		io.stderr:write(message, "\n")
		return 1
	end
	print(("%s: %d assemblies after %.2f s"):format(path, world.stats.assemblies, world.time))
	return 0
end

if ... == "examples.picture" then
	return M
end
os.exit(main(...))
