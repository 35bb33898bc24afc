-- Run by luajit before any script in `meson devenv`, which starts programs in the build folder. A script that was named
-- from the folder where the user stands would not be found there, so this goes back: to where Meson itself was started,
-- or, where /proc cannot tell, to where the shell is.
if not rawget(_G, "jit") then
	return -- plain Lua, as the launchers of some tools use before they start luajit
end

local ffi = require "ffi"

ffi.cdef [[
int chdir(const char *path);
char *getcwd(char *buffer, size_t size);
int getppid(void);
intptr_t readlink(const char *path, char *buffer, size_t size);
]]

local SIZE = 4096
local buffer = ffi.new("char[?]", SIZE)

local function current_folder()
	return ffi.C.getcwd(buffer, SIZE) ~= nil and ffi.string(buffer)
end

local function parent_folder()
	local length = tonumber(ffi.C.readlink(("/proc/%d/cwd"):format(ffi.C.getppid()), buffer, SIZE))
	return length > 0 and length < SIZE and ffi.string(buffer, length)
end

if current_folder() == os.getenv "SCREE_BUILD_ROOT" then
	local stand = parent_folder() or os.getenv "PWD"
	if stand then
		ffi.C.chdir(stand)
	end
end
