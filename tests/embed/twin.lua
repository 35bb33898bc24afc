-- The programs of examples/embed do what the same scene does in Lua alone, to the bit.
--
--   luajit twin.lua plain PROGRAM
--   luajit twin.lua host PROGRAM SCENE

local kind, program, scene = ...

local function quote(word)
	return "'" .. word:gsub("'", "'\\''") .. "'"
end

local function output_of(command)
	local pipe = assert(io.popen(command .. " 2>&1; echo exit code $?"))
	local text = pipe:read "*a"
	pipe:close()
	io.write(text)
	assert(text:find "exit code 0\n$", "it failed")
	return text
end

local function hash_in(text)
	return assert(text:match "hash (%x+)", "there is no hash in it")
end

-- The scene of plain.c.
local function plain_twin()
	local scree = require "scree"
	local world = scree.world {}
	world.terrain:fill_box { position = { 0, -2, 0 }, size = { 40, 4, 40 }, material = "grass" }
	for i = 0, 4 do
		world:spawn { shape = "box", size = { 1, 1, 1 }, material = "wood", position = { 1.5 * i, 0.5, 0 } }
	end
	local ball = world:spawn { shape = "ball", radius = 0.75, material = "rock", position = { -8, 0.75, 0.2 } }
	ball.velocity = { 12, 0, 0 }
	world:step(1 / 60, 180)
	return world:hash(), ball.position
end

if kind == "plain" then
	local text = output_of(quote(program))
	local hash, place = plain_twin()
	assert(hash_in(text) == hash, "Lua's hash is " .. hash)
	assert(text:find(("ball is at %.3f %.3f %.3f"):format(place.x, place.y, place.z), 1, true))
	assert(text:find("one meets the ball at a height of 1.5", 1, true))
else
	local text = output_of(quote(program) .. " " .. quote(scene) .. " 6")
	local alone = output_of("luajit " .. quote(scene))
	assert(hash_in(text) == hash_in(alone), "alone the scene ends otherwise")
	assert(text:find("6.00 s: 25 assemblies", 1, true))
	-- what goes wrong in a scene
	local folder = os.tmpname()
	os.remove(folder)
	local function fails(script, said)
		local file = assert(io.open(folder, "wb"))
		file:write(script)
		file:close()
		local pipe = io.popen(quote(program) .. " " .. quote(folder) .. " 2>&1; echo exit code $?")
		local words = pipe:read "*a"
		pipe:close()
		assert(words:find("exit code 1\n$") and words:find(said, 1, true), words)
	end
	fails("local = 1", ":1:")
	fails("\nerror 'it is wrong'", ":2: it is wrong")
	fails("return nil", "returned no world")
	fails("return require('scree').world {}, function() require('scree').world { substeps = 0 } end", "substeps")
	os.remove(folder)
end
