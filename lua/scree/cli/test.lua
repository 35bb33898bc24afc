-- scree test: each file of tests in a process of its own; the results as TAP (testanything.org) on stdout.

local raise = require "scree.raise"
local interrupt = require "scree.cli.interrupt"
local golden = require "scree.golden"
raise.own()

local test = {}

local USAGE = 2

local function quote(word)
	return "'" .. word:gsub("'", "'\\''") .. "'"
end

-- ---- files ---------------------------------------------------------------------------------------------------------

local function is_folder(path)
	local file = io.open(path .. "/.", "rb")
	if file then
		file:close()
	end
	return file ~= nil
end

local function exists(path)
	local file = io.open(path, "rb")
	if file then
		file:close()
	end
	return file ~= nil
end

local function add_folder(files, folder)
	local pipe = assert(io.popen("ls " .. quote(folder)))
	local names = {}
	for name in pipe:lines() do
		if name:find "^test_.*%.lua$" or name:find "_test%.lua$" then
			names[#names + 1] = name
		end
	end
	pipe:close()
	table.sort(names)
	for _, name in ipairs(names) do
		files[#files + 1] = folder == "." and name or (folder:gsub("/+$", "")) .. "/" .. name
	end
end

-- The test files that the words name; or nil and the word that names none.
local function find_files(words)
	local files = {}
	if #words == 0 then
		words = { is_folder "tests" and "tests" or "." }
	end
	for _, word in ipairs(words) do
		if word == "" then
			return nil, "''"
		elseif is_folder(word) then
			add_folder(files, word)
		elseif exists(word) then
			files[#files + 1] = word
		else
			return nil, word
		end
	end
	return files
end

-- `--update a_test.lua` means that file, not traces of that name.
local function split_update(words, update)
	local filter = update and update[1]
	if filter and (filter:find "%.lua$" or filter:find "/" or is_folder(filter)) then
		words = { filter, unpack(words) }
		filter = nil
	end
	return words, update and (filter or "1")
end

-- ---- one file ------------------------------------------------------------------------------------------------------

-- The interpreter that runs this: the first of the words that the shell gave.
local function interpreter()
	local i = 0
	while arg and arg[i - 1] do
		i = i - 1
	end
	return i < 0 and arg[i] or "luajit"
end

local function read(path)
	local file = io.open(path, "rb")
	local content = file and file:read "*a" or ""
	if file then
		file:close()
	end
	return content
end

-- What os.execute gave as an exit code; what a signal ended is 128 and its number.
local function exit_code(status, _, code)
	if type(status) ~= "number" then
		return status and 0 or code or 1
	end
	return status % 256 == 0 and status / 256 or 128 + status % 128
end

-- Runs a file: its results, { { ok =, name =, message = } ... }, its exit code and all that it printed.
local function run_file(path, update, filter)
	local results, output = os.tmpname(), os.tmpname()
	local child = debug.getinfo(1, "S").source:match "^@(.*)test%.lua$" .. "test_file.lua"
	local command = ("LUA_PATH=%s SCREE_UPDATE=%s %s %s %s %s %s >%s 2>&1 </dev/null"):format(quote(package.path),
		quote(update or os.getenv "SCREE_UPDATE" or ""), quote(interpreter()), quote(child), quote(results),
		quote(filter or ""), quote(path), quote(output))
	local code = exit_code(os.execute(command))
	local list = assert(loadstring("return {" .. read(results) .. "}"))()
	local printed = read(output)
	os.remove(results)
	os.remove(output)
	return list, code, printed
end

-- ---- TAP -----------------------------------------------------------------------------------------------------------

local function comment(message)
	for line in (message:gsub("%s+$", "") .. "\n"):gmatch "([^\n]*)\n" do
		print(("# " .. line):gsub("%s+$", "") .. "")
	end
end

local function print_point(count, ok, name, message, skipped)
	local directive = skipped and (" # SKIP " .. skipped:gsub("\n", " ")):gsub("%s+$", "") or ""
	print(("%s %d - %s%s"):format(ok and "ok" or "not ok", count, (name:gsub("[#\n\\]", "_")), directive))
	if message then
		comment(message)
	end
end

-- Prints a file's results: how many there are, and how many of them failed and were skipped.
local function print_file(path, from, list, code, printed)
	if printed ~= "" then
		comment(printed)
	end
	local failed, count, skipped = 0, 0, 0
	for _, result in ipairs(list) do
		count, skipped = count + 1, skipped + (result.skipped and 1 or 0)
		failed = failed + (result.ok and 0 or 1)
		print_point(from + count, result.ok, path .. (result.name and " " .. result.name or ""), result.message,
			result.skipped)
	end
	local is_early = count < (list.planned or 0)
	if is_early or code ~= 0 and failed == 0 and not (list.filtered and count == 0) then
		local when = is_early and (" after %d of its %d tests"):format(count, list.planned) or ""
		count, failed = count + 1, failed + 1
		print_point(from + count, false, path, ("it ended with the exit code %d%s"):format(code, when))
	elseif count == 0 and not list.filtered then -- a script that ended itself, well
		count = 1
		print_point(from + count, true, path)
	end
	io.stdout:flush()
	return count, failed, skipped
end

--- Runs tests.
---@param words string[] files and folders
---@param update string[]? { filter or nil }
---@param filter string?
---@return integer code
---@return string? message
function test.run(words, update, filter)
	local stored
	words, stored = split_update(words, update)
	if stored and golden.is_ci() then
		return USAGE, "--update is refused where CI is set"
	end
	local files, missing = find_files(words)
	if not files then
		return USAGE, "no test file " .. missing
	end
	print "TAP version 13"
	local count, failed, skipped = 0, 0, 0
	for _, path in ipairs(files) do
		local list, ended, printed = run_file(path, stored, filter)
		if ended == interrupt.EXIT_CODE then -- the terminal gives Ctrl+C to both processes; this one was waiting
			print "Bail out! Interrupted"
			return ended
		end
		local added, wrong, left = print_file(path, count, list, ended, printed)
		count, failed, skipped = count + added, failed + wrong, skipped + left
	end
	print("1.." .. count)
	if count == 0 then
		return 1, "no tests were found"
	end
	local others = skipped > 0 and (", %d skipped"):format(skipped) or ""
	print(("# %d passed, %d failed%s"):format(count - failed - skipped, failed, others))
	return failed == 0 and 0 or 1
end

return test
