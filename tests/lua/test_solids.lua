-- Triangles of parts: closed, of the right size, and where rays meet the part itself.

local lu = require "luaunit"
local scree = require "scree"
local solids = require "scree.solids"
local support = require "support"

local PARTS = {
	{ shape = "ball", radius = 0.7 },
	{ shape = "box", size = { 1, 2, 3 } },
	{ shape = "capsule", radius = 0.4, length = 1.3 },
	{ shape = "cylinder", radius = 0.6, length = 1.5 },
	{ shape = "cone", radius = 0.8, length = 1.1 },
	{ shape = "wedge", size = { 2, 1, 3 } },
}

local function vertex(list, i)
	return scree.vec3(list[3 * i], list[3 * i + 1], list[3 * i + 2])
end

-- Signed volume; and that each edge is run through once in each direction, by place.
local function check_closed(mesh)
	local volume, edges = 0, {}
	local function key(i)
		local v = vertex(mesh.positions, i)
		return ("%.9f %.9f %.9f"):format(v.x + 0, v.y + 0, v.z + 0):gsub("%-0%.0+%f[ %z]", "0.000000000")
	end
	for t = 0, mesh.triangle_count - 1 do
		local corners = { mesh.indices[3 * t], mesh.indices[3 * t + 1], mesh.indices[3 * t + 2] }
		local a, b, c = vertex(mesh.positions, corners[1]), vertex(mesh.positions, corners[2]),
			vertex(mesh.positions, corners[3])
		local n = (b - a):cross(c - a)
		lu.assertTrue(n:length() > 1e-9)
		volume = volume + a:dot(n) / 6
		for k = 1, 3 do
			local own = vertex(mesh.normals, corners[k])
			lu.assertAlmostEquals(own:length(), 1, 1e-12)
			lu.assertTrue(own:dot(n) > 0.5 * n:length())
			local from, to = key(corners[k]), key(corners[k % 3 + 1])
			edges[from .. ":" .. to] = (edges[from .. ":" .. to] or 0) + 1
		end
	end
	for edge, count in pairs(edges) do
		local from, to = edge:match "^(.*):(.*)$"
		lu.assertEquals({ count, edges[to .. ":" .. from] }, { 1, 1 }, edge)
	end
	return volume
end

local TestSolids = {}

for _, part in ipairs(PARTS) do
	TestSolids["test_" .. part.shape] = function()
		local world = scree.world { gravity = { 0, 0, 0 } }
		local body = world:spawn(part)
		local mesh = solids.mesh(body.parts[1])
		lu.assertTrue(mesh.vertex_count > 0)
		local own = check_closed(mesh)
		local volume = body.mass / body.parts[1].density
		local least = (part.shape == "box" or part.shape == "wedge") and 0.999999 or 0.95
		lu.assertTrue(own <= volume * 1.000001 and own >= least * volume, ("%g of %g"):format(own, volume))
		-- every vertex lies on the part's surface
		for i = 0, mesh.vertex_count - 1, 7 do
			local p, n = vertex(mesh.positions, i), vertex(mesh.normals, i)
			local inwards = (body:to_local(body.center_of_mass) - p):normalized()
			local hit = world:raycast(p - inwards * 0.5, p + inwards * 0.01)
			lu.assertNotNil(hit)
			support.is_vec3(hit.position, p.x, p.y, p.z, 2e-3)
			lu.assertTrue(n:dot(inwards) < 0)
		end
	end
end

function TestSolids.testHullsAndMeshes()
	local world = scree.world { gravity = { 0, 0, 0 } }
	local points = {}
	for i = 1, 30 do
		points[i] = { scree.sin(7 * i), scree.sin(11 * i + 1), scree.sin(13 * i + 2) }
	end
	local hull = world:spawn { shape = "hull", points = points }
	local volume = check_closed(solids.mesh(hull.parts[1], hull:part_mesh(1)))
	lu.assertAlmostEquals(volume, hull.mass / hull.parts[1].density, 1e-4)
	local ramp = world:spawn {
		shape = "mesh", vertices = { { -4, 0, -3 }, { -4, 0, 3 }, { 4, 2, 3 }, { 4, 2, -3 } },
		indices = { 1, 2, 3, 1, 3, 4 }, position = { 0, 10, 0 },
	}
	local mesh = solids.mesh(ramp.parts[1], ramp:part_mesh(1))
	lu.assertEquals({ mesh.triangle_count, mesh.vertex_count }, { 2, 6 })
end

function TestSolids.testMistakes()
	support.fails(function() solids.mesh() end, "solids.mesh: part")
	support.fails(function() solids.mesh(3) end, "solids.mesh: part")
	support.fails(function() solids.mesh { shape = "blob" } end, "solids.mesh: part")
	support.fails(function() solids.mesh { shape = "hull" } end, "solids.mesh: mesh")
end

return { TestSolids = TestSolids }
