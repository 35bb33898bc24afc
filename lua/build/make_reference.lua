-- Makes docs/reference.md and lua/scree/meta/ from the table of the interface, lua/scree/api:
--
--   luajit lua/build/make_reference.lua
--
-- As a module it gives the texts, for the test that the files are as they should be.

local here = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."
local root = here .. "/../.."
package.path = root .. "/lua/?.lua;" .. package.path

local api = require "scree.api"

local reference = {}

-- ---- names of types ------------------------------------------------------------------------------------------------

-- The words for a type in one of two forms, that of annotations and that of the page.
local function spell(kind, form)
	if type(kind) == "string" then
		local known = api.kinds[kind]
		if known and known.choice then
			return form.choice(known.choice)
		elseif known then
			return form.kind(known)
		end
		assert(api.objects[kind] or api.records[kind], kind)
		return form.named(kind)
	elseif kind.choice then
		return form.choice(kind.choice)
	elseif kind.list then
		return form.list(spell(kind.list, form))
	elseif kind.from then
		return form.map(spell(kind.from, form), spell(kind.to, form))
	end
	local words = {}
	for i, part in ipairs(kind.either) do
		words[i] = spell(part, form)
	end
	return form.either(words)
end

local function quoted(list, between)
	local words = {}
	for i, word in ipairs(list) do
		words[i] = '"' .. word .. '"'
	end
	return table.concat(words, between)
end

local annotation = {
	choice = function(list)
		return quoted(list, "|")
	end,
	kind = function(known)
		return known[2]
	end,
	named = function(name)
		return "scree." .. name
	end,
	list = function(of)
		return (of:find "|" and "(" .. of .. ")" or of) .. "[]"
	end,
	map = function(from, to)
		return ("table<%s, %s>"):format(from, to)
	end,
	either = function(words)
		return table.concat(words, "|")
	end,
}

local page = {
	choice = function(list)
		return "`" .. quoted(list, "` `") .. "`"
	end,
	kind = function(known)
		return known[1]
	end,
	named = function(name)
		return ("[%s](#%s)"):format(name, name:lower())
	end,
	list = function(of)
		return "a list of " .. of:gsub("^an? ", "") .. ""
	end,
	map = function(from, to)
		return ("a table from %s to %s"):format(from, to)
	end,
	either = function(words)
		return table.concat(words, ", or ")
	end,
}

-- ---- annotations ---------------------------------------------------------------------------------------------------

local function class_name(object)
	return object.name == "scree" and "scree" or "scree." .. object.name
end

local function add_field(lines, field)
	local kind = spell(field.type, annotation)
	lines[#lines + 1] = ("---@field %s%s %s %s"):format(field.name, field.optional and "?" or "", kind, field.doc)
end

local function add_function(lines, object, fn, variable)
	lines[#lines + 1] = "---" .. fn.doc
	local names = {}
	for i, argument in ipairs(fn.args) do
		names[i] = argument.name
		lines[#lines + 1] = ("---@param %s%s %s %s"):format(argument.name, argument.optional and "?" or "",
			spell(argument.type, annotation), argument.doc):gsub("%s+$", "")
	end
	for _, value in ipairs(fn.returns) do
		local optional = value.optional or fn.file == true
		lines[#lines + 1] = ("---@return %s%s %s %s"):format(spell(value.type, annotation), optional and "|nil" or "",
			value.name, value.doc):gsub("%s+$", "")
	end
	if fn.file then
		lines[#lines + 1] = "---@return string? message what is wrong with the file"
	end
	local call = object.variable and ":" or "."
	lines[#lines + 1] = ("function %s%s%s(%s) end"):format(variable, call, fn.name, table.concat(names, ", "))
	lines[#lines + 1] = ""
end

local function add_class(lines, object)
	lines[#lines + 1] = "---" .. object.doc
	lines[#lines + 1] = "---@class " .. class_name(object)
	for _, operator in ipairs(object.operators or {}) do
		local operand = operator[2] and "(" .. operator[2] .. ")" or ""
		lines[#lines + 1] = ("---@operator %s%s: %s"):format(operator[1], operand, operator[3])
	end
	for _, property in ipairs(object.properties) do
		add_field(lines, property)
	end
	if object.index then
		local kind = spell(object.index[2], annotation)
		lines[#lines + 1] = ("---@field [%s] %s"):format(object.index[1], kind)
	end
	local variable = object.name:lower()
	lines[#lines + 1] = ("local %s = {}"):format(variable)
	lines[#lines + 1] = ""
	for _, fn in ipairs(object.functions) do
		add_function(lines, object, fn, variable)
	end
end

local function add_record(lines, record)
	lines[#lines + 1] = "---" .. record.doc
	lines[#lines + 1] = ("---@class scree.%s%s"):format(record.name, record.from and ": scree." .. record.from or "")
	for _, field in ipairs(record.fields) do
		add_field(lines, field)
	end
	lines[#lines + 1] = ""
end

--- A file of annotations for lua-language-server: what add makes of each entry of a list.
local function annotations(list, add)
	local lines = {
		"---@meta _",
		"-- For lua-language-server. Made from scree/api by make_reference.lua; not to be edited.",
		"-- luacheck: ignore",
		"",
	}
	for _, entry in ipairs(list) do
		add(lines, entry)
	end
	return (table.concat(lines, "\n"):gsub("\n+$", "\n"))
end

-- ---- the page ------------------------------------------------------------------------------------------------------

local function and_doc(text, doc)
	return doc == "" and text or ("%s (%s)"):format(text, doc)
end

-- A cell of a table: no bar may end it.
local function cell(text)
	return (text:gsub("|", "\\|"))
end

local function add_properties(lines, object)
	if #object.properties == 0 then
		return
	end
	lines[#lines + 1] = "| property | reads as | can be assigned | |"
	lines[#lines + 1] = "|---|---|---|---|"
	for _, property in ipairs(object.properties) do
		local reads = spell(property.type, page) .. (property.optional and ", or nil" or "")
		local write = ""
		if property.write then
			write = property.write == property.type and "yes" or spell(property.write, page)
			write = write .. (property.clears and "; nil" or "")
		end
		lines[#lines + 1] = ("| `%s` | %s | %s | %s |"):format(property.name, cell(reads), cell(write), cell(property.doc))
	end
	lines[#lines + 1] = ""
end

local function call_text(object, fn)
	local names = {}
	for i, argument in ipairs(fn.args) do
		names[i] = argument.name .. (argument.optional and "?" or "")
	end
	return ("%s%s%s(%s)"):format(object.variable or object.name, object.variable and ":" or ".", fn.name,
		table.concat(names, ", "))
end

-- What there is to say of each argument and result.
local function remarks(fn)
	local words = {}
	for _, argument in ipairs(fn.args) do
		words[#words + 1] = ("`%s`: %s"):format(argument.name, and_doc(spell(argument.type, page), argument.doc))
	end
	for _, value in ipairs(fn.returns) do
		local kind = spell(value.type, page) .. (value.optional and ", or nil" or "")
		words[#words + 1] = ("returns `%s`: %s"):format(value.name, and_doc(kind, value.doc))
	end
	if fn.file then
		words[#words + 1] = "what is wrong with a file: `nil, message`"
	end
	return words
end

local IN_LINE = 1 -- remarks that stand in the function's own line

local function add_functions(lines, object)
	for _, fn in ipairs(object.functions) do
		local words = remarks(fn)
		local line = ("- **`%s`** %s"):format(call_text(object, fn), fn.doc)
		if #words <= IN_LINE then
			lines[#lines + 1] = #words == 0 and line or line .. " " .. words[1]:gsub("^returns", "Returns") .. "."
		else
			lines[#lines + 1] = line
			for _, word in ipairs(words) do
				lines[#lines + 1] = "  - " .. word
			end
		end
	end
	if #object.functions > 0 then
		lines[#lines + 1] = ""
	end
end

local function add_object(lines, object)
	lines[#lines + 1] = "## " .. object.name
	lines[#lines + 1] = ""
	lines[#lines + 1] = ("%s More: [%s](%s)."):format(object.doc, object.page:match "^[%w_]+", object.page)
	lines[#lines + 1] = ""
	add_properties(lines, object)
	add_functions(lines, object)
end

local function add_record_section(lines, record)
	lines[#lines + 1] = "### " .. record.name
	lines[#lines + 1] = ""
	lines[#lines + 1] = record.doc
	lines[#lines + 1] = ""
	lines[#lines + 1] = "| field | | |"
	lines[#lines + 1] = "|---|---|---|"
	for _, field in ipairs(api.fields(record)) do
		local name = "`" .. field.name .. "`" .. (field.optional and "?" or "")
		lines[#lines + 1] = ("| %s | %s | %s |"):format(name, cell(spell(field.type, page)), cell(field.doc))
	end
	lines[#lines + 1] = ""
end

local INTRODUCTION = [[
# Reference

Every name of the module. This page and the annotations for lua-language-server (`scree/meta/`, installed with the
module) are made from one table, `lua/scree/api`, by `luajit lua/build/make_reference.lua`; a test compares that table
with the module.

A "?" marks what may be left out, or may be nil; what it is then stands in brackets. Units are metres, seconds,
kilograms and radians. A wrong argument is an error at the script's line that names the argument and its value; a
property that cannot be assigned is read-only, and using anything after its destruction is an error. Where "what is
wrong with a file" stands, that is returned.
]]

-- Words in lines of at most 120 characters.
local function wrapped(text)
	local lines, line = {}, ""
	for word in text:gmatch "%S+" do
		if line ~= "" and #line + 1 + #word > 120 then
			lines[#lines + 1] = line
			line = ""
		end
		line = line .. (line == "" and "" or " ") .. word
	end
	lines[#lines + 1] = line
	return table.concat(lines, "\n")
end

--- The page docs/reference.md.
---@return string
function reference.page()
	local lines = { INTRODUCTION }
	local words = {}
	for i, object in ipairs(api.objects) do
		words[i] = page.named(object.name)
	end
	lines[#lines + 1] = wrapped("Objects: " .. table.concat(words, ", ") .. ".")
	words = {}
	for i, record in ipairs(api.records) do
		words[i] = page.named(record.name)
	end
	lines[#lines + 1] = ""
	lines[#lines + 1] = wrapped("[Records](#records): " .. table.concat(words, ", ") .. ".")
	lines[#lines + 1] = ""
	for _, object in ipairs(api.objects) do
		add_object(lines, object)
	end
	lines[#lines + 1] = "## Records"
	lines[#lines + 1] = ""
	lines[#lines + 1] = "Plain tables that are given or returned. Of those that are given an unknown key is an error."
	lines[#lines + 1] = ""
	for _, record in ipairs(api.records) do
		add_record_section(lines, record)
	end
	return (table.concat(lines, "\n"):gsub("\n+$", "\n"))
end

--- The files and what should be in them.
---@return { path: string, text: string }[]
function reference.files()
	return {
		{ path = root .. "/docs/reference.md", text = reference.page() },
		{ path = root .. "/lua/scree/meta/objects.lua", text = annotations(api.objects, add_class) },
		{ path = root .. "/lua/scree/meta/records.lua", text = annotations(api.records, add_record) },
	}
end

if arg and arg[0] and arg[0]:find "make_reference%.lua$" then
	for _, made in ipairs(reference.files()) do
		local file = assert(io.open(made.path, "wb"))
		assert(file:write(made.text))
		assert(file:close())
	end
end

return reference
