-- The examples that are made of joints, as modules.

local lu = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"

local folder = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
package.path = folder .. "/../../?.lua;" .. package.path

local near, at_most, at_least = scenery.near, scenery.at_most, scenery.at_least
local G = scenery.G

local TestScenes = {}

function TestScenes.testRope()
	local rope = require "examples.rope"
	local scene = rope.run(rope.build {}, 12)
	at_most(scene.longest, 1.01)
	at_least(scene.longest, 0.999)
	at_least(scene.strongest, 1.5 * 1000 * G) -- it swings
	at_most(scene.strongest, 4 * 1000 * G)
	at_most(scene.hook.at.y, -9.5)
end

function TestScenes.testCar()
	local car = require "examples.car"
	local scene = car.build()
	car.drive(scene, 6, 0.2)
	at_least(scene.way, 25)
	near(scene.fastest, 9, 1)
	at_most(scene.gap, 0.03)
	at_most(scene.chassis.position.y, 2.5)
	for _, joint in ipairs(scene.steering) do
		near(joint.angle, 0.2, 0.05)
	end
	car.stop(scene)
	at_most(scene.chassis.velocity:length(), 0.1)
	at_least((scene.chassis.rotation * scree.vec3(0, 1, 0)).y, 0.9) -- on its wheels
	for _, joint in ipairs(scene.drive) do
		at_least(math.abs(joint.angle), 30) -- the wheels have turned
	end
end

function TestScenes.testRagdolls()
	local ragdoll = require "examples.ragdoll"
	local scene = ragdoll.build { count = 2 }
	lu.assertEquals(scene.world.stats.joints, 20)
	lu.assertEquals(#scene.world:mechanisms(), 2)
	lu.assertTrue(ragdoll.run(scene, 15), "not at rest")
	at_most(scene.gap, 0.015) -- in the hardest blow
	at_most(math.deg(scene.past), 5)
	local gap, past = ragdoll.worst(scene)
	at_most(gap, 0.005)
	at_most(math.deg(past), 1)
	for _, figure in ipairs(scene.figures) do
		at_least(figure.parts.hips.position.z, -6) -- they have come down
		at_most(figure.parts.hips.position.y, 6)
	end
end

function TestScenes.testDrawbridge()
	local drawbridge = require "examples.drawbridge"
	local scene = drawbridge.build()
	lu.assertTrue(drawbridge.winch(scene, 1, math.rad(89.9), 12))
	local given, place = drawbridge.cross(scene)
	at_most(math.deg(given), 0.5)
	at_least(place.x, 8)
	near(place.y, 0.7, 0.05)
	lu.assertTrue(drawbridge.winch(scene, -0.8, math.rad(30), 15))
	-- by levers: half of the deck's weight over the arm of the chains, and what these weigh themselves
	near(drawbridge.pull(scene), 3900, 600)
end

function TestScenes.testCrane()
	local crane = require "examples.crane"
	local scene = crane.build()
	lu.assertTrue(crane.fetch(scene))
	local place = crane.carry(scene)
	at_most((place - crane.TO):length(), 0.5)
	near(scene.heaviest, 2000 * G, 0.3 * 2000 * G)
	at_most(scene.gap, 0.01)
end

return { TestScenes = TestScenes }
