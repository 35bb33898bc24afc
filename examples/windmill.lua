-- A windmill: heavy blades turn on a hinge at the tower for a minute. The tower rests on the ground and sleeps all the
-- while, though what is joined to it never does.
--
--   luajit examples/windmill.lua
--
-- As a module, for tests and the table of docs/sleep.md:  require("examples.windmill").run(rule)

local scree = require "scree"
local states = require "examples.sleep.states"

local M = {
	title = "windmill: spinning blades on a hinge, resting base", right = "base asleep, blades awake, for 60 s",
}

--- options: rule, speed (1 rad/s), blade (kg of a blade on one side alone, m_arm 2; nil: four that balance).
function M.build(options)
	local world = scree.world { sleep = { rule = options.rule } }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "rock" }
	local base = world:spawn {
		shape = "box", size = { 1, 3, 1 }, position = { 0, 1.5, 0 }, mass = options.base_mass or 200, friction = 0.5,
	}
	local parts = {
		{ shape = "box", size = { 4, 0.2, 0.1 }, density = 60 }, { shape = "box", size = { 0.2, 4, 0.1 }, density = 60 },
	}
	if options.blade then
		parts = {
			{ shape = "box", size = { 2, 0.1, 0.1 }, position = { 1, 0, 0 }, density = 1 },
			{ shape = "box", size = { 0.2, 0.2, 0.2 }, position = { 2, 0, 0 }, density = options.blade / 0.008 },
		}
	end
	local blades = world:spawn { position = { 0, 2.5, 0.7 }, parts = parts }
	local hinge = world:joint {
		type = "hinge", a = base, b = blades, at = { 0, 2.5, 0.5 }, axis = { 0, 0, 1 },
		motor = { speed = options.speed or 1, max_torque = 5000 },
	}
	return { world = world, base = base, blades = blades, hinge = hinge }
end

--- Lets it turn for 60 s after it has had time to settle; facts: changes of the base's state, how far it moved, and the
--- angle that the blades turned by.
function M.watch(scene, watch)
	local world, named = scene.world, { { "base", scene.base }, { "blades", scene.blades } }
	states.run(world, 10, watch, named)
	local facts = { changes = 0, slept = scene.base.state ~= "awake", blades = scene.blades.state }
	local place, angle = scene.base.position, scene.hinge.angle
	states.run(world, 60, watch, named, function()
		for event in world:events() do
			if event.assembly == scene.base and (event.kind == "sleep" or event.kind == "wake") then
				facts.changes = facts.changes + 1
			end
		end
	end)
	facts.moved, facts.turned = (scene.base.position - place):length(), scene.hinge.angle - angle
	facts.blades = scene.blades.state
	return facts
end

function M.run(rule, watch)
	local facts = M.watch(M.build { rule = rule }, watch)
	local ok = facts.slept and facts.changes == 0 and facts.blades == "awake" and facts.moved < 1e-3
		and math.abs(facts.turned - 60) < 0.6
	local said = ("base %s, blades %s, turned by %.0f rad"):format(
		facts.slept and facts.changes == 0 and "asleep" or facts.slept and "asleep at times" or "awake all the time",
		facts.blades, facts.turned)
	return ok, said, facts
end

if ... == "examples.windmill" then
	return M
end
os.exit(states.main(M))
