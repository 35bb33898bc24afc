-- Programs run as a user runs them: a process of its own, its exit code and what it says.

local files = require "files"

local process = { read = files.read, write = files.write }

function process.quote(word)
	return "'" .. word:gsub("'", "'\\''") .. "'"
end

--- An empty folder of its own.
function process.new_folder()
	local path = os.tmpname()
	os.remove(path)
	path = path .. ".d"
	assert(os.execute("mkdir " .. process.quote(path)) == 0)
	return path
end

function process.remove_folder(path)
	os.execute("rm -r " .. process.quote(path))
end

--- Runs a command of the shell in a folder.
---@param environment string? "NAME=value ..."
---@return integer code
---@return string said stdout, then stderr
---@return string out stdout alone
function process.run(folder, command, environment)
	local out, errors = os.tmpname(), os.tmpname()
	local status = os.execute(("cd %s && LUA_PATH=%s %s %s >%s 2>%s </dev/null"):format(process.quote(folder),
		process.quote(package.path), environment or "", command, out, errors))
	local said = process.read(out)
	local all = said .. process.read(errors)
	os.remove(out)
	os.remove(errors)
	return status >= 256 and status / 256 or status, all, said
end

--- Starts a command of the shell in a folder and does not wait for it: what it says goes into the file `said` there,
--- its exit code into `ended`.
---@return string pid
function process.start(folder, command)
	local line = "cd %s && { LUA_PATH=%s %s >said 2>&1 </dev/null & echo $! >pid; wait $!; echo $? >ended; } "
		.. "2>/dev/null &"
	os.execute(line:format(process.quote(folder), process.quote(package.path), command))
	local pid
	repeat -- the shell has not yet come so far
		pid = (process.read(folder .. "/pid") or ""):match "%d+"
	until pid
	return pid
end

--- Runs a script with luajit.
function process.luajit(folder, script, environment)
	return process.run(folder, "luajit " .. script, environment)
end

return process
