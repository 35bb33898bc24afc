-- Fish pond: ten fish with two feelers each in a pond of 12,000 triangles, after a diary of 2008 about a fishing game,
-- whose author found that ten fish looking at every triangle cost the game nine tenths of its frames.
--
--   luajit examples/fish_pond.lua [frames]
--
-- Every feeler of every frame is asked three times: of all triangles one by one, of the tree that the diary built
-- (boxes cut in half to a fixed depth, triangles listed in each leaf that they reach), and of scree's mesh. All must
-- say the same; a table shows what each took. The scene is also a module, for tests and benchmarks:
--   local fish_pond = require "examples.fish_pond"
--   local result = fish_pond.run { frames = 60 }

local ffi = require "ffi"
local scree = require "scree"

local M = {}

local WIDTH, DEPTH = 100, 60 -- squares, of two triangles each
local CELL = 0.5 -- m
local FISH = 10
local REACH, SPREAD = 4, 0.45 -- of a feeler: metres, and radians to either side
local SPEED, DT = 1.6, 1 / 30
local DEEP, SHALLOW = -3.2, -0.9 -- where fish like to be

---------------------------------------------------------------------------------------------------------------
-- The pond
---------------------------------------------------------------------------------------------------------------

local rocks = { { -14, 2, 3.4 }, { -6, -6, 2.2 }, { 1, 4, 3.9 }, { 8, -3, 2.8 }, { 15, 3, 3.1 }, { -1, -9, 2.0 } }

-- A bowl with a wavy bottom and rocks that stand up to the surface.
local function height(x, z)
	local across = (2 * x / (WIDTH * CELL)) ^ 2 + (2 * z / (DEPTH * CELL)) ^ 2
	local y = -5 + 7 * across * across + 0.3 * scree.sin(0.9 * x) * scree.sin(1.1 * z)
	for _, rock in ipairs(rocks) do
		local far = (x - rock[1]) ^ 2 + (z - rock[2]) ^ 2
		y = y + 6.5 * scree.exp(-far / (rock[3] * rock[3] * 0.35))
	end
	return math.floor(y * 1024 + 0.5) / 1024 -- exact as a float: all three then see the same triangles
end

--- Positions (three doubles a vertex) and indices (three a triangle, from 0).
function M.map()
	local positions = ffi.new("double[?]", 3 * (WIDTH + 1) * (DEPTH + 1))
	local indices = ffi.new("uint32_t[?]", 6 * WIDTH * DEPTH)
	for j = 0, DEPTH do
		for i = 0, WIDTH do
			local p = positions + 3 * (j * (WIDTH + 1) + i)
			p[0], p[2] = (i - WIDTH / 2) * CELL, (j - DEPTH / 2) * CELL
			p[1] = height(p[0], p[2])
		end
	end
	for j = 0, DEPTH - 1 do
		for i = 0, WIDTH - 1 do
			local a, t = j * (WIDTH + 1) + i, indices + 6 * (j * WIDTH + i)
			local b, c, d = a + 1, a + WIDTH + 1, a + WIDTH + 2
			t[0], t[1], t[2] = a, c, d
			t[3], t[4], t[5] = a, d, b
		end
	end
	return positions, indices, 2 * WIDTH * DEPTH
end

---------------------------------------------------------------------------------------------------------------
-- One triangle
---------------------------------------------------------------------------------------------------------------

-- The triangles' corners one after the other, nine numbers each: what a loop over them is quickest with.
local function corners_of(positions, indices, count)
	local corners = ffi.new("double[?]", 9 * count)
	for k = 0, 3 * count - 1 do
		for a = 0, 2 do
			corners[3 * k + a] = positions[3 * indices[k] + a]
		end
	end
	return corners
end

-- The fraction of o + t d, t in [0, limit), at which it meets the front of triangle i; else limit. (Möller and
-- Trumbore, Fast, minimum storage ray/triangle intersection, 1997.)
local function meet(corners, i, ox, oy, oz, dx, dy, dz, limit)
	local k = 9 * i
	local ax, ay, az = corners[k], corners[k + 1], corners[k + 2]
	local ux, uy, uz = corners[k + 3] - ax, corners[k + 4] - ay, corners[k + 5] - az
	local vx, vy, vz = corners[k + 6] - ax, corners[k + 7] - ay, corners[k + 8] - az
	local px, py, pz = dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx
	local det = ux * px + uy * py + uz * pz
	if det <= 0 then -- from behind, or along
		return limit
	end
	local tx, ty, tz = ox - ax, oy - ay, oz - az
	local u = tx * px + ty * py + tz * pz
	if u < 0 or u > det then
		return limit
	end
	local qx, qy, qz = ty * uz - tz * uy, tz * ux - tx * uz, tx * uy - ty * ux
	local v = dx * qx + dy * qy + dz * qz
	if v < 0 or u + v > det then
		return limit
	end
	local t = (vx * qx + vy * qy + vz * qz) / det
	return t >= 0 and t < limit and t or limit
end

---------------------------------------------------------------------------------------------------------------
-- The three ways. Each: cast(ox, oy, oz, dx, dy, dz) -> fraction in [0, 1], or 2
---------------------------------------------------------------------------------------------------------------

--- Every triangle.
function M.brute_force(positions, indices, count)
	local corners = corners_of(positions, indices, count)
	return function(ox, oy, oz, dx, dy, dz)
		local best = 1 + 1e-12
		for i = 0, count - 1 do
			best = meet(corners, i, ox, oy, oz, dx, dy, dz, best)
		end
		return best <= 1 and best or 2
	end
end

-- Does the segment, up to limit, meet the box? By slabs; 1 / 0 is infinite, which serves.
local function meets_box(boxes, k, ox, oy, oz, ix, iy, iz, limit)
	local x0, x1 = (boxes[k] - ox) * ix, (boxes[k + 3] - ox) * ix
	local y0, y1 = (boxes[k + 1] - oy) * iy, (boxes[k + 4] - oy) * iy
	local z0, z1 = (boxes[k + 2] - oz) * iz, (boxes[k + 5] - oz) * iz
	local enter = math.max(math.min(x0, x1), math.min(y0, y1), math.min(z0, z1), 0)
	local leave = math.min(math.max(x0, x1), math.max(y0, y1), math.max(z0, z1), limit)
	return enter <= leave
end

local LEVELS = 9 -- the diary's: 512 leaves

--- The diary's tree: the box of all is cut in half across its longest side, nine times over, whatever is in it. (There
--- a triangle went where one of its corners lay, so one that lay across a box was lost; here its own box decides.)
function M.fixed_depth_tree(positions, indices, count)
	local corners = corners_of(positions, indices, count)
	local nodes = 2 ^ (LEVELS + 1) - 1
	local boxes = ffi.new("double[?]", 6 * nodes) -- min, max; node n has the children 2 n + 1 and 2 n + 2
	local lists = {} -- of the leaves

	local lo, hi = {}, {} -- per triangle
	local all = {}
	local root = { math.huge, math.huge, math.huge, -math.huge, -math.huge, -math.huge }
	for i = 0, count - 1 do
		local l, h = { math.huge, math.huge, math.huge }, { -math.huge, -math.huge, -math.huge }
		for k = 0, 2 do
			for a = 1, 3 do
				local p = corners[9 * i + 3 * k + a - 1]
				l[a], h[a] = math.min(l[a], p), math.max(h[a], p)
			end
		end
		lo[i], hi[i] = l, h
		all[#all + 1] = i
		for a = 1, 3 do
			root[a], root[a + 3] = math.min(root[a], l[a] - 0.01), math.max(root[a + 3], h[a] + 0.01)
		end
	end

	local function split(node, box, triangles, level)
		for a = 0, 5 do
			boxes[6 * node + a] = box[a + 1]
		end
		if level == LEVELS then
			lists[node] = triangles
			return
		end
		local axis = 1
		for a = 2, 3 do
			if box[a + 3] - box[a] > box[axis + 3] - box[axis] then
				axis = a
			end
		end
		local middle = (box[axis] + box[axis + 3]) / 2
		for side = 0, 1 do
			local half = { unpack(box) }
			half[side == 0 and axis + 3 or axis] = middle
			local inside = {}
			for _, i in ipairs(triangles) do
				local meets = true
				for a = 1, 3 do
					meets = meets and lo[i][a] <= half[a + 3] and hi[i][a] >= half[a]
				end
				if meets then
					inside[#inside + 1] = i
				end
			end
			split(2 * node + 1 + side, half, inside, level + 1)
		end
	end
	split(0, root, all, 0)

	local function find(node, ox, oy, oz, dx, dy, dz, ix, iy, iz, best)
		if not meets_box(boxes, 6 * node, ox, oy, oz, ix, iy, iz, best) then
			return best
		end
		local list = lists[node]
		if list then
			for k = 1, #list do
				best = meet(corners, list[k], ox, oy, oz, dx, dy, dz, best)
			end
			return best
		end
		best = find(2 * node + 1, ox, oy, oz, dx, dy, dz, ix, iy, iz, best)
		return find(2 * node + 2, ox, oy, oz, dx, dy, dz, ix, iy, iz, best)
	end

	return function(ox, oy, oz, dx, dy, dz)
		local best = find(0, ox, oy, oz, dx, dy, dz, 1 / dx, 1 / dy, 1 / dz, 1 + 1e-12)
		return best <= 1 and best or 2
	end
end

---------------------------------------------------------------------------------------------------------------
-- The fish
---------------------------------------------------------------------------------------------------------------

-- Is there water all round?
local function is_open(x, y, z)
	for k = 0, 6 do
		local far = k == 0 and 0 or 2
		if height(x + far * scree.cos(k), z + far * scree.sin(k)) > y - 0.5 then
			return false
		end
	end
	return true
end

local function release(count)
	local fish, place = {}, 0
	for i = 1, count do
		local f = {
			y = DEEP + (SHALLOW - DEEP) * i / count, heading = 2.4 * i, pitch = 0, swum = 0, turns = 0,
			side = i % 2 == 0 and 1 or -1,
		}
		repeat -- along a spiral
			place = place + 1
			f.x, f.z = 0.3 * place * scree.cos(2.4 * place), 0.18 * place * scree.sin(2.4 * place)
		until is_open(f.x, f.y, f.z)
		fish[i] = f
	end
	return fish
end

local function ahead(heading, pitch)
	local level = scree.cos(pitch)
	return level * scree.cos(heading), scree.sin(pitch), level * scree.sin(heading)
end

-- Where the feelers of all fish begin and end: flat triples.
local function stretch_feelers(fish, from, to)
	for i, f in ipairs(fish) do
		for k = 0, 1 do
			local x, y, z = ahead(f.heading + (k == 0 and -SPREAD or SPREAD), f.pitch)
			local at = 6 * (i - 1) + 3 * k
			from[at], from[at + 1], from[at + 2] = f.x, f.y, f.z
			to[at], to[at + 1], to[at + 2] = f.x + REACH * x, f.y + REACH * y, f.z + REACH * z
		end
	end
end

-- Away from what is nearer, the harder the nearer; a fish in a corner keeps to the side that it took.
local function steer(f, left, right)
	local near = math.min(left, right)
	if near <= 1 then
		if math.abs(left - right) > 0.05 then
			f.side = left < right and 1 or -1
		end
		f.turns = f.turns + (f.turning and 0 or 1)
		f.turning = true
		f.heading = f.heading + f.side * (0.5 + 4.5 * (1 - near)) * DT
	else
		f.turning = false
		f.heading = f.heading + 0.25 * f.side * DT
	end
	local wanted = near <= 1 and SHALLOW or (DEEP + SHALLOW) / 2 + 0.4 * f.side
	f.pitch = math.max(-0.3, math.min(0.3, 0.4 * (wanted - f.y)))
	local x, y, z = ahead(f.heading, f.pitch)
	local way = SPEED * (near <= 1 and 0.25 + 0.75 * near or 1) * DT
	f.x, f.y, f.z = f.x + way * x, f.y + way * y, f.z + way * z
	f.swum = f.swum + way
end

---------------------------------------------------------------------------------------------------------------
-- All together
---------------------------------------------------------------------------------------------------------------

local function timed(clock, key, fn, ...)
	local begin = os.clock()
	local result = fn(...)
	clock[key] = (clock[key] or 0) + os.clock() - begin
	return result
end

--- options: frames (120), world (made if not given). Returns what the table shows, and the fish.
function M.run(options)
	options = options or {}
	local frames = options.frames or 120
	local positions, indices, count = M.map()
	local world = options.world or scree.world {}
	local build, clock = {}, {}
	local pond = timed(build, "scree", world.spawn, world,
		{ shape = "mesh", vertices = positions, indices = indices, material = "mud" })
	local brute = M.brute_force(positions, indices, count)
	local tree = timed(build, "tree", M.fixed_depth_tree, positions, indices, count)

	local n = 2 * FISH
	local from, to = ffi.new("double[?]", 3 * n), ffi.new("double[?]", 3 * n)
	local found = { brute = ffi.new("double[?]", n), tree = ffi.new("double[?]", n), scree = ffi.new("double[?]", n) }
	local function ask_all(cast, out)
		for k = 0, n - 1 do
			local a, b = from + 3 * k, to + 3 * k
			out[k] = cast(a[0], a[1], a[2], b[0] - a[0], b[1] - a[1], b[2] - a[2])
		end
	end

	local fish = release(FISH)
	local hits, different, clearance = 0, 0, math.huge
	for _ = 1, frames do
		stretch_feelers(fish, from, to)
		timed(clock, "brute", ask_all, brute, found.brute)
		timed(clock, "tree", ask_all, tree, found.tree)
		timed(clock, "scree", world.raycasts, world, n, from, to, found.scree)
		for k = 0, n - 1 do
			local a, b, c = found.brute[k], found.tree[k], found.scree[k]
			hits = hits + (c <= 1 and 1 or 0)
			if math.abs(a - c) > 1e-9 or math.abs(b - c) > 1e-9 then
				different = different + 1
			end
		end
		for i, f in ipairs(fish) do
			steer(f, found.scree[2 * i - 2], found.scree[2 * i - 1])
			local below = world:raycast({ f.x, 9, f.z }, { f.x, -9, f.z })
			clearance = math.min(clearance, below and f.y - below.position.y or -1)
		end
	end
	return {
		frames = frames, rays = frames * n, triangles = count, hits = hits, different = different, clearance = clearance,
		seconds = clock, build = build, bytes = pond.parts[1].mesh.bytes, fish = fish,
	}
end

local function print_table(r)
	print(("%d fish, %d triangles, %d frames: %d feelers, %d of them met something"):format(FISH, r.triangles, r.frames,
		r.rays, r.hits))
	print(("%-24s %10s %12s %12s %10s"):format("", "build, ms", "frame, ms", "ray, us", "as fast"))
	for _, row in ipairs { { "brute", "every triangle" }, { "tree", "tree of fixed depth" }, { "scree", "scree" } } do
		local seconds = math.max(r.seconds[row[1]], 1e-6)
		print(("%-24s %10.2f %12.4f %12.3f %9.0fx"):format(row[2], (r.build[row[1]] or 0) * 1e3,
			seconds * 1e3 / r.frames, seconds * 1e6 / r.rays, r.seconds.brute / seconds))
	end
	local swum, turns = 0, 0
	for _, f in ipairs(r.fish) do
		swum, turns = swum + f.swum, turns + f.turns
	end
	print(("different answers %d; the mesh takes %d bytes, %.1f a triangle"):format(r.different, r.bytes,
		r.bytes / r.triangles))
	print(("the fish swam %.0f m, turned away %d times, and came no nearer to the ground than %.2f m"):format(swum, turns,
		r.clearance))
end

if ... == "examples.fish_pond" then
	return M
end
local result = M.run { frames = tonumber((...)) }
print_table(result)
os.exit(result.different == 0 and result.clearance > 0 and 0 or 1)
