-- Rocks dropped into a pond: they are slowed at the surface, sink at the speed at which drag bears what they weigh
-- there, and come to rest on the bottom.
--
--   luajit examples/water/sinking_rock.lua

local scree = require "scree"

local M = {}

function M.build()
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -20.5, 0 }, size = { 30, 1, 30 }, material = "sand" }
	world.terrain:fill_box { position = { 0, -10, 0 }, size = { 30, 20, 30 }, material = "water" }
	local rocks = {
		world:spawn { shape = "ball", radius = 0.5, position = { -4, 3, 0 }, material = "basalt" },
		world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, 3, 0 }, material = "basalt" },
		world:spawn { shape = "ball", radius = 0.1, position = { 4, 3, 0 }, material = "basalt" },
	}
	return world, rocks
end

function M.run()
	local world, rocks = M.build()
	local facts = { world = world, rocks = rocks, splash = {}, sinking = {}, energy_gained = 0 }
	local before = {}
	local function energy(rock) -- J/kg, with what water lifts left out: on the way down it can only fall
		return rock.velocity:length_squared() / 2 + 9.81 * rock.position.y
	end
	for _ = 1, 60 * 30 do
		world:step()
		for i, rock in ipairs(rocks) do
			if rock.position.y > -18 then
				facts.energy_gained = math.max(facts.energy_gained, energy(rock) - (before[i] or math.huge))
			end
			before[i] = energy(rock)
			if rock.position.y < 0 and not facts.splash[i] then
				facts.splash[i] = -rock.velocity.y
			end
			if rock.position.y < -12 and not facts.sinking[i] then
				facts.sinking[i] = -rock.velocity.y
			end
		end
		if world.stats.awake == 0 then
			break
		end
	end
	facts.seconds = world.time
	return facts
end

if ... == "examples.water.sinking_rock" then
	return M
end
local f = M.run()
for i, rock in ipairs(f.rocks) do
	print(("rock of %6.1f kg: %.2f m/s at the surface, %.2f m/s deep down, at rest at %.2f m"):format(rock.mass,
		f.splash[i], f.sinking[i], rock.position.y))
end
