-- Blows that make things spin: what bounces without loss has as much energy after it as before, whatever its shape and
-- however it lies.

local scree = require "scree"
local scenery = require "scenery"

local at_least, at_most, run = scenery.at_least, scenery.at_most, scenery.run
local vec3 = scree.vec3

local shapes = {
	box = { shape = "box", size = { 1, 0.6, 0.3 } },
	rod = { shape = "box", size = { 0.1, 2, 0.1 } },
	capsule = { shape = "capsule", radius = 0.15, length = 1 },
	cone = { shape = "cone", radius = 0.4, length = 0.8 },
	wedge = { shape = "wedge", size = { 1, 0.6, 0.8 } },
	hull = { shape = "hull", points = {
		{ 0.5, 0, 0.1 }, { -0.4, 0.1, 0.2 }, { 0.1, 0.4, -0.3 }, { 0, -0.3, 0.3 }, { 0.2, -0.2, -0.5 }, { -0.3, 0.2, -0.2 },
	} },
	compound = { parts = {
		{ shape = "box", size = { 0.3, 1, 0.3 } }, { shape = "ball", radius = 0.3, position = { 0, 0.7, 0 } },
		{ shape = "box", size = { 0.9, 0.2, 0.2 }, position = { 0, -0.5, 0 } },
	} },
}

local names = { "box", "rod", "capsule", "cone", "wedge", "hull", "compound" }

local function momentum_of_spin(body, w)
	local a, b, c, d, e, f, g, h, i = body:inertia_tensor()
	return vec3(a * w.x + b * w.y + c * w.z, d * w.x + e * w.y + f * w.z, g * w.x + h * w.y + i * w.z)
end

local function energy(body, gravity)
	local v, w = body.velocity, body.rotation:inverse() * body.angular_velocity
	local moving = 0.5 * body.mass * v:dot(v) + 0.5 * w:dot(momentum_of_spin(body, w))
	return moving + body.mass * gravity * body.center_of_mass.y
end

local grounds = {
	slab = function(world)
		scenery.slab(world, { restitution = 0, friction = 0 })
	end,
	terrain = function(world)
		scenery.floor(world, { restitution = 0, friction = 0, rolling = 0 })
	end,
}

local TestBounce = {}

-- In none of many falls it gains more than a twentieth in three seconds of bouncing; most keep what they have.
function TestBounce.testTumblingKeepsItsEnergy()
	for ground, build in pairs(grounds) do
		for _, name in ipairs(names) do
			local shape = shapes[name]
			local random, kept = scenery.generator(41), 0
			for fall = 1, 8 do
				local world = scree.world()
				build(world)
				local body = world:spawn(scenery.with(shape, {
					position = { 0, 3, 0 }, rotation = scenery.turn(random), restitution = 1, friction = 0, rolling = 0,
				}))
				local start, share = energy(body, 9.81), 1
				run(world, 3, function(t)
					share = energy(body, 9.81) / start
					at_most(share, 1.05, ("a %s on %s, fall %d, at %.2f s"):format(name, ground, fall, t))
				end)
				kept = kept + (share > 0.95 and 1 or 0)
			end
			at_least(kept, 4, ("a %s on %s: falls that kept their energy"):format(name, ground))
		end
	end
end

-- Two that meet in the air. Where they do so at two places in one step, each of these bounces by itself.
function TestBounce.testTwoThatMeet()
	local random, gained = scenery.generator(43), {}
	for _, a_name in ipairs(names) do
		for _, b_name in ipairs(names) do
			local world = scree.world { gravity = { 0, 0, 0 } }
			local function body(shape, x, speed)
				return world:spawn(scenery.with(shape, {
					position = { x, 0.1, 0 }, velocity = { speed, 0, 0 }, rotation = scenery.turn(random), restitution = 1,
					friction = 0, rolling = 0,
				}))
			end
			local a, b = body(shapes[a_name], -2, 6), body(shapes[b_name], 2, -2)
			local start = energy(a, 0) + energy(b, 0)
			run(world, 2)
			local share = (energy(a, 0) + energy(b, 0)) / start
			if share > 1.05 then
				gained[#gained + 1] = ("a %s and a %s by %.2f"):format(a_name, b_name, share)
			end
		end
	end
	at_most(#gained, 2, "pairs that gained energy: " .. table.concat(gained, ", "))
end

return { TestBounce = TestBounce }
