-- docs/tutorial.md and docs/testing.md followed word by word, each in an empty folder. A block of Lua whose first line
-- names a file is written to it, a block of shell is run, and what stands in the plain block behind it is what it
-- prints ("..." in a line is anything, a line of "..." any lines). A block after the line `<!-- not run -->` is left
-- out, and one after `<!-- needs NAME -->` where there is no such program.

local lu = require "luaunit"
local process = require "process"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
local root = os.getenv "SCREE_SOURCE_ROOT" or here .. "/../.."
if root:sub(1, 1) ~= "/" then
	root = io.popen("pwd"):read "*l" .. "/" .. root
end

local function is_installed(program)
	return os.execute("command -v " .. program .. " >/dev/null") == 0
end

-- The blocks of a page: { line =, kind = "lua", "sh" or "", text = }
local function blocks_of(page)
	local blocks, number, inside, skipped = {}, 0, nil, false
	for line in (page .. "\n"):gmatch "([^\n]*)\n" do
		number = number + 1
		if inside and line == "```" then
			local last = blocks[#blocks]
			inside.skipped = inside.skipped or inside.kind == "" and last ~= nil and last.skipped -- its answer
			blocks[#blocks + 1] = inside
			inside = nil
		elseif inside then
			inside.text = inside.text .. line .. "\n"
		elseif line:find "^```" then
			inside = { line = number + 1, kind = line:sub(4), text = "", skipped = skipped }
			skipped = false
		elseif line:find "%S" then
			local program = line:match "^<!%-%- needs ([%w%-]+) %-%->$"
			skipped = line == "<!-- not run -->" or program ~= nil and not is_installed(program)
		end
	end
	return blocks
end

-- A page's answer as a pattern: "..." in a line is anything in that line, a line of "..." any number of lines.
local function pattern_of(answer)
	local words = {}
	for line in answer:gmatch "([^\n]*)\n" do
		local word = line:gsub("%p", "%%%0"):gsub("%%%.%%%.%%%.", "[^\n]*") .. "\n"
		words[#words + 1] = line == "..." and ".-" or word
	end
	return "^" .. table.concat(words) .. "$"
end

local function fail(message)
	error(message, 0)
end

local function compare(said, wanted, where)
	if not said:find(pattern_of(wanted)) then
		fail(("%s: the page says\n%s\nbut this is said:\n%s"):format(where, wanted, said))
	end
end

local function follow(page, name)
	local folder = process.new_folder()
	local blocks, run, written, skipped = blocks_of(page), 0, 0, 0
	local environment = ("CI= SCREE_UPDATE= PATH=%s:\"$PATH\""):format(process.quote(root .. "/bin"))
	local ok, reason = pcall(function()
		for i, block in ipairs(blocks) do
			local where = ("%s:%d"):format(name, block.line)
			local file = block.kind == "lua" and block.text:match "^%-%- ([%w_/.]+%.lua)\n"
			if block.skipped then
				skipped = skipped + 1
			elseif file then
				process.run(folder, "mkdir -p " .. process.quote(file:match "^(.*)/" or "."))
				process.write(folder .. "/" .. file, block.text)
				written = written + 1
			elseif block.kind == "sh" then
				local _, said = process.run(folder, "sh -c " .. process.quote(block.text), environment)
				local answer = blocks[i + 1]
				compare(said, answer and answer.kind == "" and answer.text or "", where)
				run = run + 1
			elseif block.kind ~= "" then
				fail(where .. ": a block that names no file")
			end
		end
	end)
	process.remove_folder(folder)
	if not ok then
		error(reason, 0)
	end
	return run, written, skipped
end

local TestFollowed = {}

function TestFollowed.testTutorial()
	local run, written, skipped = follow(process.read(root .. "/docs/tutorial.md"), "docs/tutorial.md")
	lu.assertEquals({ run, written, skipped }, { 10, 6, 1 })
end

function TestFollowed.testTesting()
	local run, written = follow(process.read(root .. "/docs/testing.md"), "docs/testing.md")
	lu.assertTrue(run >= 4 and written == 4, ("%d commands, %d files"):format(run, written))
end

-- The reader itself: what a page says wrongly is found.
function TestFollowed.testWrongPages()
	local function page(...)
		return (table.concat({ ... }, "\n"):gsub("~~~", "```"))
	end
	local script = page("~~~lua", "-- a.lua", "print(6 * 7)", "~~~", "")
	local call = page("~~~sh", "luajit a.lua", "~~~", "")
	lu.assertEquals({ follow(script .. call .. page("~~~", "42", "~~~"), "page") }, { 1, 1, 0 })
	lu.assertEquals({ follow(script .. call .. page("~~~", "4...", "~~~"), "page") }, { 1, 1, 0 })
	lu.assertEquals({ follow(script .. call .. page("~~~", "...", "42", "...", "~~~"), "page") }, { 1, 1, 0 })
	for _, answer in ipairs { "43", "4", "42\n42", "", "...\n43" } do
		lu.assertErrorMsgContains("page:6", follow, script .. call .. page("~~~", answer, "~~~"), "page")
	end
	lu.assertErrorMsgContains("names no file", follow, page("~~~lua", "print(1)", "~~~"), "page")
	lu.assertEquals({ follow(page("<!-- not run -->", "~~~sh", "false", "~~~"), "page") }, { 0, 0, 1 })
	local absent = page("<!-- needs no-such-program -->", "~~~sh", "no-such-program", "~~~", "", "~~~", "42", "~~~")
	lu.assertEquals({ follow(absent, "page") }, { 0, 0, 2 })
end

return { TestFollowed = TestFollowed }
