-- Boxes of all sizes fall on a gentle slope and come to rest: 10,000 of them, or as many as the first argument says.
--
--   luajit examples/sleep/many_boxes.lua [count]
--
-- Prints when the last of them slept after the last contact was made, and what a step costs then beside what it cost
-- when all were awake.

local scree = require "scree"

local M = {
	title = "10,000 boxes at rest on terrain",
	right = "all asleep within 2 s of the last contact; step cost then under 2 % of awake cost",
}

local function generator(seed)
	local state = seed
	return function()
		state = (state * 16807) % 2147483647
		return (state - 1) / 2147483646
	end
end

local function height(x, z)
	return 0.06 * x + 0.03 * z
end

--- A world in which `count` boxes are about to fall on a slope.
function M.build(count, rule)
	local world, random = scree.world { sleep = { rule = rule } }, generator(11)
	local side = math.ceil(math.sqrt(count))
	local half = side + 4
	local slope = scree.axis_angle({ 0, 0, 1 }, math.atan(0.06)) * scree.axis_angle({ 1, 0, 0 }, -math.atan(0.03))
	world.terrain:generate {
		min = { -half, -half }, max = { half, half }, height = height, material = "grass", bottom = 4,
	}
	for i = 0, count - 1 do
		local x, z = 2 * (i % side) - side + 0.3 * random(), 2 * math.floor(i / side) - side + 0.3 * random()
		world:spawn {
			shape = "box", size = { 0.5 + 0.6 * random(), 0.5 + 0.4 * random(), 0.5 + 0.6 * random() }, material = "wood",
			position = { x, height(x, z) + 0.6 + 0.1 * random(), z },
			rotation = slope * scree.axis_angle({ 0, 1, 0 }, 6 * random()),
		}
	end
	return world
end

local function median(list)
	table.sort(list)
	return list[math.ceil(#list / 2)]
end

--- Facts: last_contact, last_sleep (s), asleep, share (of a step's time, asleep to awake).
function M.measure(count, rule)
	local world = M.build(count, rule)
	local facts, awake, asleep = { count = count, last_contact = 0 }, {}, {}
	for _ = 1, 60 * 30 do
		local before = os.clock()
		world:step()
		local ms = 1000 * (os.clock() - before)
		for event in world:events() do
			if event.kind == "contact_begin" then
				facts.last_contact = world.time
			elseif event.kind == "sleep" then
				facts.last_sleep = world.time
			end
		end
		if world.stats.awake + world.stats.checking == count then
			awake[#awake + 1] = ms
		elseif world.stats.awake + world.stats.checking == 0 then
			break
		end
	end
	facts.asleep = world.stats.asleep
	for i = 1, 7 do
		local before = os.clock()
		world:step(1 / 60, 60)
		asleep[i] = 1000 * (os.clock() - before) / 60
	end
	facts.awake_ms, facts.asleep_ms = median(awake), median(asleep)
	facts.share = facts.asleep_ms / facts.awake_ms
	world:destroy()
	return facts
end

function M.run(rule, _, count)
	local facts = M.measure(count or 10000, rule)
	local late = (facts.last_sleep or 1e9) - facts.last_contact
	local ok = facts.asleep == facts.count and late <= 2
	return ok, ("%d asleep, the last %.1f s after the last contact"):format(facts.asleep, late), facts
end

if ... == "examples.sleep.many_boxes" then
	return M
end
local ok, said, facts = M.run("impulse", nil, tonumber(arg[1]))
print(said)
print(("a step took %.2f ms when all were awake, and takes %.3f ms: %.2f %%"):format(facts.awake_ms, facts.asleep_ms,
	100 * facts.share))
os.exit(ok and facts.share < 0.02 and 0 or 1)
