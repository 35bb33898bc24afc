-- Rays against brute force: the surface's triangles as t:mesh() gives them, and balls, boxes and capsules by their
-- formulas, both written anew here; and the comparison of rays of the library with them.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local ffi = require "ffi"

local abs, min, max, sqrt = math.abs, math.min, math.max, math.sqrt
local INF = math.huge
local SIZE = 26 -- the scene lies in [-SIZE, SIZE] along x and z, [-SIZE / 2, SIZE / 2] along y
local TOLERANCE = 1e-5 -- metres

-- ---- the scene -----------------------------------------------------------------------------------------------------

local function build(seed)
	local random, world = scenery.generator(seed), scree.world()
	local terrain = world.terrain
	terrain:generate {
		min = { -22, -22 }, max = { 22, 22 }, bottom = 2, material = "grass",
		height = function(x, z)
			return 2 * scree.sin(0.3 * x) * scree.sin(0.25 * z) + 0.4 * scree.sin(1.7 * x + z) - 3
		end,
	}
	for _ = 1, 30 do
		local center = { 40 * random() - 20, 12 * random() - 6, 40 * random() - 20 }
		local pick = random(4)
		if pick == 0 then
			terrain:fill_ball { position = center, radius = 1 + 3 * random(), material = "rock" }
		elseif pick == 1 then
			terrain:fill_ball { position = center, radius = 1 + 2 * random(), material = "air" }
		elseif pick == 2 then -- exact cubes, whole cells
			local corner = { random(36) - 18, random(8) - 4, random(36) - 18 }
			terrain:fill_box { position = corner, size = { 4, 2, 6 }, material = "brick" }
		else
			terrain:fill_box {
				position = center, size = { 1 + 5 * random(), 1 + 3 * random(), 6 * random() + 1 },
				rotation = scenery.turn(random), material = "concrete",
			}
		end
	end
	for i = 1, 40 do
		local options = {
			position = { 40 * random() - 20, 16 * random() - 6, 40 * random() - 20 }, rotation = scenery.turn(random),
			motion = i % 3 == 0 and "static" or "dynamic",
		}
		if i % 3 == 0 then
			options.shape, options.radius = "ball", 0.3 + 1.5 * random()
		elseif i % 3 == 1 then
			options.shape, options.size = "box", { 0.3 + 3 * random(), 0.3 + 3 * random(), 0.3 + 3 * random() }
		else
			options.shape, options.radius, options.length = "capsule", 0.2 + random(), 0.2 + 3 * random()
		end
		options.tag = options
		world:spawn(options)
	end
	return world
end

-- ---- twins ---------------------------------------------------------------------------------------------------------

local BLOCK = 4 -- metres: triangles are grouped by the block that holds their first corner

local TRIANGLE = ffi.typeof "struct { double a[3], e1[3], e2[3], n[3]; int next; }"

-- The triangles in groups with bounds.
local function index_mesh(mesh)
	local count = mesh.triangle_count
	local triangles, groups, by_key = ffi.new(ffi.typeof("$[?]", TRIANGLE), count), {}, {}
	for t = 0, count - 1 do
		local triangle, corner = triangles[t], {}
		for k = 0, 2 do
			local p = mesh.positions + 3 * mesh.indices[3 * t + k]
			corner[k] = { p[0], p[1], p[2] }
		end
		for i = 0, 2 do
			triangle.a[i] = corner[0][i + 1]
			triangle.e1[i], triangle.e2[i] = corner[1][i + 1] - corner[0][i + 1], corner[2][i + 1] - corner[0][i + 1]
		end
		local e, f = triangle.e1, triangle.e2
		triangle.n[0], triangle.n[1] = e[1] * f[2] - e[2] * f[1], e[2] * f[0] - e[0] * f[2]
		triangle.n[2] = e[0] * f[1] - e[1] * f[0]
		local key = {}
		for i = 1, 3 do
			key[i] = math.floor(corner[0][i] / BLOCK)
		end
		key = table.concat(key, " ")
		local group = by_key[key]
		if not group then
			group = { first = -1, lo = { INF, INF, INF }, hi = { -INF, -INF, -INF } }
			by_key[key] = group
			groups[#groups + 1] = group
		end
		for k = 0, 2 do
			for i = 1, 3 do
				group.lo[i], group.hi[i] = min(group.lo[i], corner[k][i]), max(group.hi[i], corner[k][i])
			end
		end
		triangle.next, group.first = group.first, t
	end
	return { triangles = triangles, groups = groups, count = count }
end

-- Where origin + t direction, 0 <= t <= limit, enters the box, or nil. slack widens it.
local function enters_box(lo, hi, o, d, limit, slack)
	local near, far = 0, limit
	for i = 1, 3 do
		local oi, di = o[i - 1], d[i - 1]
		if abs(di) < 1e-14 then
			if oi < lo[i] - slack or oi > hi[i] + slack then
				return nil
			end
		else
			local t1, t2 = (lo[i] - slack - oi) / di, (hi[i] + slack - oi) / di
			near, far = max(near, min(t1, t2)), min(far, max(t1, t2))
		end
	end
	return near <= far and near or nil
end

-- The nearest crossing with t in [0, limit] of triangles widened by slack (of their own size): t, and whether the ray
-- leaves the ground there.
local function meets_mesh(index, o, d, limit, slack)
	local best, leaves = limit, false
	local found = false
	local triangles = index.triangles
	for g = 1, #index.groups do
		local group = index.groups[g]
		if enters_box(group.lo, group.hi, o, d, best, 1e-6) then
			local t = group.first
			while t >= 0 do
				local tri = triangles[t]
				local n, a = tri.n, tri.a
				local along = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]
				if along ~= 0 then
					local ox, oy, oz = o[0] - a[0], o[1] - a[1], o[2] - a[2]
					local at = -(n[0] * ox + n[1] * oy + n[2] * oz) / along
					if at >= -1e-12 and at <= best then
						local px, py, pz = ox + at * d[0], oy + at * d[1], oz + at * d[2]
						local e, f = tri.e1, tri.e2
						local area = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
						-- barycentric: v = (p x f) . n, w = (e x p) . n
						local v = ((py * f[2] - pz * f[1]) * n[0] + (pz * f[0] - px * f[2]) * n[1] + (px * f[1] - py * f[0]) * n[2])
						local w = ((e[1] * pz - e[2] * py) * n[0] + (e[2] * px - e[0] * pz) * n[1] + (e[0] * py - e[1] * px) * n[2])
						if v >= -slack * area and w >= -slack * area and v + w <= (1 + slack) * area then
							best, leaves, found = at, along > 0, true
						end
					end
				end
				t = tri.next
			end
		end
	end
	if found then
		return best, leaves
	end
end

local function meets_ball(ox, oy, oz, dx, dy, dz, r)
	local c = ox * ox + oy * oy + oz * oz - r * r
	if c <= 0 then
		return 0, true
	end
	local a, b = dx * dx + dy * dy + dz * dz, ox * dx + oy * dy + oz * dz
	local q = b * b - a * c
	if q < 0 or b >= 0 then
		return nil
	end
	return (-b - sqrt(q)) / a
end

local function meets_capsule(ox, oy, oz, dx, dy, dz, r, half)
	local y = max(-half, min(half, oy))
	if ox * ox + (oy - y) * (oy - y) + oz * oz <= r * r then
		return 0, true
	end
	local low, high = meets_ball(ox, oy + half, oz, dx, dy, dz, r), meets_ball(ox, oy - half, oz, dx, dy, dz, r)
	local best = min(low or INF, high or INF)
	local a, b, c = dx * dx + dz * dz, ox * dx + oz * dz, ox * ox + oz * oz - r * r
	if a > 0 and c > 0 and b < 0 and b * b - a * c >= 0 then
		local t = (-b - sqrt(b * b - a * c)) / a
		if abs(oy + t * dy) <= half then
			best = min(best, t)
		end
	end
	return best < INF and best or nil
end

local function meets_slab_box(ox, oy, oz, dx, dy, dz, hx, hy, hz)
	if abs(ox) <= hx and abs(oy) <= hy and abs(oz) <= hz then
		return 0, true
	end
	local near, far = 0, INF
	local function axis(o, d, h)
		if d == 0 then
			return abs(o) <= h
		end
		local t1, t2 = (-h - o) / d, (h - o) / d
		near, far = max(near, min(t1, t2)), min(far, max(t1, t2))
		return near <= far
	end
	return axis(ox, dx, hx) and axis(oy, dy, hy) and axis(oz, dz, hz) and near or nil
end

-- What the twin knows of an assembly: rows of the inverse rotation, centre, dimensions.
local function twin_of(body)
	local options, q = body.tag, body.rotation
	local x, y, z = q * scree.vec3(1, 0, 0), q * scree.vec3(0, 1, 0), q * scree.vec3(0, 0, 1)
	local p = body.position
	local around = options.radius and options.radius + (options.length or 0) / 2
	return {
		body = body, options = options, shape = options.shape,
		m = ffi.new("double[12]", x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z, p.x, p.y, p.z),
		reach = around or scree.vec3(unpack(options.size)):length() / 2,
	}
end

local function meets_twin(twin, o, d)
	local m = twin.m
	local px, py, pz = o[0] - m[9], o[1] - m[10], o[2] - m[11]
	if not meets_ball(px, py, pz, d[0], d[1], d[2], twin.reach + 1e-9) then
		return nil
	end
	local ox, oy = m[0] * px + m[1] * py + m[2] * pz, m[3] * px + m[4] * py + m[5] * pz
	local oz = m[6] * px + m[7] * py + m[8] * pz
	local dx, dy = m[0] * d[0] + m[1] * d[1] + m[2] * d[2], m[3] * d[0] + m[4] * d[1] + m[5] * d[2]
	local dz = m[6] * d[0] + m[7] * d[1] + m[8] * d[2]
	local options = twin.options
	if twin.shape == "ball" then
		return meets_ball(ox, oy, oz, dx, dy, dz, options.radius)
	elseif twin.shape == "capsule" then
		return meets_capsule(ox, oy, oz, dx, dy, dz, options.radius, options.length / 2)
	end
	local s = options.size
	return meets_slab_box(ox, oy, oz, dx, dy, dz, s[1] / 2, s[2] / 2, s[3] / 2)
end

-- ---- the comparison ------------------------------------------------------------------------------------------------

-- The fraction at which the ray from o along d (whole length) first meets anything, or 2; slack as in meets_mesh.
local function nearest(scene, o, d, slack)
	local best = 2
	for i = 1, #scene.twins do
		local t = meets_twin(scene.twins[i], o, d)
		if t and t <= 1 and t < best then
			best = t
		end
	end
	-- A line that first leaves the ground began in it, however far the crossing is.
	local length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
	local t, leaves = meets_mesh(scene.index, o, d, 4 * SIZE / max(length, 1e-9), slack)
	if t and leaves then
		return 0
	elseif t and t <= 1 and t < best then
		return t
	end
	return best
end

-- The 26 points around one.
local function around(o, distance, fn)
	local moved = ffi.new "double[3]"
	for i = 0, 26 do
		if i ~= 13 then
			moved[0] = o[0] + (i % 3 - 1) * distance
			moved[1] = o[1] + (math.floor(i / 3) % 3 - 1) * distance
			moved[2] = o[2] + (math.floor(i / 9) - 1) * distance
			if fn(moved) then
				return true
			end
		end
	end
	return false
end

-- Is every point around this one in the ground (or in the air)?
local function is_clearly(world, inside, o)
	return not around(o, 1e-5, function(p)
		return world.terrain:is_inside { p[0], p[1], p[2] } ~= inside
	end)
end

-- Where the two differ: does a twin with somewhat larger or smaller triangles agree? Then the ray passes by an edge or
-- a corner closer than rounding can tell.
local function is_close_call(scene, o, d, length, fraction)
	for _, slack in ipairs { 1e-9, -1e-9, 1e-7, -1e-7, 1e-6, -1e-6 } do
		if abs(nearest(scene, o, d, slack) - fraction) * length <= TOLERANCE then
			return true
		end
	end
	-- or it starts on the surface, where either answer is right
	if not is_clearly(scene.world, true, o) and not is_clearly(scene.world, false, o) then
		return true
	end
	-- or it runs along a face or an edge: a ray beside it goes as it did
	for _, distance in ipairs { 1e-7, 1e-6, 1e-5 } do
		if around(o, distance, function(p)
			return abs(nearest(scene, p, d, 0) - fraction) * length <= 10 * TOLERANCE
		end) then
			return true
		end
	end
	return false
end

local function scene_of(seed)
	local world = build(seed)
	local twins = {}
	for body in world:assemblies() do
		twins[#twins + 1] = twin_of(body)
	end
	return { world = world, twins = twins, index = index_mesh(world.terrain:mesh()), seed = seed }
end

-- Casts n rays that fill(from, to, i) sets, and compares all; the number of close calls must stay under a share.
local function compare(scene, n, fill, share, what)
	local from, to = ffi.new("double[?]", 3 * n), ffi.new("double[?]", 3 * n)
	for i = 0, n - 1 do
		fill(from + 3 * i, to + 3 * i, i)
	end
	local fractions = ffi.new("double[?]", n)
	scene.world:raycasts(n, from, to, fractions)
	local d, hits, close, wrong, first = ffi.new "double[3]", 0, 0, 0, nil
	for i = 0, n - 1 do
		local o, e = from + 3 * i, to + 3 * i
		d[0], d[1], d[2] = e[0] - o[0], e[1] - o[1], e[2] - o[2]
		local length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
		local expected = nearest(scene, o, d, 0)
		if fractions[i] <= 1 then
			hits = hits + 1
		end
		if not (abs(expected - fractions[i]) * length <= TOLERANCE) then
			if is_close_call(scene, o, d, length, fractions[i]) then
				close = close + 1
			else
				wrong = wrong + 1
				first = first
					or ("ray %d {%.17g, %.17g, %.17g} to {%.17g, %.17g, %.17g}: fraction %.9g, expected %.9g"):format(
						i, o[0], o[1], o[2], e[0], e[1], e[2], fractions[i], expected
					)
			end
		end
	end
	what = ("%s, seed %d: "):format(what, scene.seed)
	if wrong > 0 then
		luaunit.fail(("%s%d of %d rays are wrong; %s"):format(what, wrong, n, first))
	end
	scenery.at_most(close, share * n, what .. "close calls")
	scenery.at_least(hits, n / 20, what .. "rays that hit")
	scenery.at_most(hits, n - n / 20, what .. "rays that hit")
end

local function random_point(random, p)
	p[0], p[1], p[2] = (2 * random() - 1) * SIZE, (2 * random() - 1) * SIZE / 2, (2 * random() - 1) * SIZE
end

return {
	scene_of = scene_of, compare = compare, random_point = random_point, is_clearly = is_clearly, meets_twin = meets_twin,
}
