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

local function outcome(ok, said)
	return (ok and "" or "**no:** ") .. said
end

--- A case's line of the table, and whether it was right by impulses and by velocity.
function M.row(case, size)
	local ok, said = case.run("impulse", nil, size)
	local also, other = case.run("velocity", nil, size)
	return ("| %s%s | %s | %s | %s |"):format(case.title, case.starred and " *" or "", case.right, outcome(ok, said),
		outcome(also, other)), ok, also
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
		add((M.row(M.load(entry))))
	end
	local apexes = require "examples.sleep.apexes"
	for _, place in ipairs { "air", "board" } do
		add(("| largest net acceleration at which a ball falls asleep at its apex, %s | %s | %.3f | %.2f |"):format(
			place == "air" and "in the air" or "rolling up a board", "under 0.02 m/s²", apexes.limit("impulse", place),
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
	local _, after = page:find(FIRST, 1, true)
	local to = page:find(LAST, 1, true)
	assert(after and to, path .. " has no place for the table")
	file = assert(io.open(path, "w"))
	file:write(page:sub(1, after), "\n", text, "\n\n", page:sub(to))
	file:close()
end
