-- docs/cookbook.md: each scene on the page is the file that it names, runs, and prints what the page says.

local lu = require "luaunit"
local process = require "process"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
local root = os.getenv "SCREE_SOURCE_ROOT" or here .. "/../.."

local page = process.read(root .. "/docs/cookbook.md")
local TestCookbook = {}
local scenes = {}

for code, answer in page:gmatch "```lua\n(.-)```\n\n```\n(.-)```\n" do
	local path = code:match "^%-%- ([%w_/]+%.lua)\n"
	scenes[path or code] = true
	TestCookbook["test_" .. tostring(path):match "([%w_]+)%.lua$"] = function()
		lu.assertTrue(process.read(root .. "/" .. path) == code, path .. " is not as on the page")
		local result, said = process.luajit(root, path)
		lu.assertEquals(result, 0, said)
		lu.assertEquals(said, answer)
	end
end

function TestCookbook.testAllFilesAreOnThePage()
	local count = 0
	for name in io.popen(('ls "%s/examples/cookbook"'):format(root)):lines() do
		lu.assertTrue(scenes["examples/cookbook/" .. name] ~= nil, name)
		count = count + 1
	end
	lu.assertTrue(count >= 10)
	local _, blocks = page:gsub("```lua\n", "")
	lu.assertEquals(blocks, count)
end

return { TestCookbook = TestCookbook }
