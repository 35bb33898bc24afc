-- A scene: a script that is run as luajit itself would run it.

local raise = require "scree.raise"
raise.own()

local scene = {}

--- What went wrong and where, without the frames of what runs the scene: a handler for xpcall.
---@param message any
---@return string
function scene.with_trace(message)
	if type(message) ~= "string" and type(message) ~= "number" then
		local metatable = getmetatable(message)
		local said = type(metatable) == "table" and metatable.__tostring and tostring(message)
		message = said or ("an error that is %s"):format(message == nil and "nil" or "a " .. type(message))
	end
	return (debug.traceback(message, 2):gsub("\n%s*%[C%]: in function 'xpcall'.*$", ""))
end

--- Runs a script: the exit code, and a message if it failed.
---@param path string
---@param arguments string[]
---@return integer code
---@return string? message
function scene.run(path, arguments)
	local chunk, message = loadfile(path)
	if not chunk then
		return 1, message
	end
	local before = arg
	_G.arg = { [0] = path, [-1] = before and before[-1] or "luajit", unpack(arguments) }
	local ok, reason = xpcall(chunk, scene.with_trace, unpack(arguments))
	_G.arg = before
	if not ok then
		return 1, reason
	end
	return 0
end

return scene
