-- The documentation's promises: every ```lua block of README.md and docs/*.md runs, prints what its `--> text` comments
-- say (text may end in "...": anything may follow), and every link to a file of the project leads to one.
--
-- Pages that write files and run commands are followed by test_followed.lua and test_cookbook.lua instead.
--
-- A block runs in an environment of its own. One after the line `<!-- continues -->` goes on where the block before it
-- on its page ended: both are one script. Errors name the page and its line.

local lu = require "luaunit"
local files = require "files"

local folder = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
local root = os.getenv "SCREE_SOURCE_ROOT" or folder .. "/../.."

local CONTINUES = "<!-- continues -->"
local FOLLOWED = { ["docs/tutorial.md"] = true, ["docs/testing.md"] = true, ["docs/cookbook.md"] = true }

-- ---- pages ---------------------------------------------------------------------------------------------------------

local function exists(path)
	local file = io.open(path, "rb")
	if file then
		file:close()
	end
	return file ~= nil
end

local function page_names()
	local names = { "README.md", "CONTRIBUTING.md" }
	for name in io.popen(('ls "%s/docs"'):format(root)):lines() do
		if name:find "%.md$" then
			names[#names + 1] = "docs/" .. name
		end
	end
	return names
end

-- The scripts of a page: { line = first line of code, source = , expected = { { line =, text = }, ... } }. The source
-- has an empty line for each line of the page that is not code, so that line numbers are the page's.
local function scripts_of(text)
	local scripts, number, before = {}, 0, ""
	local script, inside
	for line in (text .. "\n"):gmatch "([^\n]*)\n" do
		number = number + 1
		if inside and line:find "^```" then
			inside = false
		elseif inside then
			script.source = script.source .. ("\n"):rep(number - script.last) .. line
			script.last = number
			local wanted = line:match "%-%-> (.*)$"
			if wanted then
				table.insert(script.expected, { line = number, text = wanted })
			end
		elseif line == "```lua" then
			inside = true
			if before ~= CONTINUES or not script then
				script = { line = number + 1, source = "", last = 1, expected = {} }
				scripts[#scripts + 1] = script
			end
		end
		before = line:find "%S" and line or before
	end
	return scripts
end

-- ---- running -------------------------------------------------------------------------------------------------------

local function matches(said, wanted)
	local start = wanted:match "^(.*)%.%.%.$"
	return said == wanted or (start ~= nil and said:sub(1, #start) == start)
end

-- Runs one script; nil, or what is wrong with it, beginning with "page:line: ".
local function run(page, script)
	local said = {}
	local environment = setmetatable({
		print = function(...)
			local words = {}
			for i = 1, select("#", ...) do
				words[i] = tostring((select(i, ...)))
			end
			said[#said + 1] = table.concat(words, "\t")
		end,
	}, { __index = _G })
	-- By its whole path, so that what lies beside the page is found; in messages by the page's own.
	local function shortened(message)
		local from, to = message:find(root .. "/" .. page, 1, true)
		return from and message:sub(1, from - 1) .. page .. message:sub(to + 1) or message
	end
	local chunk, message = loadstring(script.source, "@" .. root .. "/" .. page)
	if not chunk then
		return shortened(message)
	end
	local ok, reason = pcall(setfenv(chunk, environment))
	if not ok then
		reason = shortened(tostring(reason))
		return reason:find(page, 1, true) and reason or ("%s:%d: %s"):format(page, script.line, reason)
	end
	for i, wanted in ipairs(script.expected) do
		if not said[i] or not matches(said[i], wanted.text) then
			return ("%s:%d: the page says %q, the script %q"):format(page, wanted.line, wanted.text, said[i] or "nothing")
		end
	end
	if #script.expected > 0 and #said > #script.expected then
		return ("%s:%d: the script also says %q"):format(page, script.line, said[#script.expected + 1])
	end
end

local TestDocs = {}

local counts = {}

for _, page in ipairs(page_names()) do
	local scripts = FOLLOWED[page] and {} or scripts_of(files.read(root .. "/" .. page))
	counts[page] = #scripts
	for _, script in ipairs(scripts) do
		local name = ("test_%s_line_%03d"):format(page:match "([%w_]+)%.md$", script.line)
		TestDocs[name] = function()
			local wrong = run(page, script)
			if wrong then
				lu.fail(wrong)
			end
		end
	end
end

function TestDocs.testThereAreScripts()
	lu.assertTrue(counts["README.md"] >= 1)
	lu.assertTrue((counts["docs/manual.md"] or 0) >= 5)
end

-- The anchors that a page's headings make: small letters, hyphens for spaces, no other signs.
local anchors_of_page = {}

local function anchors_of(path)
	local anchors = anchors_of_page[path]
	if not anchors then
		anchors = {}
		for heading in ("\n" .. files.read(path):gsub("```.-\n```", "")):gmatch "\n#+ ([^\n]+)" do
			anchors[heading:lower():gsub("[^%w%- _]", ""):gsub(" ", "-") .. ""] = true
		end
		anchors_of_page[path] = anchors
	end
	return anchors
end

function TestDocs.testLinksLeadSomewhere()
	local seen = 0
	for _, page in ipairs(page_names()) do
		local text = files.read(root .. "/" .. page):gsub("```.-\n```", "")
		for target in text:gmatch "%]%(([^)%s]+)%)" do
			local path, anchor = target:gsub("#.*$", ""), target:match "#(.+)$"
			if anchor and not target:find "^%a+:" then
				local of = path == "" and page or (page:match "^(.*/)" or "") .. path
				lu.assertTrue(anchors_of(root .. "/" .. of)[anchor] == true, page .. " links to " .. target)
			end
			if path ~= "" and not path:find "^%a+:" then
				seen = seen + 1
				local from = page:match "^(.*/)" or ""
				lu.assertTrue(exists(root .. "/" .. from .. path), page .. " links to " .. target)
			end
		end
	end
	lu.assertTrue(seen > 0)
end

-- ---- the runner itself ---------------------------------------------------------------------------------------------

local TestDocsRunner = {}

local FENCE = "```"

local function page_of(...)
	return (table.concat({ ... }, "\n"):gsub("~~~", FENCE))
end

local function run_all(text)
	local wrong = {}
	for _, script in ipairs(scripts_of(text)) do
		wrong[#wrong + 1] = run("page.md", script)
	end
	return wrong
end

function TestDocsRunner.testErrorsNameTheLineOfThePage()
	lu.assertEquals(run_all(page_of("Words.", "", "~~~lua", "local x = 1", "error 'no'", "~~~")), { "page.md:5: no" })
	lu.assertStrContains(run_all(page_of("~~~lua", "local = 1", "~~~"))[1], "page.md:2: ")
end

function TestDocsRunner.testOnlyLuaIsRun()
	lu.assertEquals(run_all(page_of("~~~sh", "error 'no'", "~~~", "~~~", "error 'no'", "~~~")), {})
end

function TestDocsRunner.testBlocksAreAloneUnlessTheyContinue()
	local first = { "~~~lua", "local x = 1; y = 2", "~~~", "" }
	local second = { "~~~lua", "assert(x == 1 and y == 2)", "~~~" }
	local alone = table.concat(first, "\n") .. "\n" .. table.concat(second, "\n")
	local joined = table.concat(first, "\n") .. "\n" .. CONTINUES .. "\n" .. table.concat(second, "\n")
	lu.assertEquals(run_all(page_of(alone)), { "page.md:6: assertion failed!" })
	lu.assertEquals(run_all(page_of(joined)), {})
	lu.assertNil(rawget(_G, "y"))
end

function TestDocsRunner.testWhatIsSaidIsCompared()
	lu.assertEquals(run_all(page_of("~~~lua", "print(1, 'a') --> 1\ta", "print(1 / 3) --> 0.33...", "~~~")), {})
	lu.assertStrContains(run_all(page_of("~~~lua", "print(1) --> 2", "~~~"))[1], "page.md:2: the page says")
	lu.assertStrContains(run_all(page_of("~~~lua", "local a = 1 --> 1", "~~~"))[1], "nothing")
	lu.assertStrContains(run_all(page_of("~~~lua", "print(1) --> 1", "print(2)", "~~~"))[1], "also says")
end

return { TestDocs = TestDocs, TestDocsRunner = TestDocsRunner }
