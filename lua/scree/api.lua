-- The table of the whole interface: objects with their properties and functions, and the records that they take and
-- give. docs/reference.md and meta/ are made from it; the tests compare it with the module and drive it by it.

local raise = require "scree.raise"
local types = require "scree.api.types"
raise.own()

local api = { objects = {}, records = {}, kinds = types.kinds }

for _, name in ipairs { "world", "assembly", "joint", "terrain", "values", "recording" } do
	local group = require("scree.api." .. name)
	for _, object in ipairs(group.objects) do
		api.objects[#api.objects + 1] = object
		api.objects[object.name] = object
	end
	for _, record in ipairs(group.records) do
		api.records[#api.records + 1] = record
		api.records[record.name] = record
	end
end

--- All fields of a record, those of the one that it is made from first.
function api.fields(record)
	local fields = {}
	for _, source in ipairs { record.from and api.records[record.from] or false, record } do
		for _, field in ipairs(source and source.fields or {}) do
			fields[#fields + 1] = field
		end
	end
	return fields
end

return api
