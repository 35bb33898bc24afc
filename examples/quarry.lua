-- Quarry: a cliff is blasted and its pieces come off; a dam goes, and water is let into the pit, where rafts rise; a
-- crane fetches a block and sets it down, where it becomes ground again. A minute, the same bits every time.
--
--   luajit examples/quarry.lua [seconds]
--
-- The scene is also a module, for tests:  local quarry = require "examples.quarry"

local scree = require "scree"

local M = {}

local MAST, REACH = 22, 13 -- metres: height of the crane's jib, and how far out its rope hangs
local CRANE = scree.vec3(-6, 0, 0)
local PILLARS = 4
local STONES = { { -2, 0, -13 }, { 4, 0, -10 }, { -15, 0, -10 } } -- within reach of the crane
local PAD = 3.7 -- rad: where the crane sets down
local PIT = { min = { -30, -8, 18 }, size = { 24, 8, 20 } }
local LAKE_LEVEL, PIT_LEVEL = 5, -3 -- metres

-- A box from its lowest corner.
local function box(t, min, size, material)
	return t:fill_box {
		position = { min[1] + size[1] / 2, min[2] + size[2] / 2, min[3] + size[3] / 2 }, size = size, material = material,
	}
end

local function build_ground(world)
	local t = world.terrain
	box(t, { -48, -16, -32 }, { 96, 16, 80 }, "rock")
	-- the cliff: banks of different stone, the face at x = 8
	box(t, { 8, 0, -32 }, { 40, 6, 44 }, "limestone")
	box(t, { 8, 6, -32 }, { 40, 5, 44 }, "sandstone")
	box(t, { 8, 11, -32 }, { 40, 5, 44 }, "limestone")
	box(t, { 8, 16, -32 }, { 40, 1, 44 }, "ground")
	-- pillars before it, that older work has left
	for i = 0, PILLARS - 1 do
		box(t, { 2, 0, -26 + 9 * i }, { 4, 12 + i, 4 }, "sandstone")
	end
	for _, at in ipairs(STONES) do
		box(t, { at[1] - 1, 0, at[3] - 1 }, { 2, 5, 2 }, "sandstone")
	end
	-- a pit, and beside it a lake behind a dam
	box(t, PIT.min, PIT.size, "air")
	box(t, { -6, 0, 16 }, { 3, 7, 26 }, "concrete")
	box(t, { -6, 0, 14 }, { 30, 7, 3 }, "concrete")
	box(t, { -6, 0, 41 }, { 30, 7, 3 }, "concrete")
	box(t, { 22, 0, 14 }, { 3, 7, 30 }, "concrete")
	box(t, { -3, 0, 17 }, { 25, LAKE_LEVEL, 24 }, "water")
	t:anchor({ -48, -16, -32 }, { 47, -16, 47 })
	t.detach = true
	t.small_pieces = { cells = 6, fate = "debris" }
end

local function build_crane(scene)
	local world = scene.world
	local tower = world:spawn {
		shape = "box", size = { 1.2, MAST, 1.2 }, position = CRANE + scree.vec3(0, MAST / 2, 0), material = "metal",
		motion = "static",
	}
	scene.jib = world:spawn {
		parts = {
			{ shape = "box", size = { REACH + 3, 0.6, 0.8 }, position = { REACH / 2, 0, 0 }, material = "metal" },
			{ shape = "box", size = { 2.5, 2, 2 }, position = { -3, 0, 0 }, material = "concrete" },
		},
		position = CRANE + scree.vec3(0, MAST + 0.5, 0),
	}
	scene.jib.mass = 6e4
	scene.slew = world:joint {
		type = "hinge", a = tower, b = scene.jib, at = CRANE + scree.vec3(0, MAST, 0), axis = { 0, 1, 0 },
		servo = { target = 0, speed = 0.35, max_torque = 2e7 },
	}
end

-- options: threads (1).
function M.build(options)
	options = options or {}
	local world = scree.world { threads = options.threads or 1 }
	local scene = { world = world, pieces = 0, cells = 0, vanished = 0, removed = {}, log = {} }
	build_ground(world)
	build_crane(scene)
	scene.rafts = {}
	for i = 1, 3 do
		scene.rafts[i] = world:spawn {
			shape = "box", size = { 3, 0.8, 3 }, position = { -26 + 6 * i, -7.5, 28 }, material = "wood",
		}
	end
	world:on("detach", function(event)
		scene.pieces = scene.pieces + 1
		scene.cells = scene.cells + event.cells
	end)
	return scene
end

local function add(sums, more)
	for name, amount in pairs(more) do
		sums[name] = (sums[name] or 0) + amount
	end
end

local function blast(scene, position, radius, strength)
	local result = scene.world:blast { position = position, radius = radius, strength = strength, impulse = 2e5 }
	add(scene.removed, result.removed)
end

-- ---- the crane ---------------------------------------------------------------------------------------------------

local function tip(scene)
	return scene.jib:to_world { REACH, -0.4, 0 }
end

-- The block that lies best below the jib's circle, of 2 to 40 tonnes.
local function choose(scene)
	local best, least
	for a in scene.world:assemblies() do
		if a.is_piece and a.mass > 2e3 and a.mass < 4e4 then
			local p = a.center_of_mass
			local off = math.abs(scree.vec3(p.x - CRANE.x, 0, p.z - CRANE.z):length() - REACH)
			if not least or off < least then
				best, least = a, off
			end
		end
	end
	return best
end

local function turn_to(scene, angle)
	scene.slew.servo = { target = angle }
end

local crane_steps = {
	{ at = 27, run = function(scene)
		scene.block = choose(scene)
		if scene.block then
			local p = scene.block.center_of_mass
			turn_to(scene, math.atan2(-(p.z - CRANE.z), p.x - CRANE.x))
		end
	end },
	{ at = 36, run = function(scene)
		if scene.block then
			local from, to = tip(scene), scene.block.center_of_mass
			scene.rope = scene.world:joint { type = "rope", a = scene.jib, b = scene.block, at_a = from, at_b = to }
			scene.length = (from - to):length()
			scene.lifted = to
			scene.hoist = -2 -- m/s
		end
	end },
	{ at = 42, run = function(scene) turn_to(scene, PAD) end },
	{ at = 48, run = function(scene) scene.hoist = 1.8 end },
	{ at = 57, run = function(scene)
		if scene.rope then
			scene.rope:destroy()
			scene.rope = nil
			scene.set_down = scene.block.center_of_mass
		end
	end },
	{ at = 59, run = function(scene)
		if scene.block then
			scene.laid = scene.block:to_terrain().added
		end
	end },
}

local function run_rope(scene)
	if scene.rope then
		local least, most = 8, MAST - 1
		scene.length = math.min(math.max(scene.length + scene.hoist / 60, least), most)
		scene.rope.length = scene.length
	end
end

-- ---- the day -----------------------------------------------------------------------------------------------------

-- Blasts along the face from below, then the dam.
local function work(scene, step)
	local t = scene.world.terrain
	if step % 120 == 60 and step < 60 + 120 * PILLARS then -- a pillar loses its foot
		blast(scene, { 5, 1.5, -24 + 9 * (step - 60) / 120 }, 6.5, 40)
	elseif step == 540 then -- a slab is sawn off the cliff's face, but for its foot
		add(scene.removed, box(t, { 11, 4, -24 }, { 1, 13, 30 }, "air").removed)
		for z = -25, 6, 31 do
			add(scene.removed, box(t, { 8, 4, z }, { 4, 13, 1 }, "air").removed)
		end
	elseif step >= 600 and step % 60 == 0 and step <= 840 then -- and broken at it
		blast(scene, { 9.5, 4.5, -22 + 6 * (step - 600) / 60 }, 8, 40)
	elseif step == 900 then -- what is too thick is taken down by the pick
		for i = 0, 4 do
			add(scene.removed, t:dig({ center = { 9.5, 9, -20 + 6 * i }, radius = 4, strength = 6 }).removed)
		end
	elseif step == 960 then -- stones are cut at their feet
		for _, at in ipairs(STONES) do
			add(scene.removed, t:dig({ center = { at[1], 1, at[3] }, radius = 1.9, strength = 60 }).removed)
		end
	elseif step == 1020 then
		blast(scene, { -4.5, 1, 28 }, 7, 60)
	elseif step > 1020 and step <= 1500 and step % 12 == 0 then -- the water finds its level
		local share = (step - 1020) / 480
		local level = PIT.min[2] + share * (PIT_LEVEL - PIT.min[2])
		box(t, PIT.min, { PIT.size[1], level - PIT.min[2], PIT.size[3] }, "water")
		local lake = LAKE_LEVEL * (1 - 0.6 * share)
		t:fill_box {
			position = { 9.5, lake + (LAKE_LEVEL - lake) / 2, 29 }, size = { 25, LAKE_LEVEL - lake, 24 }, material = "water",
			mode = "remove",
		}
	end
	for _, crane_step in ipairs(crane_steps) do
		if step == 60 * crane_step.at then
			crane_step.run(scene)
		end
	end
end

-- Runs the minute, or less of it.
function M.run(scene, seconds)
	local world = scene.world
	for step = 1, math.floor((seconds or 60) * 60) do
		work(scene, step)
		run_rope(scene)
		world:step()
		scene.slowest = math.max(scene.slowest or 0, world.stats.step_ms)
	end
	return scene
end

-- Matter of all materials in ground and bodies together, in cells.
function M.matter(world)
	local sums = world.terrain:matter({ -200, -200, -200 }, { 200, 200, 200 })
	for a in world:assemblies() do
		add(sums, a:matter())
	end
	return sums
end

local function main(seconds)
	local scene = M.build()
	local before = M.matter(scene.world)
	M.run(scene, tonumber(seconds) or 60)
	local world, raft = scene.world, scene.rafts[1]
	local after = M.matter(world)
	print(("%.0f s: %d pieces of %d cells came off; %d assemblies, %d asleep"):format(world.time, scene.pieces,
		scene.cells, world.stats.assemblies, world.stats.asleep))
	print(("limestone: %.3f cells at first, %.3f blasted and sawn, %.3f left"):format(before.limestone,
		scene.removed.limestone or 0, after.limestone))
	print(("a raft floats at %.2f m, %.0f %% under water"):format(raft.position.y, 100 * raft.submerged))
	if scene.laid then
		for name, amount in pairs(scene.laid) do
			print(("the crane's block is ground again: %.1f cells of %s"):format(amount, name))
		end
	end
	print(("slowest step %.1f ms; hash %s"):format(scene.slowest, world:hash()))
	return 0
end

if ... == "examples.quarry" then
	return M
end
os.exit(main(...))
