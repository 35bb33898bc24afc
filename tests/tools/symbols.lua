-- Checks the dynamic symbols of the library:
--   * it exports functions that scree.h declares and nothing else; with --all, every one of them;
--   * it takes nothing from libm but square roots, since the rest differs from machine to machine.
--
--   luajit symbols.lua LIBRARY HEADER [--all]

local library, header_path, mode = ...
assert(header_path, "usage: luajit symbols.lua LIBRARY HEADER [--all]")

-- What C99's <math.h> declares, each also with f and l behind it.
local libm = {}
for name in ([[acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log
	log10 log1p log2 logb modf scalbn scalbln cbrt fabs hypot pow erf erfc lgamma tgamma ceil floor nearbyint rint
	lrint llrint round lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma
	sincos exp10 pow10]]):gmatch("%S+") do
	for _, suffix in ipairs { "", "f", "l" } do
		libm[name .. suffix] = true
		libm["__" .. name .. suffix .. "_finite"] = true
	end
end

local function symbols(option)
	local names = {}
	local pipe = assert(io.popen(("nm -D %s '%s'"):format(option, library)))
	for line in pipe:lines() do
		local name = line:match("([%w_]+)[@%w_%.]*$")
		names[#names + 1] = name
	end
	pipe:close()
	return names
end

local function declared_functions()
	local file = assert(io.open(header_path))
	local text = file:read("*a"):gsub("/%*.-%*/", " ")
	file:close()
	local names = {} -- a list and a set in one
	for declaration in text:gmatch("SCREE_API%s+([^;]*);") do
		local name = declaration:match("([%w_]+)%s*%(")
		if name then
			names[name] = true
			names[#names + 1] = name
		end
	end
	return names
end

local offences = 0
local function offend(...)
	offences = offences + 1
	print(string.format(...))
end

local declared = declared_functions()
local exported = {}
for _, name in ipairs(symbols "--defined-only") do
	exported[name] = true
	if not declared[name] then
		offend("%s is exported but not declared in the header", name)
	end
end
if mode == "--all" then
	for _, name in ipairs(declared) do
		if not exported[name] then
			offend("%s is declared in the header but not exported", name)
		end
	end
end
for _, name in ipairs(symbols "--undefined-only") do
	if libm[name] then
		offend("%s is taken from libm", name)
	end
end
print(("%d functions declared, %d offences"):format(#declared, offences))
os.exit(offences == 0 and next(exported) and 0 or 1)
