-- Pictures of a world, without a display or a GPU: rays of the world itself, sun and sky with their shadows, colours of
-- materials, water that one sees into, and lines for ropes.
--
--   world:render("shot.png", { size = { 640, 360 }, from = { 20, 10, 20 }, look = { 0, 0, 0 } })

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local bridge = require "scree.ffi"
local object = require "scree.object"
local progress = require "scree.progress"
local vec3 = require "scree.vec3"
local camera = require "scree.render.camera"
local cast = require "scree.render.cast"
local light = require "scree.render.light"
local lines = require "scree.render.lines"
local palette = require "scree.render.palette"
local shade = require "scree.render.shade"
raise.own()

local C = bridge.C
local Vec3 = vec3.type

local render = {}

local class -- the world's

local WHERE = "render: "
local SIDE_LIMIT = 8192
local BAND = 32 -- rows of pixels that are worked on together,
local BAND_SAMPLES = 2e6 -- as long as they have no more samples
local FAR = 30 -- how many times further than what is looked at there is still something to see
local LEAST_RANGE = 2000 -- metres
local REACH = 1e8 -- metres: of points, and of what is seen from them; rays may go ten times as far

local OPTIONS = check.names { "size", "from", "look", "fov", "samples", "sun", "colors", "joints" }
local colorings = check.choices { "material", 0, "assembly", 1, "shape", 2, "state", 3 }
local SIDES = { [1] = 1, [4] = 2, [9] = 3, [16] = 4 } -- samples -> samples along a pixel's side
local SKY_RAYS = { 8, 2, 1, 1 } -- a sample, by the same side

-- ---- options -------------------------------------------------------------------------------------------------------

local function read_vector(value, where, name)
	if value ~= nil then
		return Vec3(check.vec3(value, where, name))
	end
end

local function read_point(value, where, name)
	local point = read_vector(value, where, name)
	if point and math.max(math.abs(point.x), math.abs(point.y), math.abs(point.z)) > REACH then
		check.wrong(value, where, name, "a point within 1e8 m of the origin")
	end
	return point
end

local function read_samples(value, where)
	local side = value == nil and 2 or SIDES[value]
	if not side then
		check.wrong(value, where, "samples", "1, 4, 9 or 16")
	end
	return side
end

local function read_size(value, where)
	if value == nil then
		return 640, 360
	end
	check.list(value, 2, 2, where, "size")
	return check.whole(value[1], 1, SIDE_LIMIT, where, "size[1]"), check.whole(value[2], 1, SIDE_LIMIT, where, "size[2]")
end

local function read_sun(value, where)
	local sun = read_vector(value, where, "sun")
	if sun and sun:length() == 0 then
		check.wrong(value, where, "sun", "a direction")
	end
	return sun and sun:normalized()
end

local function read_options(opts)
	local where = WHERE
	if opts == nil then
		opts = {}
	else
		check.table(opts, where, "opts")
		where = where .. "opts."
		check.keys(opts, OPTIONS, where)
	end
	local options = { side = read_samples(opts.samples, where), colors = opts.colors, fov = 0.7 }
	options.width, options.height = read_size(opts.size, where)
	options.from, options.look = read_point(opts.from, where, "from"), read_point(opts.look, where, "look")
	options.sun = read_sun(opts.sun, where)
	options.joints = opts.joints == nil or check.boolean(opts.joints, where, "joints")
	if opts.fov ~= nil then -- which a null pointer is equal to, though it is true
		options.fov = check.positive(opts.fov, where, "fov")
		if options.fov >= 3.1 then
			check.wrong(opts.fov, where, "fov", "an angle of under 3.1")
		end
	end
	if options.colors == nil then
		options.colors = "material"
	elseif type(options.colors) ~= "function" then
		check.choice(options.colors, colorings, where, "colors")
	end
	if options.from and options.look and (options.from - options.look):length() == 0 then
		raise.error(where .. "look must be another point than from")
	end
	return options
end

--- Raises what is wrong with options.
---@param opts scree.RenderOptions?
function render.check(opts)
	read_options(opts)
end

-- ---- the scene of a picture ----------------------------------------------------------------------------------------

local function new_query(water)
	local query = ffi.new "ScreeQuery"
	C.scree_query_defaults(query)
	query.water, query.inside = water, 0
	return query
end

-- From behind the left shoulder.
local function default_sun(view)
	local back, left = -view.forward, -view.right
	local flat = (back * 0.5 + left):normalized()
	return (Vec3(flat.x, 0, flat.z) + Vec3(0, 1.1, 0)):normalized()
end

local function new_scene(world, options)
	local color_of = palette.of(world, class, options.colors) -- first: it may call the script
	local aspect = options.width / options.height
	local eye, target = camera.place(world, options.from, options.look, options.fov, aspect)
	local view = camera.new(eye, target, options.fov, aspect)
	local scene = {
		pointer = world[object.POINTER],
		width = options.width, height = options.height, side = options.side,
		view = view,
		depth = camera.depth(world[object.POINTER], eye), -- of the eye in water
		range = math.min(3 * REACH, math.max(LEAST_RANGE, FAR * view.distance)),
		haze = math.max(200, 40 * view.distance),
		occlusion = 0.35 * view.distance,
		sun = options.sun or default_sun(view),
		color_of = color_of,
		hit = ffi.new "ScreeHit",
		wet = new_query(1), dry = new_query(0),
	}
	scene.lines = options.joints and lines.of(world, scene) or {}
	return scene
end

-- ---- drawing -------------------------------------------------------------------------------------------------------

local function draw(scene, rgb, bar)
	local side, height = scene.side, scene.height
	local rows, margin = height * side, light.MARGIN
	local width = scene.width * side
	local band = math.max(1, math.min(BAND, math.floor((BAND_SAMPLES / width - 2 * margin) / side)))
	local room = math.min(rows, band * side + 2 * margin) * width
	local samples, shared = cast.Samples(room), ffi.new("float[?]", 2 * room)
	local lamp = light.new(SKY_RAYS[side])
	for top = 0, height - 1, band do
		local bottom = math.min(height, top + band) - 1
		local first = math.max(0, top * side - margin)
		local last = math.min(rows, (bottom + 1) * side + margin) - 1
		cast.rows(scene, samples, first, last)
		lines.draw(scene, samples, first, last)
		light.rows(scene, lamp, samples, first, last, shared)
		shade.rows(scene, samples, shared, first, top, bottom, rgb)
		bar:update((bottom + 1) / height)
	end
end

--- Draws a world: 3 * width * height bytes of red, green and blue from the upper left, row after row.
---@param world scree.World
---@param opts scree.RenderOptions?
---@return ffi.cdata* rgb
---@return integer width
---@return integer height
function render.draw(world, opts)
	object.alive(world, class, "render")
	local options = read_options(opts)
	local rgb = ffi.new("uint8_t[?]", 3 * options.width * options.height)
	progress.run("picture", function(bar)
		draw(new_scene(world, options), rgb, bar)
	end)
	return rgb, options.width, options.height
end

--- Writes 8-bit red, green and blue into a PNG file. nil, message when it cannot be written; then an old file is as it
--- was.
---@param path string
---@param width integer
---@param height integer
---@param rgb ffi.cdata* 3 * width * height bytes
---@return true?
---@return string? message
function render.write_png(path, width, height, rgb)
	local where = "write_png: "
	check.path(path, where, "path")
	check.whole(width, 1, 32768, where, "width")
	check.whole(height, 1, 32768, where, "height")
	local slot = ffi.new "const uint8_t *[1]"
	check.buffer(rgb, slot, 3 * width * height, where, "rgb", "a buffer of 3 * width * height bytes")
	local message = ffi.new "char[512]"
	local code = C.scree_write_png(path, width, height, slot[0], message, 512)
	if code == C.SCREE_OUT_OF_MEMORY then
		raise.error(where .. "out of memory")
	elseif code < 0 then
		return nil, where .. ffi.string(message)
	end
	return true
end

--- Adds the method to the world's class.
function render.install(world_class)
	class = world_class
	---@class scree.World
	local methods = class.methods

	---Writes a picture of the world into a PNG file, without a display or a GPU. nil, message when it cannot be written.
	---@param path string
	---@param opts scree.RenderOptions?
	---@return true?
	---@return string? message
	function methods.render(self, path, opts)
		object.alive(self, class, "render")
		check.path(path, WHERE, "path")
		local rgb, width, height = render.draw(self, opts)
		local ok, message = render.write_png(path, width, height, rgb)
		return ok, message and message:gsub("^write_png: ", WHERE) or nil
	end
end

return render
