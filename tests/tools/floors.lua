-- Checks that src/ is built floor upon floor:
--   * an include names an existing room on a lower floor, by its one public header, or a file of the same room;
--   * scree.h is included by api/ only;
--   * no file is longer than 600 lines, but for the public header.
--
--   luajit floors.lua SRC

local LONGEST = 600 -- lines

local floor_of = {
	base = 0,
	math = 1,
	voxel = 2,
	mesh = 2,
	spatial = 2,
	shape = 3,
	terrain = 3,
	collide = 4,
	pieces = 4,
	dynamics = 5,
	world = 6,
	api = 7,
}

local root = assert(..., "usage: luajit floors.lua SRC")
local offences = {}

local function offend(path, line, ...)
	offences[#offences + 1] = ("%s:%d: %s"):format(path, line, string.format(...))
end

local function list_files()
	local paths = {}
	local pipe = assert(io.popen(("cd '%s' && find . -type f"):format(root)))
	for path in pipe:lines() do
		paths[#paths + 1] = path:gsub("^%./", "")
	end
	pipe:close()
	table.sort(paths)
	return paths
end

local function exists(path)
	local file = io.open(root .. "/" .. path)
	if file then
		file:close()
	end
	return file ~= nil
end

local function check_include(path, line, room, included)
	local other, name = included:match("^([%w_]+)/([%w_%.]+)$")
	if included == "scree.h" then
		if room ~= "api" then
			offend(path, line, "only api/ may include scree.h")
		end
	elseif not other then
		if not exists(room .. "/" .. included) then
			offend(path, line, "%s is neither in %s/ nor named with its room", included, room)
		end
	elseif not floor_of[other] then
		offend(path, line, "there is no room %s/", other)
	elseif not exists(included) then
		offend(path, line, "%s does not exist", included)
	elseif other ~= room then
		if floor_of[other] >= floor_of[room] then
			offend(path, line, "%s/ (floor %d) may not use %s/ (floor %d)", room, floor_of[room], other,
				floor_of[other])
		elseif name ~= other .. ".h" then
			offend(path, line, "%s is private to %s/", included, other)
		end
	end
end

local includes, checked = 0, 0

local function check_file(path)
	local room = path:match("^([%w_]+)/[^/]+$")
	if not floor_of[room] then
		if path ~= "scree.h" then
			offend(path, 1, "no room of the house")
		end
		room = "api"
	end
	local count = 0
	for line in io.lines(root .. "/" .. path) do
		count = count + 1
		local included = line:match('^%s*#%s*include%s*"([^"]*)"')
		if included then
			includes = includes + 1
			check_include(path, count, room, included)
		end
	end
	if count > LONGEST and path ~= "scree.h" then
		offend(path, count, "%d lines; the most is %d", count, LONGEST)
	end
	checked = checked + 1
end

for _, path in ipairs(list_files()) do
	if path:match("%.[ch]$") then
		check_file(path)
	elseif path ~= "meson.build" and not path:match("%.cmake%.in$") then
		offend(path, 1, "only .c and .h files live in src/")
	end
end

for _, offence in ipairs(offences) do
	print(offence)
end
print(("%d files, %d includes, %d offences"):format(checked, includes, #offences))
os.exit(#offences == 0 and checked > 0 and 0 or 1)
