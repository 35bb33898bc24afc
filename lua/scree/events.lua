-- Events: read after the step (world:events) or handed to functions after it (world:on). Nothing calls back during a
-- step. What a script changes between two steps (destroying a touching assembly ends its contacts) is reported with the
-- next step, so that a loop of step and events meets every event once.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local assembly = require "scree.assembly"
local joint = require "scree.joint"
local vec3 = require "scree.vec3"
local C = require("scree.ffi").C
raise.own()

local STATE = object.STATE
local Vec3 = vec3.type

local events = {}

local kinds = check.choices {
	"contact_begin", C.SCREE_CONTACT_BEGIN, "contact_end", C.SCREE_CONTACT_END, "hit", C.SCREE_HIT_EVENT,
	"sleep", C.SCREE_SLEEP_EVENT, "wake", C.SCREE_WAKE_EVENT,
	"water_enter", C.SCREE_WATER_ENTER, "water_exit", C.SCREE_WATER_EXIT, "joint_break", C.SCREE_JOINT_BREAK,
	"detach", C.SCREE_DETACH,
}

local function contact(state, e, kind)
	local terrain = e.terrain ~= 0
	return {
		kind = kind,
		a = assembly.of(state, e.a),
		b = not terrain and assembly.of(state, e.b) or nil,
		terrain = terrain,
		part_a = e.part_a + 1,
		part_b = not terrain and e.part_b + 1 or nil,
	}
end

local function hit(state, e, kind)
	local result = contact(state, e, kind)
	result.position = Vec3(e.position[0], e.position[1], e.position[2])
	result.normal = Vec3(e.normal[0], e.normal[1], e.normal[2])
	result.speed = e.speed
	result.impulse = e.impulse
	return result
end

local function of_one(state, e, kind)
	return {
		kind = kind,
		assembly = assembly.of(state, e.a),
		reason = e.reason ~= nil and ffi.string(e.reason) or nil,
	}
end

local function joint_break(state, e, kind)
	return {
		kind = kind,
		joint = joint.of(state, e.joint),
		a = e.a ~= 0 and assembly.of(state, e.a) or nil,
		b = e.b ~= 0 and assembly.of(state, e.b) or nil,
		position = Vec3(e.position[0], e.position[1], e.position[2]),
		impulse = e.impulse,
	}
end

local function detach(state, e, kind)
	return {
		kind = kind,
		assembly = e.a ~= 0 and assembly.of(state, e.a) or nil,
		cells = e.cells,
		cause = ffi.string(e.reason),
		position = Vec3(e.position[0], e.position[1], e.position[2]),
	}
end

local readers = {
	contact_begin = contact,
	contact_end = contact,
	hit = hit,
	joint_break = joint_break,
	detach = detach,
}

local function read(state, e)
	local kind = kinds.name[e.kind]
	return (readers[kind] or of_one)(state, e, kind)
end

local slot = ffi.new "const ScreeEvent *[1]"

-- Appends C's events first..last-1 to list.
local function append(state, list, first, last)
	C.screeWorld_Events(state.pointer, slot)
	for i = first, last - 1 do
		list[#list + 1] = read(state, slot[0][i])
	end
	return list
end

local NONE = {}

--- Before a step: keeps what happened since the last one, which C is about to forget.
function events.before_step(state)
	local count = C.screeWorld_Events(state.pointer, slot)
	state.carried = count > state.event_count and append(state, {}, state.event_count, count) or NONE
end

--- After a step: what C has now is this step's.
function events.after_step(state)
	state.event_count = C.screeWorld_Events(state.pointer, slot)
	state.event_list = nil
end

-- The step's events; read once, however often they are asked for.
local function current(state)
	local list = state.event_list
	if list then
		return list
	end
	list = {}
	state.event_list = list
	for i = 1, #state.carried do
		list[i] = state.carried[i]
	end
	return append(state, list, 0, state.event_count)
end

--- Hands the last step's events to the handlers, event by event in order of connection. All are called even if one
--- raises; the first error is raised when all is done.
function events.dispatch(state)
	local handlers, count = {}, #state.handlers
	for i = 1, count do
		handlers[i] = state.handlers[i]
	end
	local mine = coroutine.running() or "main"
	local first_error, failed = nil, false
	state.dispatching = mine
	for _, event in ipairs(current(state)) do
		for i = 1, count do
			local handler = handlers[i]
			if handler.kind == event.kind and handler.connected and state.pointer then
				local ok, err = pcall(handler.call, event)
				if not ok and not failed then
					first_error, failed = err, true
				end
			end
		end
	end
	if state.dispatching == mine then
		state.dispatching = nil
	end
	if failed then
		error(first_error, 0)
	end
end

--- True inside a handler. A handler that yielded and was left behind does not count.
function events.is_dispatching(state)
	local thread = state.dispatching
	if not thread then
		return false
	elseif thread == "main" then
		return true
	end
	local status = coroutine.status(thread)
	return status == "running" or status == "normal"
end

--- Adds world:events and world:on.
function events.install(class)
	---@class scree.World
	local methods = class.methods

	---The events of the last step (and of changes between it and the one before), or those of one kind. After
	---step(dt, count) those of the last of the steps.
	---@param kind string?
	---@return fun(): scree.Event?
	function methods.events(self, kind)
		object.alive(self, class, "events")
		if kind ~= nil then
			check.choice(kind, kinds, "events: ", "kind")
		end
		local list, i = current(self[STATE]), 0
		return function()
			repeat
				i = i + 1
			until not list[i] or not kind or list[i].kind == kind
			return list[i]
		end
	end

	---Calls fn(event) after every step for each event of a kind. It may create, change and destroy; it may not step.
	---An error in it reaches the caller of the step. Returns a function that ends it.
	---@param kind string
	---@param fn fun(event: scree.Event)
	---@return fun() disconnect
	function methods.on(self, kind, fn)
		object.alive(self, class, "on")
		check.choice(kind, kinds, "on: ", "kind")
		check.callable(fn, "on: ", "fn")
		local state = self[STATE]
		local handler = { kind = kind, call = fn, connected = true }
		table.insert(state.handlers, handler)
		return function()
			handler.connected = false
			for i, other in ipairs(state.handlers) do
				if other == handler then
					table.remove(state.handlers, i)
					return
				end
			end
		end
	end
end

return events
