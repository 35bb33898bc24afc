-- docs/tutorial.md and docs/testing.md followed word by word, each in an empty folder (see following.lua), and what
-- docs/replay.md says of a recording.

local lu = require "luaunit"
local following = require "following"
local process = require "process"

local TestFollowed = {}

function TestFollowed.testTutorial()
	local run, written, skipped = following.follow(process.read(following.root .. "/docs/tutorial.md"), "docs/tutorial.md")
	lu.assertEquals({ run, written, skipped }, { 10, 6, 1 })
end

function TestFollowed.testTesting()
	local run, written = following.follow(process.read(following.root .. "/docs/testing.md"), "docs/testing.md")
	lu.assertTrue(run >= 4 and written == 4, ("%d commands, %d files"):format(run, written))
end

-- How long the page is depends on three.js, and is not compared.
function TestFollowed.testReplay()
	local code, said, out = following.record "ragdoll.glb"
	lu.assertEquals(code, 0, said)
	local line = out:match "\n(  world 1: [^\n]*\n)"
	lu.assertNotNil(line, said)
	lu.assertStrContains(process.read(following.root .. "/docs/replay.md"), line)
end

-- The reader itself: what a page says wrongly is found.
function TestFollowed.testWrongPages()
	local function page(...)
		return (table.concat({ ... }, "\n"):gsub("~~~", "```"))
	end
	local script = page("~~~lua", "-- a.lua", "print(6 * 7)", "~~~", "")
	local call = page("~~~sh", "luajit a.lua", "~~~", "")
	lu.assertEquals({ following.follow(script .. call .. page("~~~", "42", "~~~"), "page") }, { 1, 1, 0 })
	lu.assertEquals({ following.follow(script .. call .. page("~~~", "4...", "~~~"), "page") }, { 1, 1, 0 })
	lu.assertEquals({ following.follow(script .. call .. page("~~~", "...", "42", "...", "~~~"), "page") }, { 1, 1, 0 })
	for _, answer in ipairs { "43", "4", "42\n42", "", "...\n43" } do
		lu.assertErrorMsgContains("page:6", following.follow, script .. call .. page("~~~", answer, "~~~"), "page")
	end
	lu.assertErrorMsgContains("names no file", following.follow, page("~~~lua", "print(1)", "~~~"), "page")
	lu.assertEquals({ following.follow(page("<!-- not run -->", "~~~sh", "false", "~~~"), "page") }, { 0, 0, 1 })
	local absent = page("<!-- needs no-such-program -->", "~~~sh", "no-such-program", "~~~", "", "~~~", "42", "~~~")
	lu.assertEquals({ following.follow(absent, "page") }, { 0, 0, 2 })
end

return { TestFollowed = TestFollowed }
