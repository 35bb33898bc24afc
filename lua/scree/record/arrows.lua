-- What pushed in a step: the impulses of contacts and joints, one arrow for each pair of parts that touch.
--
-- A frame:  count, then for each: its track (from the one before, signed); 0 the ground or the world, else the other
--           track + 1 ... doubled, one more for a joint; three signed numbers, the place about the assembly's origin in
--           units of 64 quanta; size, signed, 64 times the logarithm to base 2 of N s; the direction, two bytes.

local ffi = require "ffi"
local raise = require "scree.raise"
local C = require("scree.ffi").C
local bytes = require "scree.record.bytes"
local fold = require("scree.record.mesh_bytes").fold
raise.own()

local floor, log, sqrt = math.floor, math.log, math.sqrt

local arrows = {}

local STEPS = 64 -- of the size, for each doubling
local QUANTA = 64 -- of a place's units
local LEAST = 1e-9 -- N s

arrows.STEPS, arrows.QUANTA = STEPS, QUANTA

-- ---- gathering -----------------------------------------------------------------------------------------------------

local list_out = ffi.new "const ScreeContact *[1]"

-- Appends the contacts of an assembly. Those of two that are awake are told by the one of the lower track.
local function add_contacts(list, pointer, id, track, track_of, is_awake)
	local count = C.screeAssembly_Contacts(pointer, id, list_out)
	for i = 0, count - 1 do
		local contact = list_out[0][i]
		local other = contact.other ~= 0 and track_of[contact.other] or 0
		if other == 0 or other > track or not is_awake[other] then
			local sum, x, y, z = 0, 0, 0, 0
			for k = 0, contact.point_count - 1 do
				local impulse, p = contact.impulse[k], contact.position[k]
				sum = sum + impulse
				x, y, z = x + impulse * p[0], y + impulse * p[1], z + impulse * p[2]
			end
			if sum > LEAST then
				local n = contact.normal
				list[#list + 1] = { track = track, other = other, size = sum, x = x / sum, y = y / sum, z = z / sum,
					dx = n[0], dy = n[1], dz = n[2] }
			end
		end
	end
end

local joint_out = ffi.new "ScreeJoint"

-- Appends what a joint did to its b, or to its a where b is the world.
local function add_joint(list, pointer, id, track_of)
	if C.screeJoint_Get(pointer, id, joint_out) < 0 then
		return
	end
	local on_b = joint_out.b ~= 0
	local v, at, sign = joint_out.impulse, on_b and joint_out.at_b or joint_out.at_a, on_b and 1 or -1
	local size = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
	local track = track_of[on_b and joint_out.b or joint_out.a]
	if size > LEAST and track then
		sign = sign / size
		list[#list + 1] = { track = track, other = on_b and joint_out.a ~= 0 and track_of[joint_out.a] or 0, size = size,
			x = at[0], y = at[1], z = at[2], dx = v[0] * sign, dy = v[1] * sign, dz = v[2] * sign, joint = true }
	end
end

-- The strongest `most` of them, in the order that they had.
local function strongest(list, most)
	if #list <= most then
		return list
	end
	local sizes = {}
	for i, arrow in ipairs(list) do
		sizes[i] = arrow.size
	end
	table.sort(sizes)
	local least, kept = sizes[#sizes - most + 1], {}
	for _, arrow in ipairs(list) do
		if arrow.size >= least and #kept < most then
			kept[#kept + 1] = arrow
		end
	end
	return kept
end

--- What pushed in the last step: of contacts and joints of the awake, the strongest.
---@param awake { id: number, track: integer }[]
---@param joints number[] ids
---@param track_of table<number, integer> by id
---@param most integer
---@return table[] arrows track, other (0: the ground or the world), joint, size (N s), place, direction: on track
function arrows.gather(pointer, awake, joints, track_of, most)
	local list, is_awake = {}, {}
	for _, one in ipairs(awake) do
		is_awake[one.track] = true
	end
	for _, one in ipairs(awake) do
		add_contacts(list, pointer, one.id, one.track, track_of, is_awake)
	end
	for _, id in ipairs(joints) do
		add_joint(list, pointer, id, track_of)
	end
	return strongest(list, most)
end

-- ---- writing and reading -------------------------------------------------------------------------------------------

--- Writes a frame of them.
---@param origins ffi.cdata* 7 numbers a track, the first three of which are its place in quanta
function arrows.write(out, list, origins, quantum)
	out:whole(#list)
	local before = 0
	for _, arrow in ipairs(list) do
		local origin = origins + 7 * (arrow.track - 1)
		out:signed(arrow.track - before)
		before = arrow.track
		out:whole(2 * arrow.other + (arrow.joint and 1 or 0))
		for axis, value in ipairs { arrow.x, arrow.y, arrow.z } do
			out:signed(floor((value / quantum - origin[axis - 1]) / QUANTA + 0.5))
		end
		out:signed(floor(STEPS * log(arrow.size) / log(2) + 0.5))
		local u, v = fold(arrow.dx, arrow.dy, arrow.dz)
		out:byte(u)
		out:byte(v)
	end
end

local function unfold(u, v)
	local x, y = u / 127 - 1, v / 127 - 1
	local z = 1 - math.abs(x) - math.abs(y)
	if z < 0 then
		x, y = (1 - math.abs(y)) * (x < 0 and -1 or 1), (1 - math.abs(x)) * (y < 0 and -1 or 1)
	end
	local scale = 1 / sqrt(x * x + y * y + z * z)
	return x * scale, y * scale, z * scale
end

--- Reads a frame that begins at a byte of what write wrote; `place` gives a track's x, y, z in that frame.
function arrows.read(source, start, place, quantum)
	local from, list, track = bytes.reader(source), {}, 0
	from.at = start
	for i = 1, from:whole() do
		track = track + from:signed()
		local other, arrow = from:whole(), { track = track }
		arrow.joint = other % 2 == 1
		arrow.other = floor(other / 2)
		local x, y, z = place(track)
		local unit = QUANTA * quantum
		arrow.x, arrow.y, arrow.z = x + unit * from:signed(), y + unit * from:signed(), z + unit * from:signed()
		arrow.size = 2 ^ (from:signed() / STEPS)
		local u, v = from:byte(), from:byte()
		arrow.dx, arrow.dy, arrow.dz = unfold(u, v)
		list[i] = arrow
	end
	return list
end

return arrows
