-- The events of a step as a recording keeps them: tracks in place of assemblies.

local raise = require "scree.raise"
local object = require "scree.object"
raise.own()

local happenings = {}

local ID = object.ID

-- A destroyed assembly still has its id.
local function id_of(assembly)
	return assembly and rawget(assembly, ID)
end

local function triple(v)
	return v and { v.x, v.y, v.z }
end

--- The events of a world's last step. What is in track_of already is resolved, the rest by resolve.
---@param track_of table<number, integer> by id
---@return table[]
function happenings.read(world, track_of)
	local list = {}
	for event in world:events() do
		local a, b = id_of(event.a or event.assembly), id_of(event.b)
		list[#list + 1] = {
			kind = event.kind, a = track_of[a], b = track_of[b], id_a = a, id_b = b, terrain = event.terrain,
			reason = event.reason, speed = event.speed, impulse = event.impulse, position = triple(event.position),
		}
	end
	return list
end

--- Fills in the tracks of assemblies that are new since.
function happenings.resolve(events, track_of)
	for _, event in ipairs(events) do
		event.a, event.b = event.a or track_of[event.id_a], event.b or track_of[event.id_b]
		event.id_a, event.id_b = nil, nil
	end
end

return happenings
