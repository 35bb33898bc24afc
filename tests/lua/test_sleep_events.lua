-- What the events say is what is so: after any calls and steps what is dynamic sleeps if its last event said that it
-- fell asleep, and is awake if that said that it woke; and no two of the same kind follow each other.

local luaunit = require "luaunit"
local scree = require "scree"

local SCENES, STEPS = 40, 150

local function pick(list)
	return list[math.random(#list)]
end

local function place()
	return { math.random() * 6 - 3, 0.5 + math.random() * 2, math.random() * 6 - 3 }
end

local function spawn(scene)
	local one = scene.world:spawn {
		shape = "box", size = { 1, 1, 1 }, position = place(), can_sleep = math.random() < 0.8,
	}
	scene.bodies[#scene.bodies + 1] = one
	scene.asleep[one] = false
end

-- What is done to one or to the world; `scene.asleep`: by assembly, what the events have said.
local ACTS = {
	function(_, one) one.motion = "static" end,
	function(_, one) one.motion = "kinematic" end,
	function(_, one) one.motion = "dynamic" end,
	function(scene, one) -- at rest, and back again before a step
		scene.world:settle(2)
		for _, other in ipairs(scene.bodies) do
			scene.asleep[other] = other.motion == "dynamic" and other.state ~= "awake"
		end
		one.motion = pick { "static", "kinematic" }
		one.motion = "dynamic"
	end,
	function(_, one) one.can_sleep = false end,
	function(_, one) one.can_sleep = true end,
	function(_, one) one.position = place() end,
	function(_, one) one.velocity = { 0, one.motion == "static" and 0 or 1, 0 } end,
	function(_, one) one:wake() end,
	function(_, one) one:sleep() end,
	function(_, one) one:apply_impulse { 0, one.mass, 0 } end,
	function(_, one) one.mass = 500 + 1000 * math.random() end,
	function(_, one) one.gravity_scale = pick { 0, 0.5, 1 } end,
	function(_, one) one.parts[1].friction = math.random() end,
	function(scene) scene.world.gravity = { 0, pick { -9.81, -5 }, 0 } end,
	function(scene) scene.world.sleep = { enabled = math.random() < 0.7 } end,
	function(scene) scene.world.materials.rock = { friction = math.random() } end,
	function(scene) scene.world.terrain:fill_ball { center = place(), radius = 1, material = "air" } end,
	function(scene) scene.world.terrain:fill_ball { center = { 2, -1, 0 }, radius = 2, material = "water" } end,
	function(scene, one)
		for i, other in ipairs(scene.bodies) do
			if other == one then
				table.remove(scene.bodies, i)
			end
		end
		scene.asleep[one] = nil
		one:destroy()
	end,
	function(scene, one)
		local other = pick(scene.bodies)
		if other ~= one then
			scene.joint = scene.world:joint { type = "weld", a = one, b = other }
		end
	end,
	function(scene)
		if scene.joint and scene.joint.valid then
			scene.joint:destroy()
		end
	end,
	function(scene)
		scene.kept, scene.kept_asleep, scene.kept_bodies = scene.world:snapshot(), {}, {}
		for i, other in ipairs(scene.bodies) do
			scene.kept_asleep[other], scene.kept_bodies[i] = scene.asleep[other], other
		end
	end,
	function(scene)
		if not scene.kept then
			return
		end
		scene.world:restore(scene.kept)
		scene.bodies, scene.asleep = {}, {}
		for i, other in ipairs(scene.kept_bodies) do
			scene.bodies[i], scene.asleep[other] = other, scene.kept_asleep[other]
		end
	end,
	spawn,
}

-- One act after the other: what a call does between two steps is told with the second.
local function follow(scene, what)
	for event in scene.world:events() do
		local one = event.assembly
		if (event.kind == "sleep" or event.kind == "wake") and one.valid and scene.asleep[one] ~= nil then
			luaunit.assertNotEquals(scene.asleep[one], event.kind == "sleep", what .. ": twice " .. event.kind)
			scene.asleep[one] = event.kind == "sleep"
		end
	end
	for i, one in ipairs(scene.bodies) do
		if one.motion == "dynamic" then
			local text = ("%s: body %d is %s"):format(what, i, one.state)
			luaunit.assertEquals(one.state ~= "awake", scene.asleep[one], text)
		end
	end
end

local TestSleepEvents = {}

function TestSleepEvents.testTheySayWhatIsSo()
	local slept = 0
	for seed = 1, SCENES do
		math.randomseed(seed)
		local scene = { world = scree.world {}, bodies = {}, asleep = {} }
		scene.world.terrain:fill_box { position = { 0, -3, 0 }, size = { 24, 6, 24 }, material = "rock" }
		for _ = 1, 6 do
			spawn(scene)
		end
		for step = 1, STEPS do
			if math.random() < 0.1 and #scene.bodies > 0 then
				pick(ACTS)(scene, pick(scene.bodies))
			end
			scene.world:step(1 / 60, 1)
			follow(scene, ("scene %d, step %d"):format(seed, step))
			for event in scene.world:events "sleep" do
				slept = slept + (event.assembly.valid and 1 or 0)
			end
		end
	end
	luaunit.assertTrue(slept > 100, slept .. " fell asleep")
end

return { TestSleepEvents = TestSleepEvents }
