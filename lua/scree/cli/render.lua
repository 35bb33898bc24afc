-- scree render: a picture of a scene, at a time of it.

local raise = require "scree.raise"
local hook = require "scree.hook"
local scene = require "scree.cli.scene"
local text = require "scree.text"
local whole_file = require "scree.whole_file"
raise.own()

local render = {}

local USAGE = 2

-- ---- what the words say --------------------------------------------------------------------------------------------

--- "5s", "5" or "500ms" in seconds; nil and a message.
function render.time(word)
	local number, unit = word:match "^(%d*%.?%d+)(%a*)$"
	local factor = ({ [""] = 1, s = 1, ms = 0.001, min = 60 })[unit]
	if not number or not factor then
		return nil, ("a time must be like 5s, 0.5s, 500ms or 2min, got %q"):format(word)
	end
	return tonumber(number) * factor
end

--- "640x360" as { 640, 360 }; nil and a message.
function render.size(word)
	local width, height = word:match "^(%d+)[xX](%d+)$"
	if not width then
		return nil, ("a size must be like 640x360, got %q"):format(word)
	end
	return { tonumber(width), tonumber(height) }
end

--- "1,2.5,-3" as { 1, 2.5, -3 }; nil and a message.
function render.point(word)
	local point = {}
	for number in (word .. ","):gmatch "([^,]*)," do
		point[#point + 1] = tonumber(number)
	end
	if #point ~= 3 or select(2, word:gsub(",", "")) ~= 2 then
		return nil, ("a point must be like 1,2.5,-3, got %q"):format(word)
	end
	return point
end

--- Degrees between 0 and 177; nil and a message.
function render.angle(word)
	local value = tonumber(word)
	if not value or not (value > 0 and value < 177) then
		return nil, ("degrees above 0 and under 177 are expected, got %q"):format(word)
	end
	return value
end

--- A number; nil and a message.
function render.number(word)
	local value = tonumber(word)
	if not value then
		return nil, ("a number is expected, got %q"):format(word)
	end
	return value
end

-- ---- the picture ---------------------------------------------------------------------------------------------------

local function take(world, options)
	local ok, done, message = pcall(world.render, world, options.output, options.picture)
	if not ok then
		return 1, done
	elseif not done then
		return 1, message
	end
	local stats = world.stats
	print(("%s: %d assemblies after %s s"):format(options.output, stats.assemblies,
		text.number(math.floor(world.time * 1000 + 0.5) / 1000)))
	return 0
end

-- Half a step: what a script calls 5 s may be a bit less in binary.
local function is_time(world, options)
	return options.at and world.time >= options.at - 1 / 120
end

-- A watcher of worlds that takes the picture when one has come to the time; without a time it remembers the world that
-- was made or stepped last.
local function new_watcher(options, exit)
	local watcher = {}

	function watcher.made(world)
		watcher.world = world
	end

	local function look(world)
		watcher.world = world
		if is_time(world, options) then
			local code, message = take(world, options)
			if message then
				io.stderr:write("scree: ", message, "\n")
			end
			io.stdout:flush()
			exit(code, true)
		end
	end

	watcher.before, watcher.after = look, look
	return watcher
end

-- When the script has ended: the picture if it was not to be taken at a time, or why there is none.
local function at_end(watcher, options)
	local world = watcher.world
	if not world then
		return 1, "the scene made no world"
	elseif not world.valid then
		return 1, "the scene destroyed its world: --at says when the picture is to be taken"
	elseif options.at and not is_time(world, options) then
		return 1, ("the scene ended %s s after its start, before %s s"):format(
			text.number(math.floor(world.time * 1000 + 0.5) / 1000), text.number(options.at))
	end
	return take(world, options)
end

---@class scree.RenderCommand
---@field scene string
---@field output string
---@field at number? seconds
---@field size integer[]?
---@field from number[]?
---@field look number[]?
---@field fov number? degrees
---@field samples number?
---@field colors string?
---@field picture scree.RenderOptions? made of the above

--- Runs a script and takes the picture.
---@param options scree.RenderCommand
---@param arguments string[] the scene's
---@return integer code
---@return string? message
function render.run(options, arguments)
	options.picture = {
		size = options.size, from = options.from, look = options.look, samples = options.samples,
		colors = options.colors, fov = options.fov and math.rad(options.fov),
	}
	local ok, wrong = pcall(require("scree.render").check, options.picture)
	if not ok then
		return USAGE, (wrong:gsub("^.-render: opts%.", "--"))
	end
	local writable, why_not = whole_file.probe(options.output)
	if not writable then
		return 1, why_not
	end
	local exit = os.exit
	local watcher = new_watcher(options, exit)
	local stop = hook.watch(watcher)
	local function leave(code)
		if code == nil or code == true or code == 0 then
			local message
			code, message = at_end(watcher, options)
			if message then
				io.stderr:write("scree: ", message, "\n")
			end
			io.stdout:flush()
		end
		exit(code, true)
	end
	os.exit = leave -- luacheck: ignore 122
	local code, message = scene.run(options.scene, arguments)
	os.exit = exit -- luacheck: ignore 122
	stop()
	if code ~= 0 then
		return code, message
	end
	return at_end(watcher, options)
end

return render
