-- scree watch, as a process that is spoken to over HTTP.

local lu = require "luaunit"
local process = require "process"

local found, socket = pcall(require, "socket")
local http = found and require "socket.http"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
if here:sub(1, 1) ~= "/" then
	here = io.popen("pwd"):read "*l" .. "/" .. here
end
local PROGRAM = process.quote(here .. "/../../lua/bin/scree")

local SCENE = [[
local scree = require "scree"
local world = scree.world {}
world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, %s, 0 }, tag = "crate" }
world:run(0.2)
]]

local folder, pid

local TestWatch = {}

function TestWatch.setUp()
	lu.skipIf(not found, "no LuaSocket")
	folder = process.new_folder()
end

function TestWatch.tearDown()
	if pid then
		os.execute("kill " .. pid .. " 2>/dev/null")
		for _ = 1, 100 do
			if process.read(folder .. "/ended") then
				break
			end
			socket.sleep(0.05)
		end
	end
	pid = nil
	if folder then
		process.remove_folder(folder)
	end
	folder = nil
end

local function wait(what, fn)
	for _ = 1, 600 do
		local value = fn()
		if value then
			return value
		end
		socket.sleep(0.05)
	end
	lu.fail("waited in vain for " .. what .. "; it said: " .. tostring(process.read(folder .. "/said")))
end

-- Starts it in the background: its address.
local function start(words)
	pid = process.start(folder, PROGRAM .. " watch " .. words)
	return wait("the address", function()
		return (process.read(folder .. "/said") or ""):match "http://[%d%.:]+/"
	end)
end

local function status(url, key)
	local text = http.request(url .. "status") or ""
	local value = text:match('"' .. key .. '":("[^"]*"?)') or text:match('"' .. key .. '":([^,}]*)')
	return value, text
end

local function await(url, key, wanted)
	return wait(key .. " " .. wanted, function()
		local value, text = status(url, key)
		return value and value:find(wanted, 1, true) and text
	end)
end

function TestWatch.testItRunsAgainWhenAFileIsSaved()
	process.write(folder .. "/scene.lua", 'local height = require "height"\n' .. SCENE:format "height")
	process.write(folder .. "/height.lua", "return 5")
	local url = start "scene.lua --port 0 --every 3"
	await(url, "made", "1")
	local first, code = http.request(url)
	lu.assertEquals(code, 200)
	lu.assertStrContains(first, "<title>scene.lua</title>")

	process.write(folder .. "/height.lua", "return 7") -- a file that the scene requires
	await(url, "made", "2")
	local second = http.request(url)
	lu.assertNotEquals(second, first)

	process.write(folder .. "/scene.lua", "local = 1") -- the page stays, the status says what is wrong
	local text = await(url, "error", "scree")
	lu.assertStrContains(text, "scene.lua:1:")
	lu.assertEquals(http.request(url), second)

	process.write(folder .. "/scene.lua", SCENE:format "9")
	await(url, "made", "4")
	lu.assertEquals((status(url, "error")), "false")
	lu.assertNotEquals(http.request(url), second)

	local _, missing = http.request(url .. "nothing")
	lu.assertEquals(missing, 404)
	_, missing = http.request(url, "a=1")
	lu.assertEquals(missing, 400)
end

-- A run that does not end is ended when the scene is saved.
function TestWatch.testARunThatIsUnderWay()
	process.write(folder .. "/scene.lua", SCENE:format "5" .. "while true do world:step() end")
	local url = start "scene.lua --port 0 --seconds 0"
	lu.assertStrContains((http.request(url)), "The scene runs")
	process.write(folder .. "/scene.lua", SCENE:format "6")
	await(url, "made", "2")
end

function TestWatch.testOnce()
	process.write(folder .. "/scene.lua", SCENE:format "5")
	local url = start "scene.lua --port 0 --once"
	await(url, "made", "1")
	lu.assertStrContains((http.request(url)), "<title>scene.lua</title>")
	wait("the end", function()
		return process.read(folder .. "/ended")
	end)
	lu.assertEquals(process.read(folder .. "/ended"), "0\n")
end

function TestWatch.testWrongUse()
	local function fails(wanted, words, part)
		local code, said = process.run(folder, PROGRAM .. " watch " .. words)
		lu.assertEquals(code, wanted, said)
		lu.assertStrContains(said, part)
	end
	fails(2, "", "scene")
	fails(2, "scene.lua --port 70000", "'70000'")
	fails(1, "missing.lua", "missing.lua")
	local server = assert(socket.bind("127.0.0.1", 0))
	local _, port = server:getsockname()
	process.write(folder .. "/scene.lua", SCENE:format "5")
	fails(1, "scene.lua --port " .. port, "port " .. port)
	server:close()
end

return { TestWatch = TestWatch }
