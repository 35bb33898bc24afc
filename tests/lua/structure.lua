-- Whether what a world says of itself agrees with itself: counts with lists, contacts from both sides, joints with what
-- they tie, cells with their count, numbers that are numbers. Changes nothing.

local scree = require "scree"

local structure = {}

local function is_number(v)
	return type(v) == "number" and v - v == 0
end

local function is_vec(v)
	return is_number(v.x) and is_number(v.y) and is_number(v.z)
end

local function check_assembly(a, say)
	local q = a.rotation
	say(is_vec(a.position) and is_vec(a.velocity) and is_vec(a.angular_velocity), "a number that is none")
	local length = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w
	say(math.abs(length - 1) < 1e-3, "a rotation of length " .. length)
	say(#a.parts >= 1, "no parts")
	local low, high = a:bounds()
	say(low.x <= high.x and low.y <= high.y and low.z <= high.z, "bounds inside out")
	say(a.motion ~= "dynamic" or (is_number(a.mass) and a.mass > 0), "mass " .. a.mass)
	local cells = next(a:count()) ~= nil
	say(a.is_piece == cells, "a piece without cells")
	say(a.submerged >= 0 and a.submerged <= 1.001, "submerged by " .. a.submerged)
end

-- Contacts of two assemblies are told by both.
local function check_contacts(a, say)
	local mine = {}
	for _, contact in ipairs(a:contacts()) do
		local other = contact.other
		say(is_vec(contact.normal) and math.abs(contact.normal:length() - 1) < 1e-3, "a normal of no length")
		say(#contact.points >= 1 and contact.part >= 1 and contact.part <= #a.parts, "a contact of nothing")
		say(contact.terrain == (other == nil), "a contact with neither")
		if other then
			say(other.valid, "a contact with what is gone")
			mine[other] = (mine[other] or 0) + 1
		end
	end
	for other, count in pairs(mine) do
		for _, contact in ipairs(other:contacts()) do
			count = contact.other == a and count - 1 or count
		end
		say(count == 0, ("contacts with %s that it does not know"):format(tostring(other)))
	end
end

local function check_joints(world, say)
	local count = 0
	for joint in world:joints() do
		count = count + 1
		say(joint.valid and not joint.broken and (joint.a or joint.b), "a joint of nothing")
		for _, side in ipairs { "a", "b" } do
			local body, found = joint[side], false
			for _, one in ipairs(body and body:joints() or {}) do
				found = found or one == joint
			end
			say(not body or found, "a joint that its assembly does not know")
		end
	end
	say(count == world.stats.joints, ("%d joints, %d counted"):format(count, world.stats.joints))
end

local function check_cells(world, say)
	local terrain, cells = world.terrain, 0
	local bounds = terrain.bounds
	if bounds then
		-- the water of cells that hold nothing else is counted beside them
		for name, n in pairs(terrain:count(bounds.min, bounds.max)) do
			cells = cells + (name ~= "air" and name ~= "water" and n or 0)
		end
	end
	say(cells == world.stats.terrain.cells, ("%d cells, %d counted"):format(cells, world.stats.terrain.cells))
end

--- What is wrong with a world, as an error that begins with `where`.
---@param where string
function structure.check(world, where)
	local stats, count, states = world.stats, 0, { awake = 0, checking = 0, asleep = 0 }
	local function sayer(of)
		return function(ok, what)
			if not ok then
				error(("%s%s: %s"):format(where, tostring(of), what), 0)
			end
		end
	end
	for a in world:assemblies() do
		local say = sayer(a)
		count = count + 1
		check_assembly(a, say)
		check_contacts(a, say)
		if a.motion == "dynamic" then
			states[a.state] = states[a.state] + 1
		end
	end
	local say = sayer(world)
	say(count == stats.assemblies, ("%d assemblies, %d counted"):format(count, stats.assemblies))
	for state, n in pairs(states) do
		say(n <= stats.assemblies and (state ~= "asleep" or n == stats.asleep), ("%d are %s, %d counted"):format(n, state,
			stats[state]))
	end
	check_joints(world, say)
	check_cells(world, say)
	local _, transforms = world:transforms()
	say(transforms == count, ("%d transforms"):format(transforms))
	say(is_number(scree.sin(world.time)), "the time is " .. world.time)
end

return structure
