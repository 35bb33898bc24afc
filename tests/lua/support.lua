-- What several test files need.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local support = {}

support.NAN = 0 / 0
support.INF = math.huge

--- The path of a file of the collection of real files (the folder SCREE_CORPUS, or shared/corpus beside the project's);
--- where there is none, the test that asks is skipped.
function support.corpus(name)
	local folder = os.getenv "SCREE_CORPUS" or (os.getenv "SCREE_SOURCE_ROOT" or ".") .. "/../shared/corpus"
	local path = folder .. "/" .. name
	local file = io.open(path, "rb")
	luaunit.skipIf(not file, "no collection of real files")
	file:close()
	return path
end

--- Asserts that fn raises an error which is placed in fn itself and says all of the given words.
function support.fails(fn, ...)
	local ok, message = pcall(fn)
	support.is_error_of(fn, ok, message, ...)
	return message
end

--- The same for a result of pcall; source is the function whose lines the error must name.
function support.is_error_of(source, ok, message, ...)
	local info = debug.getinfo(source, "S")
	if ok then
		luaunit.fail(("no error from line %d"):format(info.linedefined))
	end
	local file, line = tostring(message):match "([^/\\:]+):(%d+): "
	if file ~= info.short_src:match "[^/\\]+$" then
		luaunit.fail(("the error is not placed in the test: %s"):format(tostring(message)))
	end
	line = tonumber(line)
	if line < info.linedefined or line > info.lastlinedefined then
		luaunit.fail(("the error names a line other than %d: %s"):format(info.linedefined, message))
	end
	for _, words in ipairs { ... } do
		if not message:find(words, 1, true) then
			luaunit.fail(("%q does not say %q"):format(message, words))
		end
	end
end

--- Asserts that a vec3 has the given components within a margin (0 unless given).
function support.is_vec3(value, x, y, z, margin)
	margin = margin or 0
	if
		type(value) ~= "cdata"
		or not (math.abs(value.x - x) <= margin and math.abs(value.y - y) <= margin and math.abs(value.z - z) <= margin)
	then
		luaunit.fail(("expected vec3(%.17g, %.17g, %.17g), got %s"):format(x, y, z, tostring(value)))
	end
end

--- The same for a quat; q and its negative are the same rotation.
function support.is_quat(value, x, y, z, w, margin)
	local sign = value.x * x + value.y * y + value.z * z + value.w * w < 0 and -1 or 1
	local worst = math.max(
		math.abs(sign * value.x - x),
		math.abs(sign * value.y - y),
		math.abs(sign * value.z - z),
		math.abs(sign * value.w - w)
	)
	if not (worst <= (margin or 0)) then
		luaunit.fail(("expected quat(%.17g, %.17g, %.17g, %.17g), got %s"):format(x, y, z, w, tostring(value)))
	end
end

--- A world with a flat floor of rock whose surface is at y = 0.
function support.world_with_floor(options)
	local world = scree.world(options)
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 32, 4, 32 }, material = "rock" }
	return world
end

--- A box of one metre, with what is given changed.
function support.box(world, changes)
	return world:spawn(scenery.with({ shape = "box", size = { 1, 1, 1 }, position = { 0, 5, 0 } }, changes))
end

--- What an iterator gives, as a list.
function support.list(...)
	local list = {}
	for value in ... do
		list[#list + 1] = value
	end
	return list
end

--- The number of values before a nil.
function support.count(...)
	return #support.list(...)
end

return support
