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

-- ---- the events of a step ------------------------------------------------------------------------------------------

-- A batch is what happened in a step: batch[i] is its i-th event, made from C's when it is first asked for. Of its
-- `count` events the first `carried` are there from the start. `open` counts loops that have not come to its end: while
-- there are any, it is made whole before C forgets, and the next step gets a batch of its own.
--
-- The LuaJIT of Debian 12 compiled a script's loop wrongly now and then when events were made within it (locals of the
-- script became nil). So they are made before the loop begins, and the small loops here, which get compiled into those
-- of scripts, are written with while, whose bounds it does not reason about.

local NONE = {}

local function new_batch()
	return { count = 0, carried = 0, open = 0 }
end

--- What a new world needs.
function events.start(state)
	state.event_slot = ffi.new "const ScreeEvent *[1]" -- C's events as they were last asked for
	state.event_count = 0 -- those of the last step
	state.carried = NONE -- what happened between the last two steps
	state.batch = new_batch()
	state.iterators = {} -- that are free
end

local function event_at(state, batch, i)
	local event = batch[i]
	if not event then
		event = read(state, state.event_slot[0][i - batch.carried - 1])
		batch[i] = event
	end
	return event
end

local function code_at(state, batch, i)
	local event = batch[i]
	return event and kinds.value[event.kind] or state.event_slot[0][i - batch.carried - 1].kind
end

--- Before C forgets the events.
function events.leave(state)
	local batch = state.batch
	local i, last = 1, batch.open > 0 and batch.count or 0
	while i <= last do
		event_at(state, batch, i)
		i = i + 1
	end
end

-- The batch becomes that of C's first event_count events, with what was carried before them.
local function begin(state)
	local batch, carried = state.batch, state.carried
	if batch.open > 0 then
		batch = new_batch()
		state.batch = batch
	end
	local i, before = 1, batch.count
	while i <= before do
		batch[i] = nil
		i = i + 1
	end
	batch.count, batch.carried = #carried + state.event_count, #carried
	i = 1
	while i <= batch.carried do
		batch[i] = carried[i]
		i = i + 1
	end
end

--- Before a step: keeps what happened since the last one, which C is about to forget.
function events.before_step(state)
	local count = C.screeWorld_Events(state.pointer, state.event_slot)
	state.carried = NONE
	if count > state.event_count then
		local list, i = {}, state.event_count
		while i < count do
			list[#list + 1] = read(state, state.event_slot[0][i])
			i = i + 1
		end
		state.carried = list
	end
	events.leave(state)
end

--- After a step: what C has now is this step's.
function events.after_step(state)
	state.event_count = math.max(C.screeWorld_Events(state.pointer, state.event_slot), 0)
	begin(state)
end

--- After the world has gone to another state, whose last step had so many events; call leave before that.
function events.reset(state, count)
	state.carried = NONE
	state.event_count = math.max(0, math.min(count, C.screeWorld_Events(state.pointer, state.event_slot)))
	begin(state)
end

-- ---- handlers ------------------------------------------------------------------------------------------------------

-- Calls the handlers of one event, in order of connection; adds the first error to the result.
local function hand_out(state, batch, i, handlers, result)
	local code, k = code_at(state, batch, i), 0
	while k < #handlers do
		k = k + 1
		local handler = handlers[k]
		if handler.code == code and handler.connected and state.pointer then
			local ok, err = pcall(handler.call, event_at(state, batch, i))
			if not ok and not result.failed then
				result.error, result.failed = err, true
			end
		end
	end
end

--- Hands the last step's events to the handlers, event by event in order of connection. All are called even if one
--- raises; the first error is raised when all is done.
function events.dispatch(state)
	local batch = state.batch
	if batch.count == 0 then
		return
	end
	local handlers, result, i = {}, {}, 0 -- the handlers that are there now
	while i < #state.handlers do
		i = i + 1
		handlers[i] = state.handlers[i]
	end
	local mine = coroutine.running() or "main"
	state.dispatching = mine
	batch.open = batch.open + 1
	i = 0
	while i < batch.count do
		i = i + 1
		hand_out(state, batch, i, handlers, result)
	end
	batch.open = batch.open - 1
	if state.dispatching == mine then
		state.dispatching = nil
	end
	if result.failed then
		error(result.error, 0)
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

-- ---- iterators -----------------------------------------------------------------------------------------------------

-- Makes the events of a kind (nil: all).
local function make(state, batch, code)
	local i = 1
	while i <= batch.count do
		if not code or code_at(state, batch, i) == code then
			event_at(state, batch, i)
		end
		i = i + 1
	end
end

-- The next event of an iterator; nil at the end, and when it is called again.
local function advance(state, iterator)
	local batch, kind, i = iterator.batch, iterator.kind, iterator.at + 1
	if not batch then
		return nil
	end
	while i <= batch.count do
		local event = batch[i]
		if event and (not kind or event.kind == kind) then
			iterator.at = i
			return event
		end
		i = i + 1
	end
	iterator.batch = nil
	batch.open = batch.open - 1
	if not iterator.is_held then
		state.iterators[#state.iterators + 1] = iterator
	end
	return nil
end

-- Iterators that a for has come to the end of are used again, so that a loop over events makes none. A for hands each
-- call the number of its use; a script that calls one by itself does not, and keeps it.
local function new_iterator(state)
	local iterator = { use = 0 }
	function iterator.call(use)
		if use == nil then
			iterator.is_held = true
		elseif use ~= iterator.use then
			return nil
		end
		return advance(state, iterator)
	end
	return iterator
end

--- Adds world:events and world:on.
function events.install(class)
	---@class scree.World
	local methods = class.methods

	---The events of the last step (and of changes between it and the one before), or those of one kind. After
	---step(dt, count) those of the last of the steps.
	---@param kind string?
	---@return fun(turn: integer?): scree.Event?
	---@return integer turn what a for hands the iterator
	function methods.events(self, kind)
		object.alive(self, class, "events")
		if kind ~= nil then
			check.choice(kind, kinds, "events: ", "kind")
		end
		local state = self[STATE]
		local free = state.iterators
		local iterator = free[#free] or new_iterator(state)
		free[#free] = nil
		make(state, state.batch, kind and kinds.value[kind])
		iterator.batch, iterator.kind, iterator.at, iterator.is_held = state.batch, kind or false, 0, false
		iterator.use = iterator.use + 1
		state.batch.open = state.batch.open + 1
		return iterator.call, iterator.use
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
		local handler = { code = kinds.value[kind], call = fn, connected = true }
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
