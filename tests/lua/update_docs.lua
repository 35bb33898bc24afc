-- Writes what commands and scenes say now into the pages that show it, where it is another answer than theirs:
--
--   meson devenv -C build luajit tests/lua/update_docs.lua
--
-- docs/tutorial.md, docs/testing.md, docs/cookbook.md and docs/replay.md. Look at the difference before it is
-- committed.

local here = arg[0]:match "^(.*)[/\\]" or "."
package.path = ("%s/?.lua;%s/../../lua/?.lua;%s"):format(here, here, package.path)

local following = require "following"
local process = require "process"

-- Lines of stack traces are left out: they are the machine's.
local function shortened(said)
	local lines = {}
	for line in said:gmatch "([^\n]*)\n" do
		local is_trace = line:find "^#? ?\t" ~= nil
		if not is_trace then
			lines[#lines + 1] = line
		elseif lines[#lines] ~= "..." then
			lines[#lines + 1] = "..."
		end
	end
	return lines
end

local function lines_of(text)
	local lines = {}
	for line in text:gmatch "([^\n]*)\n" do
		lines[#lines + 1] = line
	end
	return lines
end

-- Replaces lines first .. first + count - 1 of a page; edits in order of the page.
local function apply(page, edits)
	local lines, result, at = lines_of(page), {}, 1
	for _, edit in ipairs(edits) do
		while at < edit.first do
			result[#result + 1] = lines[at]
			at = at + 1
		end
		for _, line in ipairs(edit.lines) do
			result[#result + 1] = line
		end
		at = at + edit.count
	end
	while at <= #lines do
		result[#result + 1] = lines[at]
		at = at + 1
	end
	return table.concat(result, "\n") .. "\n"
end

local function update_followed(name)
	local path = following.root .. "/" .. name
	local page, edits = process.read(path), {}
	following.follow(page, name, function(said, wanted, where, answer)
		if not following.fits(said, wanted) then
			print(where)
			assert(answer, where .. ": it says something, but the page has no block for it")
			edits[#edits + 1] = { first = answer.line, count = #lines_of(wanted), lines = shortened(said) }
		end
	end)
	process.write(path, apply(page, edits))
end

-- A scene's block is the file, and the block behind it what it prints.
local function update_cookbook(name)
	local path = following.root .. "/" .. name
	local page = process.read(path):gsub("```lua\n%-%- ([%w_/]+%.lua)\n.-```\n\n```\n.-```\n", function(file)
		local code, said = process.luajit(following.root, file)
		assert(code == 0, said)
		return ("```lua\n%s```\n\n```\n%s```\n"):format(process.read(following.root .. "/" .. file), said)
	end)
	process.write(path, page)
end

-- What scree record says of examples/ragdoll.lua.
local function update_replay(name)
	local path = following.root .. "/" .. name
	local code, said, out = following.record "ragdoll.html"
	assert(code == 0, said)
	local lines = assert(out:match "ragdoll%.html: .*$")
	local page = process.read(path):gsub("```\nragdoll%.html: .-```\n", function()
		return ("```\n%s```\n"):format(lines)
	end)
	process.write(path, page)
end

update_followed "docs/tutorial.md"
update_followed "docs/testing.md"
update_cookbook "docs/cookbook.md"
update_replay "docs/replay.md"
