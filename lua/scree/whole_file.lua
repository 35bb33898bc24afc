-- Files that are never there by half: written beside their place and renamed.

local raise = require "scree.raise"
raise.own()

local whole_file = {}

local function open_beside(path)
	if path == "" then
		return nil, "the name of a file is empty"
	end
	local file, message, code = io.open(path .. ".new", "wb")
	if file and path:find "/$" or io.open(path .. "/.", "rb") then
		code, message = nil, path .. ": a folder"
	elseif file then
		return file
	end
	if file then
		file:close()
		os.remove(path .. ".new")
	end
	return nil, code and path .. message:sub(#path + 5) or message
end

--- Whether a file can be written there, as far as can be told before.
---@param path string
---@return boolean? can
---@return string? message
function whole_file.probe(path)
	local file, message = open_beside(path)
	if not file then
		return nil, message
	end
	file:close()
	os.remove(path .. ".new")
	return true
end

--- Writes a file, in the place of an older one if there is one.
---@param path string
---@param content string
---@return integer? bytes
---@return string? message
function whole_file.write(path, content)
	local beside = path .. ".new"
	local file, message = open_beside(path)
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
