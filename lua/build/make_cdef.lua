-- Makes scree/cdef.lua, the declarations that Lua's FFI reads, from the C header, so that nothing is typed twice.
--
--   luajit make_cdef.lua scree.h cdef.lua VERSION
--
-- The header holds plain declarations only. Comments, preprocessor lines, what is for C++ and the word SCREE_API go;
-- the rest is parsed by the FFI here already, so a header that Lua cannot read fails the build.

local ffi = require "ffi"

local header_path, output_path, version = ...
if not version then
	io.stderr:write("usage: luajit make_cdef.lua HEADER OUTPUT VERSION\n")
	os.exit(2)
end

local function fail(...)
	io.stderr:write(header_path, ": ", string.format(...), "\n")
	os.exit(1)
end

local function strip_comments(text)
	-- A newline for each one taken out, so that the FFI's messages name the right line.
	local function newlines(comment)
		return " " .. comment:gsub("[^\n]", "")
	end
	return (text:gsub("/%*.-%*/", newlines):gsub("//[^\n]*", ""))
end

-- Drops preprocessor lines and all between #ifdef __cplusplus and its #endif.
local function strip_preprocessor(text)
	text = text:gsub("\\\n", " ")
	local lines, depth = {}, 0 -- depth: inside how many conditions, counted from the one about C++
	for line in text:gmatch("([^\n]*)\n") do
		local directive, rest = line:match("^%s*#%s*(%a+)%s*(.*)")
		local is_condition = directive == "if" or directive == "ifdef" or directive == "ifndef"
		if is_condition and (depth > 0 or directive == "ifdef" and rest:match("^__cplusplus")) then
			depth = depth + 1
		elseif directive == "endif" and depth > 0 then
			depth = depth - 1
		elseif depth == 0 and not directive then
			lines[#lines + 1] = line
		end
	end
	return table.concat(lines, "\n")
end

local file, message = io.open(header_path, "r")
if not file then
	fail("%s", message)
end
local text = file:read("*a") .. "\n"
file:close()

text = strip_preprocessor(strip_comments(text))
text = text:gsub("%f[%w_]SCREE_API%f[^%w_]", "")
local lines = {}
for line in text:gmatch("[^\n]+") do
	line = line:gsub("%s+$", ""):gsub("^ +", "")
	if line ~= "" then
		lines[#lines + 1] = line
	end
end
text = table.concat(lines, "\n") .. "\n"

if text:find("]==]", 1, true) then
	fail("']==]' cannot stand in the header")
end
local ok, reason = pcall(ffi.cdef, text)
if not ok then
	fail("Lua's FFI cannot read it: %s", reason)
end

local output
output, message = io.open(output_path, "w")
if not output then
	fail("%s", message)
end
output:write("-- Made from scree.h by make_cdef.lua. Changes belong there.\n",
	"return {\n",
	("\tversion = %q,\n"):format(version),
	"\t-- What to hand to ffi.load, in this order, when SCREE_LIBRARY does not say it.\n",
	("\tlibrary = { %q, %q },\n"):format("libscree.so." .. version:match("^%d+"), "scree"),
	"\ttext = [==[\n", text, "]==],\n}\n")
output:close()
