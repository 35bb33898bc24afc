-- A sleeping pile of 1,000 boxes, ten a side. A ball is dropped on one corner of it, or rolls over it. Putting whole
-- islands to sleep and waking them, as the rule of velocities does, wakes all of it; by impulses little wakes.
--
--   luajit examples/sleep/pile.lua [dropped | rolling]

local scree = require "scree"
local states = require "examples.sleep.states"

local M = {}

local SIDE = 10

function M.build(rule, side)
	side = side or SIDE
	local world = scree.world { sleep = { rule = rule } }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "rock" }
	local middle = (side - 1) / 2
	for i = 0, side ^ 3 - 1 do
		world:spawn {
			shape = "box", size = { 1, 1, 1 }, friction = 0.6,
			position = { i % side - middle, 0.5 + math.floor(i / side ^ 2), math.floor(i / side) % side - middle },
		}
	end
	return { world = world, count = side ^ 3, top = side, edge = side / 2, settled = world:settle(30) }
end

--- How many of a pile wake, in `seconds`, by a ball; `woken`: the set of them.
local function count_woken(scene, seconds, watch, ball)
	local woken, count = {}, 0
	states.run(scene.world, seconds, watch, { { "ball", ball } }, function()
		for event in scene.world:events "wake" do
			if event.assembly ~= ball and not woken[event.assembly] then
				woken[event.assembly] = true
				count = count + 1
			end
		end
	end)
	return count, woken
end

local function outcome(scene, count, facts)
	local ok = scene.settled ~= nil and count < 0.05 * scene.count
	return ok, ("%.1f %% woke"):format(100 * count / scene.count), facts
end

M.dropped = {
	title = "ball dropped on one corner of a sleeping 1,000-box pile", right = "wakes only what it disturbs: under 5 %",
	run = function(rule, watch, side)
		local scene = M.build(rule, side)
		local ball = scene.world:spawn {
			shape = "ball", radius = 0.3, density = 1000, restitution = 0.2,
			position = { scene.edge - 0.3, scene.top + 2.3, scene.edge - 0.3 },
		}
		local count, woken = count_woken(scene, 4, watch, ball)
		return outcome(scene, count, { woken = count, set = woken, ball = ball, scene = scene })
	end,
}

M.rolling = {
	title = "ball rolling over a sleeping 1,000-box pile", right = "wakes under 5 %",
	run = function(rule, watch, side)
		local scene = M.build(rule, side)
		local ball = scene.world:spawn {
			shape = "ball", radius = 0.3, density = 1000, rolling = 0, position = { 1.5 - scene.edge, scene.top + 0.3, 0.5 },
			velocity = { 1.5, 0, 0 }, angular_velocity = { 0, 0, -5 },
		}
		local start = ball.position
		local count, woken = count_woken(scene, (2 * scene.edge - 3) / 1.5, watch, ball)
		local ok, said, facts = outcome(scene, count, { woken = count, set = woken, went = ball.position.x - start.x })
		return ok and facts.went > scene.edge, said, facts
	end,
}

if ... == "examples.sleep.pile" then
	return M
end
os.exit(states.main(M[... or "dropped"]))
