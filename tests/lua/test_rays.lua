-- Rays against brute force: the surface's triangles as t:mesh() gives them, and balls, boxes and capsules by their
-- formulas, both written anew here.

local luaunit = require "luaunit"
local scree = require "scree"
local scenery = require "scenery"
local support = require "support"
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

local TestRays = {}

local SEED = 20
local shared
local function scene()
	shared = shared or scene_of(SEED)
	return shared
end

function TestRays.testRandom()
	local random = scenery.generator(1)
	compare(scene(), 60000, function(o, e)
		random_point(random, o)
		random_point(random, e)
	end, 1e-4, "random")
end

function TestRays.testShort()
	local random = scenery.generator(2)
	compare(scene(), 15000, function(o, e)
		random_point(random, o)
		for i = 0, 2 do
			e[i] = o[i] + 6 * random() - 3
		end
	end, 1e-4, "short")
end

-- Parallel to an axis; every other one along the faces, edges or middles of cells.
function TestRays.testParallelToAxes()
	local random = scenery.generator(3)
	compare(scene(), 20000, function(o, e, k)
		random_point(random, o)
		local axis = k % 3
		for i = 0, 2 do
			if k % 2 == 0 then
				o[i] = math.floor(2 * o[i]) / 2
			end
			e[i] = o[i]
		end
		e[axis] = -o[axis] + (random() - 0.5)
	end, 0.1, "along axes")
end

function TestRays.testDiagonal()
	local random = scenery.generator(4)
	compare(scene(), 5000, function(o, e, k)
		random_point(random, o)
		local length = 30 * random()
		for i = 0, 2 do
			o[i] = math.floor(o[i]) + (k % 4 < 2 and 0.5 or 0)
			e[i] = o[i] + (random(3) - 1) * length
		end
		if e[0] == o[0] and e[1] == o[1] and e[2] == o[2] then
			e[1] = o[1] - length
		end
	end, 0.1, "diagonal")
end

-- The surface is closed: no ray gets into the ground without a hit, not along the faces and edges of its cells either.
function TestRays.testNothingGetsInUnseen()
	local world, random = scene().world, scenery.generator(9)
	local terrain, o, e, tried = world.terrain, ffi.new "double[3]", ffi.new "double[3]", 0
	for k = 1, 60000 do
		local axis = k % 4 -- 3: diagonal
		local way = (random(40) - 20) / 2
		for i = 0, 2 do
			o[i] = (random(80) - 40) / (i == 1 and 4 or 2)
			e[i] = o[i] + ((axis == i or axis == 3) and way or 0)
		end
		local from, to = { o[0], o[1], o[2] }, { e[0], e[1], e[2] }
		if terrain:is_inside(to) and is_clearly(world, false, o) and is_clearly(world, true, e) then
			tried = tried + 1
			if not terrain:raycast(from, to) then
				luaunit.fail(("no hit from %g %g %g to %g %g %g"):format(o[0], o[1], o[2], e[0], e[1], e[2]))
			end
		end
	end
	scenery.at_least(tried, 2000, "rays into the ground")
end

function TestRays.testZeroLength()
	local world = scene().world
	local random, inside = scenery.generator(5), 0
	local p = ffi.new "double[3]"
	for _ = 1, 3000 do
		random_point(random, p)
		local point = { p[0], p[1], p[2] }
		local hit = world:raycast(point, point)
		local solid = world.terrain:is_inside(point)
		for _, twin in ipairs(scene().twins) do
			local _, within = meets_twin(twin, p, ffi.new("double[3]", 0, -1, 0))
			solid = solid or within or false
		end
		if solid then
			inside = inside + 1
			luaunit.assertNotNil(hit, ("no hit inside at %.9g, %.9g, %.9g"):format(p[0], p[1], p[2]))
			luaunit.assertTrue(hit.inside)
			luaunit.assertEquals(hit.fraction, 0)
			luaunit.assertEquals(hit.distance, 0)
		else
			luaunit.assertNil(hit, ("a hit in the air at %.9g, %.9g, %.9g"):format(p[0], p[1], p[2]))
		end
	end
	scenery.at_least(inside, 300, "points inside")
end

-- Rays of a view go together in the batch, with bodies in front of the ground, and say what each says alone.
function TestRays.testViewEqualsSingle()
	local world, rows, columns = scene().world, 40, 60
	local n, random, hits = rows * columns, scenery.generator(16), 0
	local from, to, fractions = ffi.new("double[?]", 3 * n), ffi.new("double[?]", 3 * n), ffi.new("double[?]", n)
	for view = 1, 4 do
		local eye, ahead = ffi.new "double[3]", ffi.new "double[3]"
		random_point(random, eye)
		random_point(random, ahead)
		for i = 0, n - 1 do
			local u, v = (i % columns) / columns - 0.5, math.floor(i / columns) / rows - 0.5
			for a = 0, 2 do
				from[3 * i + a] = eye[a]
				to[3 * i + a] = ahead[a] + 20 * (a == view % 3 and 0 or a == (view + 1) % 3 and u or v)
			end
		end
		world:raycasts(n, from, to, fractions)
		for i = 0, n - 1 do
			local o = scree.vec3(from[3 * i], from[3 * i + 1], from[3 * i + 2])
			local hit = world:raycast(o, scree.vec3(to[3 * i], to[3 * i + 1], to[3 * i + 2]))
			luaunit.assertEquals(hit and hit.fraction or 2, fractions[i])
			hits = hits + (hit and 1 or 0)
		end
	end
	scenery.at_least(hits, 500, "hits")
end

-- The single form says the same as the batch, and its parts agree with each other.
function TestRays.testSingleEqualsBatch()
	local world, n = scene().world, 4000
	local random = scenery.generator(6)
	local from, to, fractions = ffi.new("double[?]", 3 * n), ffi.new("double[?]", 3 * n), ffi.new("double[?]", n)
	for i = 0, n - 1 do
		random_point(random, from + 3 * i)
		random_point(random, to + 3 * i)
	end
	world:raycasts(n, from, to, fractions)
	for i = 0, n - 1 do
		local o = scree.vec3(from[3 * i], from[3 * i + 1], from[3 * i + 2])
		local e = scree.vec3(to[3 * i], to[3 * i + 1], to[3 * i + 2])
		local hit = world:raycast(o, e)
		luaunit.assertEquals(hit and hit.fraction or 2, fractions[i])
		if hit then
			local length = (e - o):length()
			scenery.near(hit.distance, hit.fraction * length, 1e-9 * length, "distance")
			scenery.at_most((hit.position - (o + hit.fraction * (e - o))):length(), 1e-5, "position off the ray")
			luaunit.assertEquals(hit.terrain, hit.assembly == nil)
			luaunit.assertEquals(hit.part, hit.assembly and 1 or nil)
			luaunit.assertEquals(hit.cell ~= nil, hit.terrain)
			local normal = hit.normal:length()
			luaunit.assertTrue(abs(normal - 1) < 1e-5 or (hit.inside and normal == 0), "normal")
			if not hit.inside then
				scenery.at_most(hit.normal:dot((e - o):normalized()), 1e-6, "the normal faces the ray")
			end
		end
	end
end

function TestRays.testAllAreSortedAndFirstIsTheNearest()
	local world = scene().world
	local random, p, q, most = scenery.generator(8), ffi.new "double[3]", ffi.new "double[3]", 0
	for _ = 1, 3000 do
		random_point(random, p)
		random_point(random, q)
		local o, e = { p[0], p[1], p[2] }, { q[0], q[1], q[2] }
		local all, first = world:raycast_all(o, e), world:raycast(o, e)
		luaunit.assertEquals(#all > 0, first ~= nil)
		most = max(most, #all)
		local seen = {}
		for i, hit in ipairs(all) do
			if i == 1 then
				luaunit.assertEquals(hit.fraction, first.fraction)
				luaunit.assertEquals(hit.assembly, first.assembly)
			else
				scenery.at_least(hit.fraction, all[i - 1].fraction, "order")
			end
			if hit.assembly then
				luaunit.assertNil(seen[hit.assembly], "an assembly twice")
				seen[hit.assembly] = true
			end
		end
		-- every body whose twin is met is there
		local d = ffi.new("double[3]", q[0] - p[0], q[1] - p[1], q[2] - p[2])
		for _, twin in ipairs(scene().twins) do
			local t = meets_twin(twin, p, d)
			if t and t < 1 - 1e-6 then
				luaunit.assertTrue(seen[twin.body], "a body that the ray meets is missing")
			end
		end
	end
	scenery.at_least(most, 4, "most hits of a ray")
end

function TestRays.testNonFiniteIsAnError()
	local world = scene().world
	for _, bad in ipairs { support.NAN, support.INF, -support.INF } do
		for i = 1, 3 do
			local point = { 0, 5, 0 }
			point[i] = bad
			support.fails(function()
				world:raycast(point, { 0, -5, 0 })
			end, "from")
			support.fails(function()
				world:raycast({ 0, -5, 0 }, point)
			end, "to")
			support.fails(function()
				world:raycast_all(point, { 0, -5, 0 })
			end, "from")
		end
	end
end

-- ---- without a step ------------------------------------------------------------------------------------------------

local TestRaysAtOnce = {}

local function down(world, x, y, z)
	return world:raycast({ x, y + 5, z }, { x, y - 5, z })
end

function TestRaysAtOnce.testCreateMoveDestroy()
	local world = scree.world()
	local body = world:spawn { shape = "box", size = { 1, 1, 1 } }
	local hit = down(world, 0, 0, 0)
	luaunit.assertEquals(hit and hit.assembly, body)
	scenery.near(hit.position.y, 0.5, 1e-6, "top")
	body.position = { 100, 3, 0 }
	luaunit.assertNil(down(world, 0, 0, 0))
	hit = down(world, 100, 3, 0)
	luaunit.assertEquals(hit and hit.assembly, body)
	body.rotation = scree.axis_angle({ 0, 0, 1 }, math.pi / 4)
	scenery.near(down(world, 100, 3, 0).position.y, 3 + sqrt(0.5), 1e-6, "turned")
	body:destroy()
	luaunit.assertNil(down(world, 100, 3, 0))
end

function TestRaysAtOnce.testEdits()
	local world = scree.world()
	luaunit.assertNil(down(world, 0.5, 0, 0.5))
	world.terrain:fill_box { position = { 0, -1, 0 }, size = { 8, 2, 8 }, material = "rock" }
	scenery.near(down(world, 0.5, 0, 0.5).position.y, 0, 1e-9, "filled")
	world.terrain:fill_box { position = { 0, 1, 0 }, size = { 8, 2, 8 }, material = "rock" }
	scenery.near(down(world, 0.5, 0, 0.5).position.y, 2, 1e-9, "raised")
	world.terrain:clear()
	luaunit.assertNil(down(world, 0.5, 0, 0.5))
end

-- A ray that skims a floor or a ridge never reports the far side of it.
function TestRaysAtOnce.testSkimming()
	local world = scree.world()
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 32, 4, 32 }, material = "rock" }
	for _, y in ipairs { 1e-6, 1e-4, 0 } do
		local hit = world:raycast({ -10, y, 0.3 }, { 10, y, 0.3 })
		luaunit.assertTrue(hit == nil or y == 0, "a hit above the floor")
	end
	local hit = world:raycast({ -10, -1e-4, 0.3 }, { 10, -1e-4, 0.3 })
	luaunit.assertTrue(hit ~= nil and hit.inside, "a ray in the floor starts inside")
end

return { TestRays = TestRays, TestRaysAtOnce = TestRaysAtOnce }
