-- Rope: a hundred links of 100 g, let go from the side with a weight of a tonne on it, until all hangs still. Prints
-- who is awake.
--
--   luajit examples/rope.lua [links] [load in kg]
--
-- The scene is also a module, for tests:  local rope = require "examples.rope"

local scree = require "scree"

local M = {}

local LINK = 0.1 -- metres

-- options: links (100), link_mass (0.1 kg), load (1000 kg), threads (1).
function M.build(options)
	options = options or {}
	local count = options.links or 100
	local world = scree.world { threads = options.threads or 1 }
	local scene = { world = world, length = count * LINK, load_mass = options.load or 1000 }
	local along, last = scree.axis_angle({ 0, 0, 1 }, 0.5 * math.pi), nil
	for i = 1, count do
		local link = world:spawn {
			shape = "capsule", radius = 0.02, length = 0.06, position = { (i - 0.5) * LINK, 0, 0 }, rotation = along,
		}
		link.mass = options.link_mass or 0.1
		world:joint { type = "ball", a = last, b = link, at = { (i - 1) * LINK, 0, 0 } }
		last = link
	end
	scene.load = world:spawn { shape = "ball", radius = 0.4, position = { scene.length + 0.4, 0, 0 }, material = "metal" }
	scene.load.mass = scene.load_mass
	scene.hook = world:joint { type = "ball", a = last, b = scene.load, at = { scene.length, 0, 0 } }
	-- the air holds back the weight, so that it comes to hang one day
	function scene:step()
		self.load:apply_force(-0.5 * self.load_mass * self.load.velocity)
		self.world:step()
		self.longest = math.max(self.longest or 0, self.hook.at:length() / self.length)
		self.strongest = math.max(self.strongest or 0, self.hook.impulse:length() * 60)
	end
	return scene
end

function M.run(scene, seconds)
	for _ = 1, seconds * 60 do
		scene:step()
	end
	return scene
end

-- How many links are in which state, and the weight's.
local function print_states(scene)
	local stats = scene.world.stats
	print(("%3.0f s  %d awake, %d checking, %d asleep; the weight is %s, at %.3f m/s"):format(scene.world.time,
		stats.awake, stats.checking, stats.asleep, scene.load.state, scene.load.velocity:length()))
end

local function main(links, load)
	local scene = M.build { links = tonumber(links), load = tonumber(load) }
	for _ = 1, 10 do
		M.run(scene, 2)
		print_states(scene)
	end
	local weight = scene.load_mass * 9.81
	print(("%.1f m of rope, %.0f kg on it"):format(scene.length, scene.load_mass))
	print(("stretched by at most %.3f %%"):format(100 * (scene.longest - 1)))
	print(("pulled by at most %.2f times the weight, in the end %.3f times"):format(scene.strongest / weight,
		scene.hook.impulse:length() * 60 / weight))
	print(("hangs at (%.3f, %.3f, %.3f)"):format(scene.hook.at:unpack()))
	return scene.longest < 1.01 and 0 or 1
end

if ... == "examples.rope" then
	return M
end
os.exit(main(...))
