-- Loops over the keys of tables: where the compiler is wrong about next(), the module does not let it compile that.

local lu = require "luaunit"
local files = require "files"
local safe_pairs = require "scree.pairs"
local process = require "process"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
local root = os.getenv "SCREE_SOURCE_ROOT" or here .. "/../.."

local TestPairs = {}

function TestPairs.testGoesOverEveryKeyOnce()
	local t, seen = { 10, 20, 30, x = 1, y = false, [2.5] = "z" }, {}
	for key, value in safe_pairs(t) do
		lu.assertNil(seen[key])
		seen[key] = { value }
	end
	for _, key in ipairs { 1, 2, 3, "x", "y", 2.5 } do
		lu.assertEquals(seen[key], { t[key] })
	end
	for key in safe_pairs {} do
		lu.fail("a key in nothing: " .. tostring(key))
	end
	lu.assertErrorMsgContains("table expected, got number", function() safe_pairs(3) end)
end

-- A file of the module that goes over keys does so by it; only the table of the API, which is read once, may not.
function TestPairs.testTheModuleUsesIt()
	local _, _, names = process.run(root .. "/lua/scree", "find . -name '*.lua'")
	local looked_at = 0
	for name in names:gmatch "%./([^\n]+)" do
		local text = files.read(root .. "/lua/scree/" .. name):gsub("%-%-[^\n]*", "")
		local loops = text:find "[^%w_]pairs%(" or text:find "[^%w_.:]next[%(,]"
		if loops and name ~= "pairs.lua" and not name:find "^api/" and name ~= "cli/test_file.lua" then
			lu.assertStrContains(text, 'local pairs = require "scree.pairs"', false, name)
			lu.assertNil(text:match "[^%w_.:]next[%(,]", name)
			looked_at = looked_at + 1
		end
	end
	lu.assertTrue(looked_at > 5)
end

return { TestPairs = TestPairs }
