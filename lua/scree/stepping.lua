-- Time: step, run, settle, advance. All of them go through methods.step, so that a tool that replaces it sees each
-- step.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local events = require "scree.events"
local progress = require "scree.progress"
local bridge = require "scree.ffi"
raise.own()

local C = bridge.C
local STATE = object.STATE
local DT = 1 / 60
local FRAME_STEPS = 8 -- most steps that one advance makes: a slow frame must not make the next one slower

local stepping = {}

local stats = ffi.new "ScreeStats"

local function step_once(state, pointer, dt, count)
	events.before_step(state)
	local code = C.screeWorld_Step(pointer, dt, count)
	if code < 0 then
		bridge.failed(pointer, code, "step: ")
	end
	events.after_step(state)
	state.stepped_version = C.screeTerrain_Version(pointer)
end

-- Nothing is awake, and the ground is as the last step met it.
local function is_settled(state, pointer)
	local code = C.screeWorld_Stats(pointer, stats)
	if code < 0 then
		bridge.failed(pointer, code, "settle: ")
	end
	return stats.awake == 0 and stats.checking == 0 and C.screeTerrain_Version(pointer) == state.stepped_version
end

--- Adds the methods to the world's class.
function stepping.install(class)
	---@class scree.World
	local methods = class.methods

	---Makes count steps (1) of dt seconds (1/60). dt 0 changes nothing.
	---@param dt number?
	---@param count integer?
	function methods.step(self, dt, count)
		local pointer = object.alive(self, class, "step")
		local state = self[STATE]
		dt = dt == nil and DT or check.not_negative(dt, "step: ", "dt")
		count = count == nil and 1 or check.whole(count, 0, 2 ^ 31 - 1, "step: ", "count")
		if events.is_dispatching(state) then
			raise.error "step: not from inside an event handler"
		end
		if dt == 0 or count == 0 then
			return
		end
		if #state.handlers == 0 then
			step_once(state, pointer, dt, count)
			return
		end
		for _ = 1, count do -- one by one, so that no step's events are lost
			step_once(state, pointer, dt, 1)
			events.dispatch(state)
			if not state.pointer then
				return
			end
		end
	end

	---Steps for a time, in whole steps of 1/60 s.
	---@param seconds number
	function methods.run(self, seconds)
		object.alive(self, class, "run")
		check.not_negative(seconds, "run: ", "seconds")
		local state = self[STATE]
		local count = math.floor(seconds / DT + 0.5)
		progress.run("run", function(bar)
			for i = 1, count do
				methods.step(self, DT)
				if not state.pointer then
					return
				end
				bar:update(i / count)
			end
		end)
	end

	---Steps until everything sleeps, at most max_seconds: the time it took, or nil.
	---@param max_seconds number
	---@return number? seconds
	function methods.settle(self, max_seconds)
		local pointer = object.alive(self, class, "settle")
		check.not_negative(max_seconds, "settle: ", "max_seconds")
		local state = self[STATE]
		local count = math.floor(max_seconds / DT + 0.5)
		return progress.run("settle", function(bar)
			for i = 0, count do
				if is_settled(state, pointer) then
					return i * DT
				elseif i < count then
					methods.step(self, DT)
					if not state.pointer then
						return nil
					end
					bar:update((i + 1) / count)
				end
			end
			return nil
		end)
	end

	---For render loops: makes the whole steps that a frame of real_dt seconds owes (at most 8, the rest is dropped) and
	---returns the fraction of a step that is left over, 0 <= alpha < 1.
	---@param real_dt number
	---@return number alpha
	function methods.advance(self, real_dt)
		object.alive(self, class, "advance")
		check.not_negative(real_dt, "advance: ", "real_dt")
		local state = self[STATE]
		state.owed = state.owed + real_dt
		local made = 0
		while state.owed >= DT and made < FRAME_STEPS do
			state.owed = state.owed - DT
			made = made + 1
			methods.step(self, DT)
			if not state.pointer then
				return 0
			end
		end
		if state.owed >= DT then
			state.owed = state.owed % DT
		end
		return math.min(state.owed / DT, 1 - 2 ^ -53)
	end
end

return stepping
