-- Ten thousand boxes sleep on flat ground. A cube of 3³ cells is dug out at every step, here and there, for 600 steps.
-- What wakes are the boxes whose ground changed, and what comes to move by it.
--
--   luajit examples/sleep/dig.lua [boxes] [steps]

local scree = require "scree"

local M = {}

local function generator(seed)
	local state = seed
	return function(n)
		state = (state * 16807) % 2147483647
		return state % n
	end
end

--- Boxes `spacing` (10) metres apart. Facts: world, boxes, and span, the width of the ground that they stand on.
function M.build(count, spacing)
	local world = scree.world {}
	local side, step = math.ceil(math.sqrt(count)), spacing or 10
	local span = side * step
	world.terrain:fill_box { position = { 0, -4, 0 }, size = { span + 8, 8, span + 8 }, material = "ground" }
	local scene = { world = world, span = span, boxes = {} }
	for i = 0, count - 1 do
		scene.boxes[i + 1] = world:spawn {
			shape = "box", size = { 1, 1, 1 }, friction = 0.6, position = {
				step * (i % side + 0.5) - span / 2, 0.5, step * (math.floor(i / side) + 0.5) - span / 2,
			},
		}
	end
	return scene
end

local function median(list)
	table.sort(list)
	return list[math.ceil(#list / 2)]
end

local function timed_step(world)
	local before = os.clock()
	world:step()
	return 1000 * (os.clock() - before)
end

--- Median milliseconds of a step in which all are awake.
function M.awake_ms(scene, steps)
	local list = {}
	scene.world.sleep = { enabled = false }
	scene.world:step(1 / 60, 10)
	for i = 1, steps do
		list[i] = timed_step(scene.world)
	end
	scene.world.sleep = { enabled = true }
	return median(list)
end

--- Digs for `steps`; each(edit, woken), if given, hears of every step what was edited (min and max of the cells, in
--- metres) and which boxes woke. Facts: median milliseconds of a step, and how many boxes woke.
function M.dig(scene, steps, each)
	local random, world, list, set, count = generator(99), scene.world, {}, {}, 0
	local span = scene.span
	for i = 1, steps do
		local x, z = random(span) - span / 2, random(span) - span / 2
		world.terrain:fill_box {
			position = { x + 0.5, -0.5, z + 0.5 }, size = { 3, 3, 3 },
			mode = "remove", material = "air",
		}
		list[i] = timed_step(world)
		local woken = {}
		for event in world:events "wake" do
			woken[#woken + 1] = event
			if not set[event.assembly] then
				set[event.assembly] = true
				count = count + 1
			end
		end
		if each then
			each({ min = { x - 1, -2, z - 1 }, max = { x + 2, 1, z + 2 } }, woken)
		end
	end
	return { ms = median(list), woken = count, set = set }
end

if ... == "examples.sleep.dig" then
	return M
end
local scene = M.build(tonumber(arg[1]) or 10000)
local awake = M.awake_ms(scene, 60)
assert(scene.world:settle(20), "not at rest")
local facts = M.dig(scene, tonumber(arg[2]) or 600)
print(("%d of %d boxes woke"):format(facts.woken, #scene.boxes))
print(("a step with an edit takes %.3f ms, one with all awake %.3f ms: %.2f %%"):format(facts.ms, awake,
	100 * facts.ms / awake))
