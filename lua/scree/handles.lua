-- The Lua objects of a world's assemblies, and those of its joints. An id has one object as long as a script holds it:
-- among the live ones while what it names is there, then among the graves, which keep nothing from being collected.

local object = require "scree.object"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
raise.own()

local POINTER, STATE, ID = object.POINTER, object.STATE, object.ID

local handles = {}

---@class scree.Handles
---@field live table<number, table> by id
---@field graves table<number, table>

local function new_graves()
	return setmetatable({}, { __mode = "v" })
end

---@return scree.Handles
function handles.new()
	return { live = {}, graves = new_graves() }
end

local function lay_down(self)
	rawset(self, POINTER, nil)
	rawset(self, "tag", nil)
end

--- The object of an id: the live one, the destroyed one if a script still holds it, or a new one.
---@param is_valid function C's: is what the id names there?
function handles.of(list, state, id, class, is_valid)
	local self = list.live[id] or list.graves[id]
	if not self then
		local alive = is_valid(state.pointer, id) == 1
		self = setmetatable({ [POINTER] = alive and state.pointer or nil, [STATE] = state, [ID] = id }, class.meta)
		local into = alive and list.live or list.graves
		into[id] = self
	end
	return self
end

--- Makes an object the handle of something destroyed.
function handles.forget(list, self)
	list.live[self[ID]] = nil
	list.graves[self[ID]] = self
	lay_down(self)
end

--- With the world all that it held has ended.
function handles.forget_all(list)
	for _, self in pairs(list.live) do
		lay_down(self)
	end
	list.live = {}
end

--- After the world has gone back to another state: objects live if what they name is there. What is gone is gone for
--- good, since its id may be given again; what is there again lives again, without its tag.
function handles.revive(list, pointer, is_valid)
	local live, graves = list.live, list.graves
	list.live, list.graves = {}, new_graves()
	for _, before in ipairs { live, graves } do
		for id, self in pairs(before) do
			if is_valid(pointer, id) == 1 then
				rawset(self, POINTER, pointer)
				list.live[id] = self
			else
				lay_down(self)
			end
		end
	end
end

return handles
