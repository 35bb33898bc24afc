-- The one file that touches C: declares the library's functions (text made from scree.h by the build), loads it and
-- hands out its namespace. The environment's SCREE_LIBRARY names the file to load; else it is looked for where Lua
-- looks for C modules, as a rock has it, and then where the system does.

local ffi = require "ffi"
local cdef = require "scree.cdef"
local raise = require "scree.raise"
raise.own()

-- Declared once a process, also when the module is loaded anew.
if not pcall(ffi.typeof, "ScreeWorld") then
	ffi.cdef(cdef.text)
end

-- The file of that name in one of the folders of package.cpath, or nil.
local function beside_modules(name)
	for template in package.cpath:gmatch "[^;]+" do
		local path = (template:match "^(.*[/\\])[^/\\]*$" or "") .. name
		local file = template:find("?", 1, true) and io.open(path, "rb")
		if file then
			file:close()
			return path
		end
	end
end

local function load_library()
	local path = os.getenv "SCREE_LIBRARY"
	if path == nil or path == "" then
		path = beside_modules(cdef.library[1])
	end
	if path then
		return ffi.load(path)
	end
	local reasons = {}
	for i, name in ipairs(cdef.library) do
		local found, library = pcall(ffi.load, name)
		if found then
			return library
		end
		reasons[i] = tostring(library)
	end
	error("scree: the library was not found (SCREE_LIBRARY can name it): " .. table.concat(reasons, "; "), 0)
end

local C = load_library()

-- The structs that Lua writes are those of the header that this module was made with.
local version = ffi.string(C.scree_version())
if version ~= cdef.version then
	error(("scree: the library is version %s, the Lua module %s"):format(version, cdef.version), 0)
end

local bridge = { C = C }

--- What C said about the last failure.
local function reason(pointer)
	return ffi.string(C.screeWorld_Error(pointer))
end

--- Raises for a negative result of a call, as "where: reason".
---@param where string "spawn: "
---@param name string? what the library calls an argument that the script may give under two names
---@param given string? the name that the script gave it
function bridge.failed(pointer, code, where, name, given)
	local why = code == C.SCREE_OUT_OF_MEMORY and "out of memory" or reason(pointer)
	if name and why:sub(1, #name) == name then
		why = given .. why:sub(#name + 1)
	end
	if why:sub(1, #where) == where then
		where = ""
	end
	raise.error(where .. why)
end

--- The same for calls that read files: the outside world's faults are returned as a message, the script's raised.
---@return string? message
function bridge.failed_file(pointer, code, where)
	if code ~= C.SCREE_BAD_FILE then
		bridge.failed(pointer, code, where)
	end
	return where .. reason(pointer)
end

--- True when stderr is a terminal.
bridge.stderr_is_terminal = (function()
	local declared = pcall(ffi.cdef, jit.os == "Windows" and "int _isatty(int fd);" or "int isatty(int fd);")
	local asked, answer = pcall(function()
		return jit.os == "Windows" and ffi.C._isatty(2) or ffi.C.isatty(2)
	end)
	return declared and asked and answer ~= 0
end)()

return bridge
