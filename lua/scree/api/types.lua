-- Words of the table of the interface: kinds of values, and how entries are written.
--
-- A type is the name of a kind below, of an object ("World") or of a record ("Hit"), or is made by one of the
-- functions.
-- kinds[name] = { what a page calls it, what lua-language-server calls it }, or a choice of strings

local raise = require "scree.raise"
raise.own()

local types = {}

--- One of these strings.
function types.choice(...)
	return { choice = { ... } }
end

local choice = types.choice
local VECTOR, ROTATION = "scree.vec3|number[]", "scree.quat|number[]"

types.kinds = {
	any = { "anything", "any" },
	boolean = { "true or false", "boolean" },
	number = { "a number", "number" },
	positive = { "a number above 0", "number" },
	not_negative = { "a number of at least 0", "number" },
	fraction = { "a number from 0 to 1", "number" },
	share = { "a number from -1 to 1", "number" },
	finite = { "a finite number", "number" },
	lean = { "a number from 0 to pi", "number" },
	budget = { "a number of at least 0, or `math.huge`", "number" },
	integer = { "a whole number", "integer" },
	count = { "a whole number of at least 0", "integer" },
	index = { "a whole number from 1", "integer" },
	threads = { "a whole number from 1 to 64", "integer" },
	level = { "a whole number from 1 to 19", "integer" },
	color = { "a whole number, 0xRRGGBB", "integer" },
	string = { "a string", "string" },
	path = { "the path of a file", "string" },
	trace_name = { "letters, digits, `_`, `-` and `.`", "string" },
	undo_name = { "a string of 1 to 63 bytes", "string" },
	vec3 = { "a vec3", "scree.vec3" },
	quat = { "a quat", "scree.quat" },
	vector = { "a vec3 or `{x, y, z}`", VECTOR },
	size = { "a vec3 or `{x, y, z}`, all above 0", VECTOR },
	cells = { "a vec3 or `{x, y, z}`, whole numbers", VECTOR },
	rotation = { "a quat or `{x, y, z, w}`", ROTATION },
	inertia = { "three numbers (the diagonal) or nine (rows)", VECTOR },
	pair = { "`{x, z}`", "number[]" },
	range = { "`{low, high}`", "number[]" },
	scale = { "a number above 0, or one for each axis", "number|" .. VECTOR },
	material = { "the name of a material", "string" },
	solid = { "the name of a solid material", "string" },
	group = { "the name of a group, or a number from 0 to 31", "string|integer" },
	groups = { '`"all"`, `"none"`, a group, or a list of them', "string|integer|(string|integer)[]" },
	ignored = { "an assembly or a list of them", "scree.Assembly|scree.Assembly[]" },
	vertices = { "a list of points or of their numbers, or an array of doubles", VECTOR .. "[]|number[]|ffi.cdata*" },
	indices = { "a list of triples or of their numbers, or an array of uint32_t",
		"integer[][]|integer[]|ffi.cdata*" },
	heights = { "a list of numbers or an array of doubles", "number[]|ffi.cdata*" },
	mask = { "an array of bytes, or a region of the same size", "ffi.cdata*|scree.Region" },
	doubles = { "an array of doubles", "ffi.cdata*" },
	bytes = { "an array of bytes", "ffi.cdata*" },
	indices_out = { "an array of uint32_t", "ffi.cdata*" },
	height_function = { "a function `(x, z)` that returns a height, or false, and if it likes a material",
		"fun(x: number, z: number): number|false, string?" },
	handler = { "a function `(event)`", "fun(event: scree.Event)" },
	stop = { "a function", "fun()" },
	assemblies = { "an iterator", "fun(): scree.Assembly?" },
	joints = { "an iterator", "fun(): scree.Joint?" },
	events = { "an iterator", "fun(turn: integer?): scree.Event?" },
	vec3_operand = { "a vec3 or `{x, y, z}`", VECTOR },
	pixels = { "`{width, height}`, whole numbers from 1", "integer[]" },
	samples = { "1, 4, 9 or 16", "integer" },
	color_function = { "a function `(assembly, part)` that returns 0xRRGGBB or nil",
		"fun(assembly: scree.Assembly, part: integer): integer?" },
	recordings = { "a list of recordings", "scree.Recording[]" },
	recorded_ground = { 'true, false or `"end"`', 'boolean|"end"' },
	frame_handler = { "a function `(recording)`", "fun(recording: scree.Recording)" },
	frames = { "an iterator", "fun(): integer?, scree.Cursor?" },
	side = { "a whole number from 1 to 32768", "integer" },
	named_true = { "`true`", "true" },
	undone = { "a name, true or false", "string|boolean" },
	motion = choice("static", "kinematic", "dynamic"),
	mode = choice("set", "add", "remove", "paint"),
	any_shape = choice("ball", "box", "capsule", "cylinder", "cone", "hull", "mesh", "wedge"),
	convex = choice("ball", "box", "capsule", "cylinder", "cone", "hull", "wedge"),
	joint_type = choice("weld", "ball", "hinge", "slider", "cylindrical", "rope", "rod", "spring", "align"),
	event_kind = choice("contact_begin", "contact_end", "hit", "sleep", "wake", "water_enter", "water_exit",
		"joint_break", "detach"),
	fate = choice("debris", "vanish"),
	small_cells = { "a whole number from 0 to 4096", "integer" },
}

--- A list of a type.
function types.list(of)
	return { list = of }
end

--- A table from one type to another.
function types.map(from, to)
	return { from = from, to = to }
end

--- One of several types.
function types.either(...)
	return { either = { ... } }
end

-- Of an object: open = true, a plain table, whose fields nothing guards.
--
-- The parts of entries: { "name", type, "what it is", ... }. A "?" behind a name: may be left out, or may be nil.
local function entry(values, ...)
	local name = values[1]
	local result = {
		name = name:match "^[%w_]+", type = values[2], doc = values[3] or "", optional = name:find "%?$" ~= nil,
	}
	for _, key in ipairs { ... } do
		result[key] = values[key]
	end
	return result
end

local function entries(list, ...)
	local result = {}
	for i, values in ipairs(list or {}) do
		result[i] = entry(values, ...)
	end
	return result
end

--- Properties: with write, the type that can be assigned; write = true: what is read.
function types.properties(list)
	local result = entries(list, "write", "clears")
	for _, property in ipairs(result) do
		property.write = property.write == true and property.type or property.write
	end
	return result
end

--- The fields of a record.
function types.fields(list)
	return entries(list)
end

--- A function or method: { "name", "what it does", args = {...}, returns = {...} }.
---   file: what is wrong outside the script is nil, message; "seldom": editors need not warn that the result may be nil
---   writes: writes the file that it is told
function types.functions(list)
	local result = {}
	for i, values in ipairs(list) do
		result[i] = {
			name = values[1], doc = values[2], args = entries(values.args), returns = entries(values.returns),
			file = values.file or false, writes = values.writes or false,
		}
	end
	return result
end

--- A record: a plain table that is given or returned.
---   options: true: its keys are checked, an unknown one is an error
---   from: the record whose fields it has too
---@param values { [1]: string, [2]: string, fields: table, options: boolean?, from: string? }
function types.record(values)
	return {
		name = values[1], doc = values[2], fields = types.fields(values.fields), options = values.options or false,
		from = values.from,
	}
end

return types
