-- Regression tests in one line: golden.check(world, name) compares what the world did with a trace that was stored
-- beside the test. From require on, every world that steps is sampled.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local text = require "scree.text"
local world = require "scree.world"
local hook = require "scree.hook"
local trace = require "scree.trace"
local whole_file = require "scree.whole_file"
local both = require "scree.golden_replay"
raise.own()

---@class scree.golden
local golden = {}

local traces = setmetatable({}, { __mode = "k" }) -- world -> what it did since it was first stepped, or last checked
local runs = setmetatable({}, { __mode = "k" }) -- the same as a recording, for the page of a check that fails

local function trace_of(self)
	traces[self] = traces[self] or trace.new()
	return traces[self]
end

local function run_of(self)
	runs[self] = runs[self] or both.new_run(self)
	return runs[self]
end

hook.watch {
	before = function(self)
		trace_of(self):before(self)
		if golden.replay ~= false then
			run_of(self).before(self)
		end
	end,
	after = function(self)
		trace_of(self):after(self)
		if runs[self] then
			runs[self].after(self)
		end
	end,
}

-- ---- files ---------------------------------------------------------------------------------------------------------

pcall(ffi.cdef, jit.os == "Windows" and "int _mkdir(const char *path);" or "int mkdir(const char *path, unsigned m);")

-- Makes a folder whose parent is there. That it exists already is as good; what else may be wrong shows in opening.
local function make_folder(path)
	if jit.os == "Windows" then
		ffi.C._mkdir(path)
	else
		ffi.C.mkdir(path, 511) -- 0777, less what the user's mask takes
	end
end

local function read_file(path)
	local file, message = io.open(path, "rb")
	if not file then
		return nil, message
	end
	local content = file:read "*a"
	file:close()
	return content, "cannot read " .. path
end

local function write_file(path, content)
	local bytes, message = whole_file.write(path, content)
	if not bytes then
		raise.error("golden.check: " .. message)
	end
end

-- What calls tests: of one that ends in `return golden.check(...)` no frame is left, and its file is not the caller's.
local CALLERS = {
	"luaunit%.lua$", "[/\\]busted[/\\]", "[/\\]mediator%.lua$", "[/\\]cli[/\\]test_file%.lua$", "[/\\]?bin[/\\][%w_]+$",
}

local function calls_tests(path)
	for _, pattern in ipairs(CALLERS) do
		if path:find(pattern) then
			return true
		end
	end
	return false
end

local function folder()
	if golden.folder ~= nil then
		return check.path(golden.folder, "golden.", "folder")
	end
	local file = arg and arg[0] or ""
	for _, path in ipairs(raise.files()) do
		if not calls_tests(path) then
			file = path
			break
		end
	end
	return (file:match "^(.*[/\\])" or "") .. "golden"
end

-- ---- updating ------------------------------------------------------------------------------------------------------

local function is_set(name)
	local value = os.getenv(name)
	return value ~= nil and value ~= "" and value ~= "0" and value ~= "false"
end

--- Whether the environment forbids to update: in CI a trace that is stored anew would hide what went wrong.
function golden.is_ci()
	return is_set "CI"
end

-- SCREE_UPDATE: 1 for every trace, or a part of the names of those to store.
local function is_to_update(name)
	local filter = os.getenv "SCREE_UPDATE"
	if not is_set "SCREE_UPDATE" or not (filter == "1" or name:find(filter, 1, true)) then
		return false
	elseif golden.is_ci() then
		raise.error("golden.check: SCREE_UPDATE is refused where CI is set")
	end
	return true
end

-- ---- messages ------------------------------------------------------------------------------------------------------

local function assembly_line(difference)
	local row = difference.row
	local tag = row.tag ~= "-" and ", tag " .. row.tag or ""
	return ("  assembly %d in order of creation (id %s%s): %s"):format(
		difference.number, text.number(row.id), tag, difference.quantity)
end

local function describe(difference, name, path, every, page)
	local same = difference.same and (", the same at step %d"):format(difference.same) or ""
	local lines = {
		("golden: %s is not as in %s"):format(name, path),
		("  first at step %d (%s s)%s"):format(difference.step, text.number(difference.time), same),
		difference.number and assembly_line(difference) or "  " .. difference.quantity,
		"  expected " .. difference.expected,
		"  got      " .. difference.got,
	}
	if difference.off then
		lines[#lines + 1] = ("  off by   %.3g %s, allowed %s"):format(
			difference.off, difference.unit, text.number(difference.allowed))
	end
	if difference.others and difference.others > 0 then
		lines[#lines + 1] = ("  so are %d more assemblies at this step"):format(difference.others)
	end
	if every ~= 1 and difference.same and difference.step > difference.same + 1 then
		lines[#lines + 1] = "  a trace stored with golden.record(world, { every = 1 }) would tell the very step"
	end
	if page then
		lines[#lines + 1] = "  replay   " .. page
	end
	lines[#lines + 1] = ("  if it is meant: SCREE_UPDATE=%s stores it anew"):format(name)
	return table.concat(lines, "\n")
end

-- ---- the two functions ---------------------------------------------------------------------------------------------

local function check_world(self, where)
	if type(self) ~= "table" or getmetatable(self) ~= world.class.meta then
		check.wrong(self, where, "world", "a world")
	elseif not self.valid then
		raise.error(where .. "the world is destroyed")
	end
end

local RECORD = check.names { "every" }

---Begins the world's trace anew, now, and may say how often it is sampled.
---@param self scree.World
---@param opts { every: integer? }? steps between samples; without it about 16 to 32 in all
function golden.record(self, opts)
	local where, every = "golden.record: ", nil
	check_world(self, where)
	if opts ~= nil then
		check.table(opts, where, "opts")
		check.keys(opts, RECORD, where)
		every = opts.every ~= nil and check.whole(opts.every, 1, 2 ^ 31, where, "every") or nil
	end
	traces[self], runs[self] = trace.new(every), nil
	traces[self]:before(self)
end

local TOLERANCES = check.names(trace.QUANTITIES)

local function read_tolerances(given, where)
	check.table(given, where, "tolerances")
	check.keys(given, TOLERANCES, where)
	local tolerances
	for _, name in ipairs(trace.QUANTITIES) do
		if given[name] ~= nil then
			tolerances = tolerances or {}
			tolerances[name] = check.not_negative(given[name], where, name)
		end
	end
	return tolerances
end

local function store(path, got)
	make_folder(path:match "^(.*)[/\\][^/\\]*$")
	write_file(path, got:encode())
	io.stderr:write("golden: stored ", path, "\n")
end

---Compares what the world did, since its first step or since the last check or record of it, with the stored trace of
---that name, and ends the trace; raises what differs first. Without tolerances every bit must be the same. With them,
---only the quantities that they name are compared, and which assemblies there are.
---@param self scree.World
---@param name string letters, digits, "_", "-" and "."
---@param tolerances { position: number?, rotation: number?, velocity: number?, angular_velocity: number? }? m, rad, m/s
function golden.check(self, name, tolerances)
	local where = "golden.check: "
	check_world(self, where)
	if type(name) ~= "string" or #name > 100 or not name:find "^[%w_%-][%w_%-%.]*$" then
		check.wrong(name, where, "name", 'a name of letters, digits, "_", "-" and "."')
	end
	local allowed = tolerances ~= nil and read_tolerances(tolerances, where) or nil
	local update = is_to_update(name)
	local path = folder() .. "/" .. name .. ".txt"
	local got, run = trace_of(self), runs[self]
	got:finish(self)
	traces[self], runs[self] = nil, nil
	local content, message = read_file(path)
	if not content and update then
		return store(path, got)
	elseif not content then
		raise.error(("golden: no stored trace of %s (%s); SCREE_UPDATE=%s stores it"):format(name, message, name))
	end
	local expected, line, why = trace.decode(content)
	if not expected and not update then
		raise.error(("golden: %s:%d: %s"):format(path, line, why))
	end
	local difference = not expected or trace.compare(expected, got, allowed)
	if difference and update then
		store(path, got)
	elseif difference then
		local page_path = folder() .. "/" .. name .. ".html"
		local page = golden.replay ~= false and both.write(page_path, { world = self, run = run, expected = expected,
			got = got, difference = difference, message = describe(difference, name, path, expected.every, page_path) })
		raise.error(describe(difference, name, path, expected.every, page))
	end
	os.remove(folder() .. "/" .. name .. ".html") -- of an earlier failure
end

return golden
