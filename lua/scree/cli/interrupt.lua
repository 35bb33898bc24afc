-- Ctrl+C at a good time. LuaJIT raises an error for it, but only where it interprets: a loop that it has compiled never
-- looks. So what has nothing to finish is ended by the signal itself. Where something must not be left half done, it is
-- held together by hold and release. Of use to the command line alone: it changes what the process does with a signal.

local ffi = require "ffi"
local raise = require "scree.raise"
raise.own()

local interrupt = {}

local SIGINT = 2
local BLOCK, UNBLOCK = 0, 1
if jit.os ~= "Linux" then
	BLOCK, UNBLOCK = 1, 2
end

local known = pcall(ffi.cdef, [[
	int sigemptyset(void *set);
	int sigaddset(void *set, int signal);
	int sigprocmask(int how, const void *set, void *old);
	void *signal(int number, void *action);
]])
local set = ffi.new "uint64_t[16]" -- as large as any system's

known = known and jit.os ~= "Windows"

--- What a shell says of a process that Ctrl+C has ended.
interrupt.EXIT_CODE = 128 + SIGINT

--- Ctrl+C ends the process from here on, whatever it is at.
function interrupt.ends_at_once()
	if known then
		ffi.C.signal(SIGINT, nil) -- SIG_DFL
	end
end

local function change(how)
	if known then
		ffi.C.sigemptyset(set)
		ffi.C.sigaddset(set, SIGINT)
		ffi.C.sigprocmask(how, set, nil)
	end
end

--- Ctrl+C waits from here on. One that has come already is raised here.
function interrupt.hold()
	change(BLOCK)
	debug.gethook() -- runs in the interpreter, which then sees it
end

--- Ctrl+C is heard again, one that has waited at once.
function interrupt.release()
	change(UNBLOCK)
end

return interrupt
