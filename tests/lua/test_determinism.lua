-- The same script gives the same bits: again in one process, in another process, without the JIT compiler, with more
-- threads, and on every machine (golden_hashes.lua).

local luaunit = require "luaunit"
local scree = require "scree"
local scenes = require "scenes"
local golden = require "golden_hashes"

local TestDeterminism = {}

local function interpreter()
	local i = 0
	while arg[i - 1] do
		i = i - 1
	end
	return arg[i]
end

-- The hashes that another process prints; `lanes`: SCREE_SIMD for it.
local function elsewhere(options, name, threads, lanes)
	local command = ('"%s" %s "%s" %s %d'):format(interpreter(), options, scenes.path, name, threads or 1)
	if lanes then
		command = ("SCREE_SIMD=%d %s"):format(lanes, command)
	end
	local pipe = assert(io.popen(command))
	local line = pipe:read "*l"
	pipe:close()
	luaunit.assertNotNil(line, "nothing was printed by " .. command)
	return line
end

local known = {}
local function here(name)
	known[name] = known[name] or scenes.run(name)
	return known[name]
end

local function each(fn)
	for _, name in ipairs(scenes.names) do
		fn(name)
	end
end

-- Bodies come and go in another world, and what they leave in memory lies about.
local function disturb()
	local world = scree.world()
	for round = 1, 10 do
		local bodies = {}
		for i = 1, 100 do
			bodies[i] = world:spawn {
				shape = i % 2 == 0 and "box" or "ball", size = i % 2 == 0 and { 1, i % 3 + 1, 1 } or nil,
				radius = i % 2 == 1 and 0.1 * (i % 7 + 1) or nil, position = { i % 10, i % 4, round },
			}
		end
		world:step(1 / 60, 3)
		for i = 100, 1, -1 do
			bodies[(i * 37) % 101 == 0 and i or (i * 37) % 101]:destroy()
		end
	end
	return world
end

-- With two threads, after much else was made and destroyed.
function TestDeterminism.testAgainInTheSameProcess()
	each(function(name)
		local first = here(name)
		local other = disturb()
		luaunit.assertEquals(scenes.run(name, 2), first, name)
		other:destroy()
	end)
end

-- One, four and eight contacts at a time, as far as this machine can. The kernel places each process elsewhere.
function TestDeterminism.testInFreshProcessesWithOtherVectors()
	each(function(name)
		luaunit.assertEquals(elsewhere("", name, 1, 0), here(name), name .. ", one lane")
		luaunit.assertEquals(elsewhere("", name, 2, 4), here(name), name .. ", four lanes")
	end)
end

function TestDeterminism.testWithoutTheCompiler()
	for _, name in ipairs { "mixed", "machines", "rewind" } do
		luaunit.assertEquals(elsewhere("-joff", name), here(name), name)
	end
end

function TestDeterminism.testGolden()
	each(function(name)
		luaunit.assertEquals(here(name), golden[name], name .. ": a change that is meant belongs into golden_hashes.lua")
	end)
end

-- A scene that does differ must not pass: one part in 1e12 of one body's speed is seen by the hash.
function TestDeterminism.testTheHashSeesASmallDifference()
	local function hash(speed)
		local world = scree.world()
		world:spawn { shape = "ball", radius = 0.5, position = { speed, 0, 0 } }
		return world:hash()
	end
	luaunit.assertEquals(hash(1), hash(1))
	luaunit.assertNotEquals(hash(1), hash(1 + 1e-12))
end

return { TestDeterminism = TestDeterminism }
