-- A machine with a lopsided wheel shakes on a platform of concrete, on which boxes stand.
--
--   luajit examples/sleep/vibrating_machine.lua

local scree = require "scree"
local states = require "examples.sleep.states"

local M = {
	title = "vibrating machine on a sleeping floor", right = "machine awake, floor and its other guests asleep",
}

function M.run(rule, watch)
	local world = scree.world { sleep = { rule = rule } }
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 24, 4, 24 }, material = "rock" }
	local floor = world:spawn { shape = "box", size = { 8, 0.5, 8 }, position = { 0, 0.25, 0 }, material = "concrete" }
	local guests = {}
	for i, place in ipairs { { -3, -3 }, { -3, 3 }, { 3, -3 }, { 3, 3 } } do
		guests[i] = world:spawn { shape = "box", size = { 1, 1, 1 }, position = { place[1], 1, place[2] } }
	end
	local machine = world:spawn { shape = "box", size = { 2, 1, 1.5 }, position = { 0, 1, 0 }, friction = 0.8 }
	local wheel = world:spawn {
		position = { 0, 1, 1 }, collides_with = "none",
		parts = {
			{ shape = "cylinder", radius = 0.4, length = 0.2, rotation = scree.axis_angle({ 1, 0, 0 }, math.pi / 2) },
			{ shape = "box", size = { 0.2, 0.2, 0.2 }, position = { 0.3, 0, 0 }, density = 8000 },
		},
	}
	world:joint {
		type = "hinge", a = machine, b = wheel, at = { 0, 1, 0.75 }, axis = { 0, 0, 1 },
		motor = { speed = 25, max_torque = 2000 },
	}
	local named = { { "machine", machine }, { "floor", floor }, { "guest", guests[1] } }
	states.run(world, 8, watch, named)
	local awake = { floor = 0, guests = 0 }
	local fastest, steps = 0, 0
	states.run(world, 20, watch, named, function()
		steps = steps + 1
		awake.floor = awake.floor + (floor.state == "awake" and 1 or 0)
		for _, guest in ipairs(guests) do
			awake.guests = awake.guests + (guest.state == "awake" and 1 or 0)
		end
		fastest = math.max(fastest, wheel.angular_velocity:length())
	end)
	local share = math.max(awake.floor / steps, awake.guests / (4 * steps))
	local ok = wheel.state == "awake" and share == 0 and fastest > 20
	return ok, ("wheel %s, floor and guests awake %.0f %% of the time"):format(wheel.state, 100 * share),
		{ share = share, machine = machine.state }
end

if ... == "examples.sleep.vibrating_machine" then
	return M
end
os.exit(states.main(M))
