-- Following a page word by word in an empty folder. A block of Lua whose first line names a file is written to it, a
-- block of shell is run, and what stands in the plain block behind it is what it prints ("..." in a line is anything, a
-- line of "..." any lines). A block after the line `<!-- not run -->` is left out, and one after `<!-- needs NAME -->`
-- where there is no such program.

local process = require "process"

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
local root = os.getenv "SCREE_SOURCE_ROOT" or here .. "/../.."
if root:sub(1, 1) ~= "/" then
	root = io.popen("pwd"):read "*l" .. "/" .. root
end

local following = { root = root }

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

--- Whether what was said is what a page's answer says.
function following.fits(said, wanted)
	return said:find(pattern_of(wanted)) ~= nil
end

local function compare(said, wanted, where)
	if not following.fits(said, wanted) then
		fail(("%s: the page says\n%s\nbut this is said:\n%s"):format(where, wanted, said))
	end
end

--- Follows a page: how many commands were run, files written and blocks skipped. Raises where an answer is another one.
---@param page string its text
---@param name string of the page, for messages
---@param judge fun(said: string, wanted: string, where: string, answer: table?)? instead of the comparison
function following.follow(page, name, judge)
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
				answer = answer and answer.kind == "" and answer or nil
				(judge or compare)(said, answer and answer.text or "", where, answer)
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

--- Records examples/ragdoll.lua, as docs/replay.md does, into a file that is gone afterwards.
---@param file string a name that ends in .html or .glb
---@return integer code
---@return string said
---@return string out
function following.record(file)
	local folder = process.new_folder()
	local scree, scene = process.quote(root .. "/lua/bin/scree"), process.quote(root .. "/examples/ragdoll.lua")
	local code, said, out = process.run(folder, ("luajit %s record %s -o %s"):format(scree, scene, file))
	process.remove_folder(folder)
	return code, said, out
end

return following
