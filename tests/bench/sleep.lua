-- What sleeping things cost, and what wakes: one row a scene, each as a ratio within the run.
--
--   luajit tests/bench/sleep.lua [scale]        scale 1: as in docs/performance.md; 0.1: a tenth of the things

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = ("%s/../../lua/?.lua;%s/../../?.lua;%s"):format(here, here, package.path)

local scree = require "scree"
local dig = require "examples.sleep.dig"
local many_boxes = require "examples.sleep.many_boxes"
local pile = require "examples.sleep.pile"

local bench = {}

local function median(list)
	table.sort(list)
	return list[math.ceil(#list / 2)]
end

local function step_ms(world, steps)
	local before = os.clock()
	world:step(1 / 60, steps)
	return 1000 * (os.clock() - before) / steps
end

--- A step of a world with `count` sleepers, and of one with none, in turn.
function bench.idle(count)
	local scene, empty = dig.build(count, 2), scree.world {}
	empty.terrain:fill_box { position = { 0, -2, 0 }, size = { 8, 4, 8 }, material = "ground" }
	assert(scene.world:settle(20), "not at rest")
	local full, none = {}, {}
	for i = 1, 7 do
		full[i], none[i] = step_ms(scene.world, 600), step_ms(empty, 600)
	end
	return { asleep = scene.world.stats.asleep, ms = median(full), empty_ms = median(none) }
end

function bench.dig(count, steps, spacing)
	local scene = dig.build(count, spacing)
	local before = dig.awake_ms(scene, 30)
	assert(scene.world:settle(20), "not at rest")
	local facts = dig.dig(scene, steps)
	facts.awake_ms = math.min(before, dig.awake_ms(scene, 30))
	return facts
end

local function main(scale)
	local function scaled(count)
		return math.max(16, math.floor(count * scale))
	end
	local idle = bench.idle(scaled(100000))
	print(("idle         %d asleep: a step takes %.4f ms, that of an empty world %.4f ms"):format(idle.asleep, idle.ms,
		idle.empty_ms))
	local boxes = many_boxes.measure(scaled(10000), "impulse")
	local text = "at rest      %d of %d asleep, the last %.1f s after the last contact; a step takes %.3f %% of one awake"
	print(text:format(boxes.asleep, boxes.count, boxes.last_sleep - boxes.last_contact,
		100 * boxes.share))
	for _, spacing in ipairs { 10, 5 } do
		local dug = bench.dig(scaled(10000), scaled(600), spacing)
		print(("dig          a box every %d m: %d woke; a step takes %.1f %% of one with all awake"):format(spacing,
			dug.woken, 100 * dug.ms / dug.awake_ms))
	end
	local side = scale < 1 and 6 or 10
	for _, name in ipairs { "rolling", "dropped" } do
		local _, by_impulse = pile[name].run("impulse", nil, side)
		local _, by_island = pile[name].run("velocity", nil, side)
		print(("pile         of %d, %s: %s; with islands %s"):format(side ^ 3, pile[name].title:match "^ball %S+", by_impulse,
			by_island))
	end
end

if ... == "sleep" then
	return bench
end
main(tonumber(arg[1]) or 1)
