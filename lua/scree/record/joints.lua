-- The joints of a recording: when each was there, and where its ends and its axis are in the frames of what it ties.

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local C = require("scree.ffi").C
local vec3 = require "scree.vec3"
local quat = require "scree.quat"
local check = require "scree.check"
raise.own()

local Vec3, Quat = vec3.type, quat.type

local joints = {}
joints.__index = joints

local types = check.choices {
	"weld", C.SCREE_JOINT_WELD, "ball", C.SCREE_JOINT_BALL, "hinge", C.SCREE_JOINT_HINGE,
	"slider", C.SCREE_JOINT_SLIDER, "cylindrical", C.SCREE_JOINT_CYLINDRICAL, "rope", C.SCREE_JOINT_ROPE,
	"rod", C.SCREE_JOINT_ROD, "spring", C.SCREE_JOINT_SPRING, "align", C.SCREE_JOINT_ALIGN,
}

function joints.new()
	return setmetatable({ list = {}, live = {}, ids = {} }, joints)
end

local position, rotation = ffi.new "double[3]", ffi.new "double[4]"

-- A world point and a direction in the frame of an assembly (0: the world).
local function to_local(pointer, id, point, axis)
	local p, v = Vec3(point[0], point[1], point[2]), Vec3(axis[0], axis[1], axis[2])
	if id ~= 0 and C.screeAssembly_GetPosition(pointer, id, position) >= 0
		and C.screeAssembly_GetRotation(pointer, id, rotation) >= 0 then
		local turn = quat.conjugate(Quat(rotation[0], rotation[1], rotation[2], rotation[3]))
		p, v = turn * (p - Vec3(position[0], position[1], position[2])), turn * v
	end
	return { p.x, p.y, p.z }, { v.x, v.y, v.z }
end

local out = ffi.new "ScreeJoint"

local function read(pointer, id, frame, track_of)
	if C.screeJoint_Get(pointer, id, out) < 0 then
		return nil
	end
	local at_a, axis = to_local(pointer, out.a, out.at_a, out.axis)
	local at_b = to_local(pointer, out.b, out.at_b, out.axis)
	return {
		id = id, type = types.name[out.type] or "unknown", first = frame,
		a = track_of[out.a] or 0, b = track_of[out.b] or 0, -- tracks; 0: the world
		at_a = at_a, at_b = at_b, -- in the frames of a and b
		axis = axis, -- in a's
		length = out.settings.length,
	}
end

local ids_out = ffi.new "const ScreeId *[1]"

--- Sees which joints are there in a frame.
---@param track_of table<number, integer> by an assembly's id
function joints:update(pointer, frame, track_of)
	local count = C.screeWorld_Joints(pointer, ids_out)
	local ids, seen = {}, {}
	for i = 1, count do
		ids[i] = ids_out[0][i - 1]
	end
	for _, id in ipairs(ids) do
		local joint = self.live[id] or read(pointer, id, frame, track_of)
		if joint and not self.live[id] then
			self.list[#self.list + 1] = joint
		end
		seen[id] = joint
	end
	for id, joint in pairs(self.live) do
		if not seen[id] then
			joint.last = frame - 1
		end
	end
	self.live, self.ids = seen, ids
end

--- After the world has gone back to another state: ids may mean others.
function joints:forget(frame)
	for _, joint in pairs(self.live) do
		joint.last = frame - 1
	end
	self.live = {}
end

return joints
