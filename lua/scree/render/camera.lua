-- Where a picture is taken from: rays through its pixels, points on it, and a view for scenes that name none.

local ffi = require "ffi"
local raise = require "scree.raise"
local bridge = require "scree.ffi"
local functions = require "scree.functions"
local object = require "scree.object"
local vec3 = require "scree.vec3"
raise.own()

local C = bridge.C
local Vec3 = vec3.type

local camera = {}

---@class scree.Camera
---@field eye scree.vec3
---@field forward scree.vec3 unit, as right and up
---@field right scree.vec3
---@field up scree.vec3
---@field half_width number tangents of half the angles that the picture spans
---@field half_height number
---@field distance number metres from the eye to what it looks at

--- A camera at eye that looks at target.
---@param fov number radians between the upper and the lower edge
---@param aspect number width / height
---@return scree.Camera
function camera.new(eye, target, fov, aspect)
	local way = target - eye
	local forward = way:normalized()
	local across = math.abs(forward.y) > 0.999 and Vec3(0, 0, -1) or Vec3(0, 1, 0)
	local right = forward:cross(across):normalized()
	local half = functions.tan(fov / 2)
	return {
		eye = eye, forward = forward, right = right, up = right:cross(forward),
		half_width = half * aspect, half_height = half, distance = way:length(),
	}
end

--- Where a point is on the picture, 0..1 from the upper left, and how far in front of the eye; nil behind it.
---@return number? u
---@return number v
---@return number depth
function camera.project(view, x, y, z)
	local way = Vec3(x, y, z) - view.eye
	local depth = way:dot(view.forward)
	if depth < 1e-3 then
		return nil, 0, 0
	end
	local u = 0.5 + 0.5 * way:dot(view.right) / (depth * view.half_width)
	local v = 0.5 - 0.5 * way:dot(view.up) / (depth * view.half_height)
	return u, v, depth
end

-- ---- what a picture is of ------------------------------------------------------------------------------------------

-- A subject is a list of { center =, radius = }, balls of metres.

local function assemblies_of(world, wanted)
	local balls = {}
	for assembly in world:assemblies() do
		if not wanted or assembly.motion == wanted then
			local min, max = assembly:bounds()
			balls[#balls + 1] = { center = (min + max) / 2, radius = (max - min):length() / 2 }
		end
	end
	return #balls > 0 and balls or nil
end

local GROUND_GRID = 8 -- looked at from above along each side

-- The surface, seen from above: how far down the ground reaches says nothing.
local function ground_of(world)
	local bounds = world.terrain.bounds
	if not bounds then
		return nil
	end
	local size, balls = world.cell_size, {}
	local min, max = bounds.min * size, (bounds.max + Vec3(1, 1, 1)) * size
	local step = (max - min) / GROUND_GRID
	for i = 0, GROUND_GRID ^ 2 - 1 do
		local x, z = min.x + step.x * (i % GROUND_GRID + 0.5), min.z + step.z * (math.floor(i / GROUND_GRID) + 0.5)
		local met = world:raycast({ x, max.y + size, z }, { x, min.y, z }, { assemblies = false, water = true })
		if met then
			balls[#balls + 1] = { center = met.position + Vec3(0, 0.1 * size, 0), radius = 0.5 * math.max(step.x, step.z) }
		end
	end
	return #balls > 0 and balls or nil
end

-- What moves, else what is there, else the ground.
local function subject_of(world)
	return assemblies_of(world, "dynamic") or assemblies_of(world) or ground_of(world)
		or { { center = Vec3(0, 0, 0), radius = 1 } }
end

local OUT = 0.03 -- share of the subject at either end of each axis that may be out of the picture: what fell off

-- The middle of the subject, and the balls that belong to it.
local function without_strays(balls)
	local low, high = {}, {}
	for axis, name in ipairs { "x", "y", "z" } do
		local values = {}
		for i, ball in ipairs(balls) do
			values[i] = ball.center[name]
		end
		table.sort(values)
		local cut = math.floor(#values * OUT)
		low[axis], high[axis] = values[1 + cut], values[#values - cut]
	end
	local kept = {}
	for _, ball in ipairs(balls) do
		local x, y, z = ball.center:unpack()
		if x >= low[1] and x <= high[1] and y >= low[2] and y <= high[2] and z >= low[3] and z <= high[3] then
			kept[#kept + 1] = ball
		end
	end
	local middle = Vec3(low[1] + high[1], low[2] + high[2], low[3] + high[3]) / 2
	return middle, #kept > 0 and kept or balls
end

-- ---- from where ----------------------------------------------------------------------------------------------------

-- Degrees about the vertical and above the horizon; the first that is good enough is taken.
local TURNS = { 35, -35, 145, -145, 0, 90, -90, 180 }
local RISES = { 20, 30, 42, 60, 80, 90 }
local LOOKED_AT = 60 -- of the subject's balls at most
local ROOM = 1.25 -- how much more than the subject is on the picture
local DEEPEST = 1000 -- metres of water that are looked through upwards
local LEAST = 2.5 -- radii of the largest ball: of a single thing one sees where it is

local from3, to3, hit = ffi.new "double[3]", ffi.new "double[3]", ffi.new "ScreeHit"
local query = ffi.new "ScreeQuery"

local wet_out = ffi.new "int32_t[1]"

--- How many metres of water are above a point, straight up; 0: it is in none.
function camera.depth(pointer, point)
	from3[0], from3[1], from3[2] = point:unpack()
	if C.screeTerrain_IsInside(pointer, from3, wet_out) ~= 0 or wet_out[0] == 0 then
		return 0
	end
	to3[0], to3[1], to3[2] = from3[0], from3[1], from3[2]
	from3[1] = from3[1] + DEEPEST
	C.scree_query_defaults(query)
	query.assemblies, query.water, query.inside = 0, 1, 0
	if C.screeWorld_Raycast(pointer, from3, to3, query, hit) <= 0 then
		return DEEPEST
	end
	return hit.position[1] - to3[1]
end

-- Whether there is air at a point.
local function is_free(pointer, point)
	from3[0], from3[1], from3[2] = point:unpack()
	return C.screeTerrain_IsInside(pointer, from3, wet_out) == 0 and wet_out[0] == 0
end

-- How much of the subject is not behind ground, seen from there: 0..1.
local function seen_from(pointer, eye, balls)
	C.scree_query_defaults(query)
	query.assemblies = 0
	local step, seen, asked = math.max(1, math.floor(#balls / LOOKED_AT)), 0, 0
	from3[0], from3[1], from3[2] = eye:unpack()
	for i = 1, #balls, step do
		to3[0], to3[1], to3[2] = balls[i].center:unpack()
		asked = asked + 1
		local code = C.screeWorld_Raycast(pointer, from3, to3, query, hit)
		if code < 0 then
			bridge.failed(pointer, code, "render: ")
		end
		if code == 0 or hit.inside == 0 and hit.distance >= (eye - balls[i].center):length() - balls[i].radius then
			seen = seen + 1
		end
	end
	return seen / asked
end

local REACH = 3e8 -- metres: rays from there to whatever is seen stay where rays may be

local function within_reach(point)
	local function bounded(value)
		return math.max(-REACH, math.min(REACH, value))
	end
	return Vec3(bounded(point.x), bounded(point.y), bounded(point.z))
end

-- An eye in that direction from which all balls are on the picture, and where it looks.
local function frame(balls, middle, direction, fov, aspect)
	local view = camera.new(middle + direction, middle, fov, aspect)
	local left, right, top, bottom = math.huge, -math.huge, -math.huge, math.huge
	local largest = 0
	for _, ball in ipairs(balls) do
		local way = ball.center - middle
		local x, y, r = way:dot(view.right), way:dot(view.up), ball.radius
		left, right = math.min(left, x - r), math.max(right, x + r)
		bottom, top = math.min(bottom, y - r), math.max(top, y + r)
		largest = math.max(largest, r)
	end
	local target = middle + view.right * ((left + right) / 2) + view.up * ((bottom + top) / 2)
	local distance = LEAST * largest / view.half_height
	for _, ball in ipairs(balls) do
		local way = ball.center - target
		local aside = math.max((math.abs(way:dot(view.right)) + ball.radius) / view.half_width,
			(math.abs(way:dot(view.up)) + ball.radius) / view.half_height)
		distance = math.max(distance, ROOM * aside - way:dot(view.forward))
	end
	return within_reach(target + direction * distance), target
end

--- The points that a picture is taken from and looks at, where either is not given.
---@param world scree.World
---@param eye scree.vec3?
---@param target scree.vec3?
---@param fov number
---@param aspect number
---@return scree.vec3 eye
---@return scree.vec3 target
function camera.place(world, eye, target, fov, aspect)
	if eye and target then
		return eye, target
	end
	local pointer = world[object.POINTER]
	local middle, balls = without_strays(subject_of(world))
	if eye then
		return eye, (middle - eye):length() > 0 and middle or middle - Vec3(0, 0, 1)
	end
	local best, looked_at, best_share
	for _, rise in ipairs(RISES) do
		for _, turn in ipairs(TURNS) do
			local flat, up = functions.cos(math.rad(rise)), functions.sin(math.rad(rise))
			local direction = Vec3(flat * functions.sin(math.rad(turn)), up, flat * functions.cos(math.rad(turn)))
			local from, to = frame(balls, target or middle, direction, fov, aspect)
			to = target or to
			local share = seen_from(pointer, from, balls) * (is_free(pointer, from) and 1 or 0.5)
			if not best_share or share > best_share then
				best, looked_at, best_share = from, to, share
			end
			if share > 0.9 then
				return best, looked_at
			end
		end
	end
	return best, looked_at
end

return camera
