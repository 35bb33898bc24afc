-- The command line, run as a process.

local lu = require "luaunit"
local process = require "process"
local scree = require "scree"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
if here:sub(1, 1) ~= "/" then
	here = io.popen("pwd"):read "*l" .. "/" .. here
end
local PROGRAM = process.quote(here .. "/../../lua/bin/scree")

-- What the folder of a test may hold.
local FLOOR = [[
local scree = require "scree"
local world = scree.world {}
world.terrain:fill_box { position = { 0, -2, 0 }, size = { 20, 4, 20 }, material = "grass" }
world:spawn { shape = "box", size = { 1, 1, 1 }, position = { 0, HEIGHT or 2, 0 } }
]]

local folder

local function write(name, ...)
	process.write(folder .. "/" .. name, table.concat({ ... }, "\n"))
end

-- Exit code, all that was said, stdout.
local function cli(words, environment)
	return process.run(folder, PROGRAM .. " " .. words, environment or "CI= SCREE_UPDATE=")
end

local function succeeds(words, environment)
	local code, said, out = cli(words, environment)
	lu.assertEquals(code, 0, said)
	return out, said
end

local function fails(wanted, words, ...)
	local code, said, out = cli(words)
	lu.assertEquals(code, wanted, said)
	for _, part in ipairs { ... } do
		lu.assertStrContains(said, part)
	end
	return out
end

local function set_up()
	folder = process.new_folder()
end

local function tear_down()
	process.remove_folder(folder)
end

local TestCommandLine = { setUp = set_up, tearDown = tear_down }

function TestCommandLine.testHelp()
	local help = succeeds "--help"
	for _, command in ipairs { "run", "record", "watch", "render", "test", "bench", "info" } do
		lu.assertStrContains(help, "\n   " .. command .. " ")
		lu.assertStrContains(succeeds(command .. " --help"), "Usage: scree " .. command)
	end
	lu.assertEquals(succeeds "--version", scree.version .. "\n")
end

function TestCommandLine.testWrongUse()
	fails(2, "", "scree: ", "--help")
	fails(2, "frob", "frob")
	fails(2, "--frob", "--frob")
	fails(2, "run", "scene")
	fails(2, "info", "files")
	fails(2, "test --filter", "--filter")
	fails(2, "test missing.lua", "missing.lua")
	fails(2, "bench --frob", "--frob")
	for words, said in pairs {
		["--at soon"] = "--at", ["--at 5m"] = "2min", ["--size 640"] = "640x360", ["--from 1,2"] = "--from",
		["--look 1,2,x"] = "--look", ["--look ,1,2,3"] = "--look", ["--fov wide"] = "--fov",
		["--samples x"] = "--samples", ["--colors red"] = "--colors", ["--frob"] = "--frob",
	} do
		fails(2, "render scene.lua " .. words, said)
	end
end

local TestRun = { setUp = set_up, tearDown = tear_down }

function TestRun.testASceneGetsItsArguments()
	write("scene.lua", 'print(arg[0], #arg, ...) print(require("scree").version)')
	local out = succeeds "run scene.lua a --help 'b c'"
	lu.assertEquals(out, "scene.lua\t3\ta\t--help\tb c\n" .. scree.version .. "\n")
end

function TestRun.testExitCodes()
	write("four.lua", "os.exit(4)")
	write("wrong.lua", "local x = nil", "print(x.y)")
	write("syntax.lua", "local = 1")
	write("mistake.lua", 'require("scree").world {}:spawn { shape = "bal" }')
	fails(4, "run four.lua")
	fails(1, "run wrong.lua", "scree: wrong.lua:2: ", "stack traceback")
	fails(1, "run syntax.lua", "syntax.lua:1: ")
	fails(1, "run mistake.lua", "scree: mistake.lua:1: spawn: shape must be")
	fails(1, "run missing.lua", "missing.lua")
	write("table.lua", "error {}")
	write("nil.lua", "error()")
	write("told.lua", "error(setmetatable({}, { __tostring = function() return 'as it says' end }))")
	fails(1, "run table.lua", "scree: an error that is a table\n", "table.lua:1")
	fails(1, "run nil.lua", "scree: an error that is nil\n", "nil.lua:1")
	fails(1, "run told.lua", "scree: as it says\n")
	local _, said = cli "run mistake.lua"
	lu.assertNil(said:find("scene.lua", 1, true)) -- what runs the scene is not in the trace
end

-- On a terminal what takes long draws a bar and wipes it; not where it could not, nor where nobody looks.
function TestRun.testProgress()
	if os.execute "script -qec true /dev/null >/dev/null 2>&1" ~= 0 then
		lu.skip "needs the program script"
	end
	write("long.lua", FLOOR, "world.terrain:generate { min = { 0, 0 }, max = { 255, 255 }, height = function(x, z)",
		"local t = os.clock() repeat until os.clock() - t > 1.2e-5 return scree.sin(x) + scree.sin(z) end }")
	local line = PROGRAM .. " run long.lua"
	local _, said = process.run(folder, "script -qec " .. process.quote("TERM=xterm " .. line) .. " /dev/null")
	lu.assertStrContains(said, "%] +%d+%%", true)
	lu.assertTrue(said:find "\r +\r[^#%%]*$" ~= nil, said)
	_, said = process.run(folder, "script -qec " .. process.quote("TERM=dumb " .. line) .. " /dev/null")
	lu.assertNil(said:find("%", 1, true))
	_, said = cli "run long.lua"
	lu.assertEquals(said, "")
end

local TestRecord = { setUp = set_up, tearDown = tear_down }

function TestRecord.testAPage()
	write("scene.lua", FLOOR, "print(world:hash(), ...) world:run(1) print(world:hash())")
	local out = succeeds "record scene.lua a -o 'a page.html' -- -o b"
	local plain = succeeds "run scene.lua a -o b"
	lu.assertEquals(out:sub(1, #plain), plain) -- recording changes nothing
	lu.assertStrContains(out, "a page.html: ")
	lu.assertStrContains(out, "world 1: 1.00 s, 61 frames, 1 assemblies")
	local page = process.read(folder .. "/a page.html")
	lu.assertStrContains(page, "<title>scene</title>")
	lu.assertStrContains(page, "The MIT License")
	lu.assertNil(page:find "{{")
	lu.assertNil(page:find 'src="') -- nothing from elsewhere
	lu.assertNil(process.read(folder .. "/a page.html.new"))
end

function TestRecord.testAnAnimation()
	write("scene.lua", FLOOR, "world:run(0.5)")
	lu.assertStrContains(succeeds "record scene.lua -o scene.glb", "31 frames")
	lu.assertEquals(process.read(folder .. "/scene.glb"):sub(1, 4), "glTF")
end

function TestRecord.testOptions()
	write("scene.lua", FLOOR, "while true do world:step() end")
	local out = succeeds "record scene.lua --seconds 0.5 --every 5 --arrows 0 --title '<Fall> & rise'"
	lu.assertStrContains(out, "scene.html: ")
	lu.assertStrContains(out, "0.50 s, 7 frames")
	lu.assertStrContains(process.read(folder .. "/scene.html"), "<title>&lt;Fall&gt; &amp; rise</title>")
	fails(2, "record scene.lua --every 0", "every", "'0'")
	fails(2, "record scene.lua --seconds soon", "seconds", "'soon'")
	fails(2, "record", "scene")
end

-- What went before an error or an exit is recorded.
function TestRecord.testScenesThatEndOtherwise()
	write("wrong.lua", FLOOR, "world:run(0.5) error 'a mistake'")
	write("exits.lua", FLOOR, "world:run(0.5) os.exit(3)")
	write("still.lua", FLOOR)
	fails(1, "record wrong.lua", "a mistake", "31 frames")
	fails(3, "record exits.lua", "31 frames")
	fails(1, "record still.lua", "made no step")
	fails(1, "record missing.lua", "missing.lua")
	fails(1, "record exits.lua -o missing/page.html", "missing/page.html")
	lu.assertNotNil(process.read(folder .. "/wrong.html"))
	lu.assertNil(process.read(folder .. "/still.html"))
end

-- Where the page cannot be written is told before the scene runs, and leaves nothing behind.
function TestRecord.testPagesThatCannotBeWritten()
	write("scene.lua", FLOOR, "print 'it ran' world:run(0.1)")
	os.execute("mkdir " .. process.quote(folder .. "/here"))
	for _, path in ipairs { "missing/page.html", "here", "here/", "''", "scene.lua/page.html" } do
		for _, command in ipairs { "record", "render" } do
			local out = fails(1, command .. " scene.lua -o " .. path, "scree: ", path == "''" and "empty" or path)
			lu.assertNil(out:find "it ran")
		end
	end
	lu.assertEquals(io.popen("ls " .. process.quote(folder)):read "*a", "here\nscene.lua\n")
end

-- Ctrl+C at any moment, also while a frame is being recorded: what there is becomes a page.
function TestRecord.testInterrupted()
	write("scene.lua", "local ffi = require 'ffi'", FLOOR, [[
		for i = 1, 40 do
			world:spawn { shape = "ball", radius = 0.5, position = { i % 7, 2 + i, i % 5 } }
		end
		ffi.cdef "int getpid(void);"
		world:step()
		os.execute(("(sleep 0.%s; kill -INT %d) &"):format(arg[1], ffi.C.getpid()))
		while os.time() < tonumber(arg[2]) do
			world:step()
		end
		error "it was not interrupted"
	]])
	for i = 1, 3 do
		os.remove(folder .. "/scene.html")
		local out = fails(1, ("record scene.lua --seconds 0 %d %d"):format(i, os.time() + 30), "interrupted")
		lu.assertStrContains(out, "scene.html: ")
		lu.assertNotNil(process.read(folder .. "/scene.html"))
	end
end

-- In a loop that is compiled, where LuaJIT does not look whether there was a Ctrl+C.
local function write_hot_loop(name)
	write(name, [[
		local ffi = require "ffi"
		ffi.cdef "int getpid(void); long time(long *now);"
		print "it began"
		io.stdout:flush()
		os.execute(("(sleep 0.3; kill -INT %d) &"):format(ffi.C.getpid()))
		local stop = ffi.C.time(nil) + 30
		while ffi.C.time(nil) < stop do
		end
		error "it was not interrupted"
	]])
end

function TestCommandLine.testInterruptedAtOnce()
	write_hot_loop "scene.lua"
	for _, command in ipairs { "run", "bench", "render" } do
		lu.assertStrContains(fails(130, command .. " scene.lua"), "it began")
	end
end

local TestTest = { setUp = set_up, tearDown = tear_down }

function TestTest.testInterrupted()
	write_hot_loop "test_a.lua"
	write("test_b.lua", "print 'it went on'")
	local out = fails(130, "test .")
	lu.assertStrContains(out, "Bail out!")
	lu.assertNil(out:find "it went on")
end

function TestTest.testScriptsAndTables()
	write("test_good.lua", "print 'hello'")
	write("test_quits.lua", "os.exit(0)")
	write("test_table.lua", "local T = {}", "function T:setUp() self.x = 1 end",
		"function T:testOne() assert(self.x == 1) end", "function T:testTwo() error 'two is wrong' end",
		"function T.helper() error 'no test' end", "return { TestThings = T, test_alone = function() end }")
	write("helper.lua", "error 'not a test'")
	local out = fails(1, "test .")
	lu.assertStrContains(out, "TAP version 13\n# hello\nok 1 - test_good.lua\nok 2 - test_quits.lua\n")
	lu.assertStrContains(out, "ok 3 - test_table.lua TestThings.testOne\n"
		.. "not ok 4 - test_table.lua TestThings.testTwo\n# test_table.lua:4: two is wrong\n")
	lu.assertStrContains(out, "\nok 5 - test_table.lua test_alone\n1..5\n# 4 passed, 1 failed\n")
	lu.assertStrContains(succeeds "test --filter testOne", "ok 1 - test_table.lua TestThings.testOne\n1..1\n")
	lu.assertStrContains(succeeds "test --filter good", "ok 1 - test_good.lua\n1..1\n")
	fails(1, "test --filter nothing", "no tests were found")
end

function TestTest.testWhatFails()
	write("a_test.lua", "error 'at once'")
	write("b_test.lua", "io.stdout:write 'last words' os.exit(3)")
	write("c_test.lua", "local = 1")
	write("d_test.lua", "return { testDies = function() os.exit(0) end, testAfter = function() end }")
	write("e_test.lua", "require('ffi').cdef 'int raise(int);' require('ffi').C.raise(9)")
	local out = fails(1, "test")
	lu.assertStrContains(out, "not ok 1 - a_test.lua\n# a_test.lua:1: at once\n")
	lu.assertStrContains(out, "# last words\nnot ok 2 - b_test.lua\n# it ended with the exit code 3\n")
	lu.assertStrContains(out, "not ok 3 - c_test.lua\n# c_test.lua:1: ")
	lu.assertStrContains(out, "\nok 4 - d_test.lua testAfter\n")
	lu.assertStrContains(out, "not ok 5 - d_test.lua\n# it ended with the exit code 0 after 1 of its 2 tests\n")
	lu.assertStrContains(out, "not ok 6 - e_test.lua\n# it ended with the exit code 137\n")
	lu.assertStrContains(out, "1..6\n# 1 passed, 5 failed\n")
end

function TestTest.testErrorsThatAreNoStrings()
	write("a_test.lua", "local told = setmetatable({}, { __tostring = function() return 'custom' end })",
		"return { testA = function() error(told) end, testB = function() error {} end, testC = function() error() end,",
		"testD = function() error { msg = 'in it' } end }")
	local out = fails(1, "test")
	for name, words in pairs { A = "custom", B = "an error that is a table", C = "an error that is nil", D = "in it" } do
		local line = name == "D" and 3 or 2
		lu.assertStrContains(out, ("a_test.lua test%s\n# %s\n"):format(name, words)
			.. "# stack traceback:\n# \t[C]: in function 'error'\n"
			.. ("# \ta_test.lua:%d: in function <a_test.lua:%d>\n%s"):format(line, line, name == "D" and "1..4" or "not ok"))
	end
end

function TestTest.testSkipped()
	write("a_test.lua", "return 'skip', 'no disk'")
	write("b_test.lua", [[
		local lu = require "luaunit"
		return {
			testLater = function() lu.skip "later" end, testNow = function() end, testNever = function() return "skip" end,
		}
	]])
	local out = succeeds "test"
	lu.assertStrContains(out, "ok 1 - a_test.lua # SKIP no disk\n")
	lu.assertStrContains(out, "ok 2 - b_test.lua testLater # SKIP later\n")
	lu.assertStrContains(out, "ok 3 - b_test.lua testNever # SKIP\nok 4 - b_test.lua testNow\n")
	lu.assertStrContains(out, "1..4\n# 1 passed, 0 failed, 3 skipped\n")
end

function TestTest.testGoldenTraces()
	os.execute("mkdir " .. process.quote(folder .. "/tests"))
	local require_it = 'local golden = require "scree.golden"'
	local check = 'world:run(0.5) golden.check(world, "fall")'
	write("tests/test_fall.lua", require_it, FLOOR, check)
	write("tests/test_other.lua", require_it, FLOOR,
		'return { testIt = function() return golden.check(world, "other") end }')
	fails(1, "test", "no stored trace of fall", "no stored trace of other")
	succeeds "test --update fall tests/test_fall.lua"
	lu.assertNotNil(process.read(folder .. "/tests/golden/fall.txt"))
	fails(1, "test --update fall", "no stored trace of other")
	lu.assertStrContains(succeeds "test --update", "golden: stored tests/golden/other.txt")
	lu.assertStrContains(succeeds "test", "# 2 passed, 0 failed")
	write("tests/test_fall.lua", require_it, "local HEIGHT = 3", FLOOR, check)
	fails(1, "test", "not ok 1", "ok 2", "# tests/test_fall.lua:", "#   first at step 0", "#   expected 0 2 0")
	local stored = process.read(folder .. "/tests/golden/fall.txt")
	local code, said = cli("test --update", "CI=1")
	lu.assertEquals(code, 2)
	lu.assertStrContains(said, "--update is refused where CI is set")
	lu.assertEquals(process.read(folder .. "/tests/golden/fall.txt"), stored)
	succeeds "test --update tests/test_fall.lua"
	lu.assertNotEquals(process.read(folder .. "/tests/golden/fall.txt"), stored)
	succeeds "test"
end

local TestBench = { setUp = set_up, tearDown = tear_down }

function TestBench.testStepsAreCounted()
	write("scene.lua", FLOOR, "local other = scree.world {}", "world:run(1) world:step(1 / 60, tonumber((...)))",
		"other:step() print(world:hash()) os.exit(5)")
	write("plain.lua", FLOOR, "world:run(1) world:step(1 / 60, 12) print(world:hash())")
	local out = fails(5, "bench scene.lua 12")
	lu.assertStrContains(out, "world 1: 72 steps, 1 bodies, 1 thread\n")
	lu.assertStrContains(out, "world 2: 1 steps, 0 bodies, 1 thread\n")
	local median, high, longest = out:match "median (%S+) ms a step, 95 %% under (%S+) ms, longest (%S+) ms"
	lu.assertTrue(tonumber(median) <= tonumber(high) and tonumber(high) <= tonumber(longest))
	lu.assertStrContains(out, "solve ")
	lu.assertEquals(out:match "^%x+\n", succeeds "run plain.lua") -- timing changes nothing
end

function TestBench.testScenesThatFail()
	write("idle.lua", "")
	write("wrong.lua", FLOOR, "world:step() error 'wrong'")
	fails(1, "bench idle.lua", "made no step")
	fails(1, "bench wrong.lua", "wrong", "1 steps")
	fails(1, "bench missing.lua", "missing.lua")
end

local TestRender = { setUp = set_up, tearDown = tear_down }

-- Width and height of a PNG file in the folder, or nil.
local function size_of(name)
	local file = process.read(folder .. "/" .. name)
	if not file then
		return nil
	end
	lu.assertEquals(file:sub(1, 16), "\137PNG\r\n\26\n\0\0\0\rIHDR")
	local a, b, _, _, c, d = file:byte(19, 24)
	return 256 * a + b, 256 * c + d
end

function TestRender.testAtATime()
	write("scene.lua", FLOOR, "world:run(2) print 'the end'")
	local out = succeeds "render scene.lua -o a.png --at 0.5s --size 40x30 --samples 1"
	lu.assertEquals(out, "a.png: 1 assemblies after 0.5 s\n") -- and the script is ended
	lu.assertEquals({ size_of "a.png" }, { 40, 30 })
	out = succeeds "render scene.lua --size 16x9 --samples 1 --from -3,2,8 --look 0,-.5,0 --fov 60"
	lu.assertEquals(out, "the end\nshot.png: 1 assemblies after 2 s\n")
	lu.assertEquals({ size_of "shot.png" }, { 16, 9 })
	lu.assertEquals(succeeds "render --at 500ms -o b.png --size 40x30 --samples 1 scene.lua",
		"b.png: 1 assemblies after 0.5 s\n")
	lu.assertTrue(process.read(folder .. "/a.png") == process.read(folder .. "/b.png"))
	lu.assertStrContains(succeeds "render scene.lua --at 0 --size 8x8 --samples 1", "after 0 s")
	fails(1, "render scene.lua -o c.png --at 3s", "the scene ended 2 s after its start, before 3 s")
	lu.assertNil(size_of "c.png")
end

function TestRender.testScenesOfAllKinds()
	write("still.lua", FLOOR, "world.terrain:fill_ball { center = { 0, 0, 0 }, radius = 2, material = (...) or 'rock' }")
	write("quits.lua", FLOOR, "world:run(0.1) os.exit(arg[1] == 'well' and 0 or 5)")
	write("wrong.lua", FLOOR, "world:run(0.1) error 'it is wrong'")
	write("idle.lua", "")
	write("gone.lua", FLOOR, "world:step() world:destroy()")
	local small = " --size 8x6 --samples 1"
	lu.assertStrContains(succeeds("render still.lua" .. small .. " -- sand"), "after 0 s")
	lu.assertStrContains(succeeds("render quits.lua" .. small .. " -- well"), "after 0.1 s")
	fails(5, "render quits.lua -o none.png")
	fails(1, "render wrong.lua -o none.png", "it is wrong", "stack traceback")
	fails(1, "render still.lua -o none.png -- straw", "straw")
	fails(1, "render idle.lua -o none.png", "made no world")
	fails(1, "render gone.lua -o none.png", "destroyed its world")
	lu.assertStrContains(succeeds("render gone.lua --at 0" .. small), "after 0 s")
	fails(1, "render missing.lua", "missing.lua")
	lu.assertNil(size_of "none.png")
	fails(1, "render still.lua -o none/shot.png" .. small, "none/shot.png")
	fails(2, "render missing.lua --size 0x5", "size[1]")
	fails(2, "render missing.lua --samples 5", "samples")
	fails(2, "render missing.lua --fov 400", "--fov", "400")
	fails(2, "render missing.lua --at -1", "--at", "-1")
	fails(2, "render missing.lua --from 1,2,3 --look 1,2,3", "look")
end

local TestInfo = { setUp = set_up, tearDown = tear_down }

function TestInfo.testSavedFiles()
	local world = scree.world { cell_size = 0.5 }
	world.terrain:fill_box { position = { 0, -1, 0 }, size = { 4, 2, 4 }, material = "rock" }
	world:spawn { shape = "ball", radius = 1, position = { 0, 3, 0 } }
	world:step(1 / 60, 3)
	assert(world:save(folder .. "/a.world"))
	assert(world.terrain:save(folder .. "/b.terrain"))
	assert(world.terrain:export(folder .. "/c.vox"))
	assert(world.terrain:export(folder .. "/d.glb"))
	local out = succeeds "info a.world b.terrain c.vox d.glb"
	for _, words in ipairs {
		"a.world\n  kind: saved world\n", "  steps: 3\n", "  assemblies: 1 (awake 1, checking 0, asleep 0)\n",
		"  hash: " .. world:hash() .. "\n  cell size, m: 0.5\n", "  cells: 8 4 8 (from -4 -4 -4 to 3 -1 3)\n",
		"  materials, cells of matter: 1\n    rock: 256.0\n", "b.terrain\n  kind: saved terrain\n",
		"  cell size in the file, m: 0.5\n", "c.vox\n  kind: MagicaVoxel model\n", "  cells: 256\n",
		"d.glb\n  kind: mesh\n  triangles: 512\n  vertices: 258\n", "  closed: true\n  volume, cubed units: 29.7",
		"  size: 4 2 4 (from -2 -2 -2 to 2 0 2)\n",
	} do
		lu.assertStrContains(out, words)
	end
end

function TestInfo.testHeights()
	local rows = {}
	for i = 1, 4 do
		rows[i] = "\0\0\0\64\255\255\128\0"
	end
	process.write(folder .. "/map.r16", table.concat(rows))
	local out = succeeds "info map.r16"
	lu.assertStrContains(out, "  samples: 4 x 4\n  voids: 0\n")
	lu.assertStrContains(out, "  lowest, m: -1\n  highest, m: 16384\n")
end

function TestInfo.testFilesThatCannotBeRead()
	write("empty.vox", "")
	write("wrong.vox", "not a model")
	write("wrong.world", "\137SCREE\r\nand nothing more")
	write("other.txt", "text")
	write("wrong.obj", "f 1 2 3")
	fails(1, "info empty.vox", "empty.vox: an empty file")
	fails(1, "info .", "scree: .: a folder")
	fails(1, "info missing", "scree: missing: No such file")
	fails(1, "info wrong.vox", "scree: ", "wrong.vox")
	fails(1, "info wrong.world", "scree: ", "wrong.world")
	fails(1, "info other.txt", "other.txt: of no kind")
	fails(1, "info wrong.obj", "scree: ", "wrong.obj")
	fails(1, "info .", "scree: ")
	fails(1, "info missing.vox", "missing.vox")
end

return {
	TestCommandLine = TestCommandLine, TestRun = TestRun, TestRender = TestRender, TestRecord = TestRecord,
	TestTest = TestTest,
	TestBench = TestBench, TestInfo = TestInfo,
}
