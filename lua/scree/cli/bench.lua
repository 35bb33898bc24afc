-- scree bench: how long the steps of a scene take.

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local hook = require "scree.hook"
local object = require "scree.object"
local scene = require "scree.cli.scene"
local scree = require "scree"
local C = require("scree.ffi").C
raise.own()

local bench = {}

local COUNT, STEPS = 500, 300

-- ---- the scene that is there without one ---------------------------------------------------------------------------

local function heap()
	local world = scree.world {}
	world.terrain:generate {
		min = { -32, -32 }, max = { 32, 32 },
		height = function(x, z)
			return 2 * scree.sin(0.2 * x) * scree.cos(0.15 * z) + 0.01 * (x * x + z * z), "grass"
		end,
	}
	local shapes = {
		{ shape = "ball", radius = 0.4 },
		{ shape = "box", size = { 0.8, 0.6, 0.7 } },
		{ shape = "capsule", radius = 0.3, length = 0.6 },
	}
	for i = 0, COUNT - 1 do
		local column, layer = i % 49, math.floor(i / 49)
		local x, z = 1.4 * (column % 7 - 3) + 0.05 * layer, 1.4 * (math.floor(column / 7) - 3)
		local def = { position = { x, 5 + 1.5 * layer, z } }
		for key, value in pairs(shapes[i % #shapes + 1]) do
			def[key] = value
		end
		world:spawn(def)
	end
	world:run(STEPS / 60)
end

-- ---- measuring -----------------------------------------------------------------------------------------------------

local stats = ffi.new "ScreeStats"

-- A watcher of steps that keeps the milliseconds of each, by world in order of their first step.
local function new_watcher()
	local watcher = { runs = {}, of = setmetatable({}, { __mode = "k" }) }

	function watcher.after(world)
		local run = watcher.of[world]
		if not run then
			run = { times = {}, stages = {}, bodies = 0, threads = world.threads }
			watcher.of[world] = run
			watcher.runs[#watcher.runs + 1] = run
		end
		if C.screeWorld_Stats(world[object.POINTER], stats) < 0 then
			return
		end
		run.times[#run.times + 1] = stats.step_ms
		run.bodies = math.max(run.bodies, stats.assemblies)
		local i = 0
		while i < 10 and C.screeWorld_StageName(i) ~= nil do
			local stage = run.stages[i + 1] or { name = ffi.string(C.screeWorld_StageName(i)), times = {} }
			run.stages[i + 1] = stage
			stage.times[#stage.times + 1] = stats.stage_ms[i]
			i = i + 1
		end
	end

	return watcher
end

local function at_share(times, share)
	return times[math.max(1, math.ceil(share * #times))]
end

local function report_world(number, run)
	table.sort(run.times)
	print(("world %d: %d steps, %d bodies, %d thread%s"):format(
		number, #run.times, run.bodies, run.threads, run.threads == 1 and "" or "s"))
	print(("  median %.3f ms a step, 95 %% under %.3f ms, longest %.3f ms"):format(
		at_share(run.times, 0.5), at_share(run.times, 0.95), run.times[#run.times]))
	local words = {}
	for i, stage in ipairs(run.stages) do
		table.sort(stage.times)
		words[i] = ("%s %.3f"):format(stage.name, at_share(stage.times, 0.5))
	end
	print("  medians by stage, ms: " .. table.concat(words, ", "))
end

local function report(watcher)
	for number, run in ipairs(watcher.runs) do
		report_world(number, run)
	end
	return #watcher.runs > 0
end

--- Times a script, or the scene that is there without one.
---@param path string?
---@param arguments string[]
---@return integer code
---@return string? message
function bench.run(path, arguments)
	local watcher = new_watcher()
	local stop = hook.watch(watcher)
	local exit = os.exit
	os.exit = function(...) -- luacheck: ignore 122
		report(watcher)
		io.stdout:flush()
		exit(...)
	end
	local code, message = 0, nil
	if path then
		code, message = scene.run(path, arguments)
	else
		heap()
	end
	os.exit = exit -- luacheck: ignore 122
	stop()
	if not report(watcher) and code == 0 then
		return 1, "the scene made no step"
	end
	return code, message
end

return bench
