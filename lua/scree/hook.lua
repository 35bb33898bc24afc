-- Tools that look at every step of every world: world:step is replaced while anyone watches, and since run, settle and
-- advance go through it, nothing is missed. Steps are then made one by one, which gives the same bits.

local raise = require "scree.raise"
local world = require "scree.world"
raise.own()

local class = world.class
local methods = class.methods
local unpack = unpack

local hook = {}

local watchers = {}
local original -- the method while it is replaced

local function tell(name, self)
	for _, watcher in ipairs { unpack(watchers) } do
		if watcher[name] and self.valid then
			watcher[name](self)
		end
	end
end

local function step(self, dt, count)
	local known = getmetatable(self) == class.meta and self.valid
	count = count == nil and 1 or count
	if not known or type(count) ~= "number" or count < 1 or count >= 2 ^ 31 or count % 1 ~= 0 then
		return original(self, dt, count) -- which says what is wrong
	end
	for _ = 1, count do
		local before = self.step_count
		tell("before", self)
		original(self, dt, 1)
		if not self.valid or self.step_count == before then
			return
		end
		tell("after", self)
	end
end

local function made(self)
	tell("made", self)
end

--- Has watcher.before(world) and watcher.after(world) called around every step, and watcher.made(world) once a world is
--- there. They may read, but not step.
---@param watcher { before: fun(world)?, after: fun(world)?, made: fun(world)? }
---@return fun() stop
function hook.watch(watcher)
	if #watchers == 0 then
		original, methods.step = methods.step, step
		world.on_made = made
	end
	watchers[#watchers + 1] = watcher
	return function()
		for i = #watchers, 1, -1 do
			if watchers[i] == watcher then
				table.remove(watchers, i)
				if #watchers == 0 then
					methods.step, world.on_made = original, nil
				end
			end
		end
	end
end

return hook
