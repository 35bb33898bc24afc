-- A progress bar on a terminal's stderr, for work that takes longer than half a second.

local raise = require "scree.raise"
local bridge = require "scree.ffi"
raise.own()

local progress = {}
progress.__index = progress

local AFTER, EVERY = 0.5, 0.1 -- seconds of processor time
local WIDTH = 30
local last -- that was drawn and not wiped

--- A bar that is not drawn yet.
---@param label string
function progress.new(label)
	local off = not bridge.stderr_is_terminal or os.getenv "TERM" == "dumb"
	return setmetatable({ label = label, start = os.clock(), drawn = 0, shown = false, off = off }, progress)
end

--- Draws when it is time to.
---@param fraction number 0..1
function progress:update(fraction)
	if self.off then
		return
	end
	local now = os.clock()
	if now - self.start < AFTER or now - self.drawn < EVERY then
		return
	end
	self.shown, self.drawn, last = true, now, self
	local filled = math.floor(WIDTH * math.max(0, math.min(1, fraction)))
	local bar = ("#"):rep(filled) .. ("."):rep(WIDTH - filled)
	io.stderr:write(("\r%s [%s] %3d%%"):format(self.label, bar, math.floor(100 * fraction)))
	io.stderr:flush()
end

--- Wipes the bar.
function progress:finish()
	if self.shown then
		io.stderr:write("\r" .. (" "):rep(#self.label + WIDTH + 9) .. "\r")
		io.stderr:flush()
		self.shown, last = false, nil
	end
end

--- Wipes the bar that is there, where the work ends without it.
function progress.wipe()
	if last then
		last:finish()
	end
end

-- Passes results on, or the error, once the bar is gone.
local function finished(bar, ok, ...)
	bar:finish()
	if not ok then
		error((...), 0)
	end
	return ...
end

--- Calls fn(bar, ...) and wipes the bar however it ends.
function progress.run(label, fn, ...)
	local bar = progress.new(label)
	return finished(bar, pcall(fn, bar, ...))
end

return progress
