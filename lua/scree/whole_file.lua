-- Files that are never there by half: written beside their place and renamed.

local raise = require "scree.raise"
raise.own()

local whole_file = {}

--- Writes a file, in the place of an older one if there is one.
---@param path string
---@param content string
---@return integer? bytes
---@return string? message
function whole_file.write(path, content)
	local beside = path .. ".new"
	local file, message = io.open(beside, "wb")
	if not file then
		return nil, message
	end
	local written, why = file:write(content)
	local closed, why_not = file:close()
	if written and closed then
		written, why = os.rename(beside, path)
	end
	if not (written and closed) then
		os.remove(beside)
		return nil, path .. ": " .. tostring(why or why_not)
	end
	return #content
end

return whole_file
