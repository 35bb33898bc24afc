-- All cases of docs/sleep.md under both rules, as the table that stands there. After the simulation has changed:
--
--   luajit examples/sleep/table.lua docs/sleep.md      writes the table into the page; without a name prints it

local M = {}

-- Module, and where it holds several cases, which.
M.list = {
	{ "examples.rotor_slope" }, { "examples.sleep.thrown_ball" }, { "examples.sleep.tipped_block" },
	{ "examples.sleep.turning_points" }, { "examples.sleep.gentle_slopes" }, { "examples.windmill" },
	{ "examples.sleep.taut_rope" }, { "examples.sleep.dug_stack" }, { "examples.sleep.pile", "dropped" },
	{ "examples.sleep.pile", "rolling" }, { "examples.sleep.vibrating_machine" }, { "examples.sleep.causes" },
	{ "examples.sleep.many_boxes" },
}

function M.load(entry)
	local module = require(entry[1])
	return entry[2] and module[entry[2]] or module
end

local function outcome(case, rule)
	local ok, said = case.run(rule)
	return (ok and "" or "**no:** ") .. said
end

--- A case's line of the table; `begin`: only what does not come from running it.
function M.row(case, begin)
	local row = ("| %s%s | %s |"):format(case.title, case.starred and " *" or "", case.right)
	if begin then
		return row
	end
	return ("%s %s | %s |"):format(row, outcome(case, "impulse"), outcome(case, "velocity"))
end

--- The whole table, as lines.
function M.make(each)
	local lines = { "| case | right outcome | by impulses | by velocity |", "|---|---|---|---|" }
	local function add(line)
		lines[#lines + 1] = line
		if each then
			each(line)
		end
	end
	for _, entry in ipairs(M.list) do
		add(M.row(M.load(entry)))
	end
	local apexes = require "examples.sleep.apexes"
	for _, place in ipairs { "air", "board" } do
		add(("| largest net acceleration at which a ball falls asleep at its apex, %s | under 0.02 m/s² | %.3f | %.2f |"):format(
			place == "air" and "in the air" or "rolling up a board", apexes.limit("impulse", place),
			apexes.limit("velocity", place)))
	end
	return lines
end

local FIRST, LAST = "<!-- cases -->\n", "<!-- end of cases -->"

if ... == "examples.sleep.table" then
	return M
end
local path = arg[1]
local text = table.concat(M.make(not path and print or nil), "\n")
if path then
	local file = assert(io.open(path))
	local page = file:read "*a"
	file:close()
	local from, to = page:find(FIRST, 1, true), page:find(LAST, 1, true)
	local _, after = page:find(FIRST, 1, true)
	assert(from and to, path .. " has no place for the table")
	file = assert(io.open(path, "w"))
	file:write(page:sub(1, after), "\n", text, "\n\n", page:sub(to))
	file:close()
end
