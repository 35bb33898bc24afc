-- Errors at the script's line. Any function of this module may call raise: it walks up the stack past every frame that
-- belongs to the module (and past C functions such as pcall), so helpers, metamethods and tail calls need no counting
-- of levels.

local getinfo = debug.getinfo

local raise = {}
local own = {} -- source of each file of the module -> true

raise.NAME = "=scree" -- name of chunks that the module makes itself
own[raise.NAME] = true

--- Marks the calling file as part of the module.
function raise.own()
	own[getinfo(2, "S").source] = true
end

raise.own()

--- Raises message with the position of the script's call.
---@param message string
function raise.error(message)
	local level = 2
	local info = getinfo(level, "S")
	while info and (own[info.source] or info.what == "C") do
		level = level + 1
		info = getinfo(level, "S")
	end
	error(message, info and level or 0)
end

--- The files of the scripts that led to this call, the nearest first, without those of the module.
---@return string[] paths
function raise.files()
	local paths, level = {}, 2
	local info = getinfo(level, "S")
	while info do
		local path = info.source:match "^@(.+)$"
		if path and not own[info.source] then
			paths[#paths + 1] = path
		end
		level = level + 1
		info = getinfo(level, "S")
	end
	return paths
end

return raise
