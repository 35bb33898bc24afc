-- The command line: what `scree` is told, and which command does it. Exit codes: 0 all well, 1 something failed, 2 the
-- command line is wrong.

local argparse = require "argparse"
local raise = require "scree.raise"
raise.own()

local cli = {}

local FAILED, USAGE = 1, 2

local function say(message)
	io.stderr:write("scree: ", message, "\n")
end

local function make_parser()
	local parser = argparse("scree", "Voxel terrain and rigid-body physics, from the command line.",
		"Exit codes: 0 all well, 1 something failed, 2 the command line is wrong.")
	parser:command_target "command"
	parser:require_command(true)
	parser:flag("--version", "Print the version and exit."):action(function()
		print(require("scree").version)
		os.exit(0)
	end)

	local run = parser:command("run", "Run a scene: a Lua script.", "What follows the scene is handed to it.")
	run:argument("scene", "The script.")
	run:argument("args", "The scene's own arguments."):args "*"

	local test = parser:command("test", "Run tests and print TAP.",
		"A test is a Lua script, which fails by an error or an exit code. If it returns a table with functions whose\n" ..
		"names begin with \"test\", or with tables of such functions, each of them is a test. Every file has a\n" ..
		"process of its own. scree.golden compares with stored traces.")
	test:argument("files", "Test files, or folders with test_*.lua and *_test.lua; without any: tests, or this folder.")
		:args "*"
	test:option("--update", "Store golden traces anew: all that differ, or those whose names contain the filter."
		.. " Refused where CI is set.")
		:args "?":argname "<filter>"
	test:option("--filter", "Only tests whose file and name contain this."):argname "<text>"

	local bench = parser:command("bench", "Time the steps of a scene: the median, and where the time goes.",
		"What follows the scene is handed to it. Without a scene, 500 bodies fall in a heap on hills.")
	bench:argument("scene", "The script."):args "?"
	bench:argument("args", "The scene's own arguments."):args "*"

	local info = parser:command("info", "Say what is in files.",
		"Saved worlds and terrains, models (.vox), schematics (.schem .schematic .mts), height maps (.png .hgt .r16).")
	info:argument("files", "The files."):args "+"
	return parser
end

-- What follows the scene belongs to the scene, options too: they are no business of the parser.
local function split_scene_arguments(arguments)
	local words, rest = {}, {}
	local takes_scene = arguments[1] == "run" or arguments[1] == "bench"
	for i = 1, #arguments do
		local list = takes_scene and #rest + #words >= 2 and arguments[2]:sub(1, 1) ~= "-" and rest or words
		list[#list + 1] = arguments[i]
	end
	return words, rest
end

local commands = {
	run = function(parsed, rest)
		return require("scree.cli.scene").run(parsed.scene, rest)
	end,
	test = function(parsed)
		return require("scree.cli.test").run(parsed.files, parsed.update, parsed.filter)
	end,
	bench = function(parsed, rest)
		return require("scree.cli.bench").run(parsed.scene, rest)
	end,
	info = function(parsed)
		return require("scree.cli.info").run(parsed.files)
	end,
}

--- Does what the words of a command line say.
---@param arguments string[]
---@return integer code for the shell
function cli.main(arguments)
	local words, rest = split_scene_arguments(arguments)
	local ok, parsed = make_parser():pparse(words)
	if not ok then
		say(parsed .. "\nTry scree --help, or scree COMMAND --help.")
		return USAGE
	end
	local code, message = commands[parsed.command](parsed, rest)
	if message then
		say(message)
	end
	return code or FAILED
end

return cli
