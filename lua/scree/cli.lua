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

	local render = parser:command("render", "Draw a scene at a time of it into a PNG file.",
		"No display is needed. The script runs as it stands until a world in it has come to that time, and is ended\n" ..
		"then; without a time it runs to its end. What follows -- is handed to the scene.")
	render:argument("scene", "The script.")
	render:option("-o --output", "The file."):argname "<shot.png>":default "shot.png"
	render:option("--at", "When: seconds of the world, or 500ms, 2min."):argname "<5s>"
	render:option("--size", "In pixels."):argname "<640x360>"
	render:option("--from", "Where it is taken from. Without: so that all that moves is on it."):argname "<x,y,z>"
	render:option("--look", "What it looks at."):argname "<x,y,z>"
	render:option("--fov", "Degrees between the upper and the lower edge: 40."):argname "<degrees>"
	render:option("--samples", "Rays a pixel: 1, 4, 9 or 16; 4."):argname "<count>"
	render:option("--colors", "By the material, a colour for each assembly, by its shape, or by awake and asleep.")
		:choices { "material", "assembly", "shape", "state" }

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

-- What follows the scene belongs to the scene, options too: they are no business of the parser. Of commands that have
-- options of their own behind the scene it is what follows "--".
local takes_rest, takes_dashes = { run = true, bench = true }, { render = true }
local takes_point = { ["--from"] = true, ["--look"] = true }

local function split_scene_arguments(arguments)
	local words, rest, dashes = {}, {}, false
	local command = arguments[1]
	for i = 1, #arguments do
		local word = arguments[i]
		if takes_dashes[command] then
			if dashes then
				rest[#rest + 1] = word
			elseif word == "--" then
				dashes = true
			elseif takes_point[arguments[i - 1]] and word:find "^%-[%d.]" then
				words[#words] = words[#words] .. "=" .. word -- a point that begins with a minus is no option
			else
				words[#words + 1] = word
			end
		else
			local list = takes_rest[command] and #rest + #words >= 2 and arguments[2]:sub(1, 1) ~= "-" and rest or words
			list[#list + 1] = word
		end
	end
	return words, rest
end

-- Reads the options of render: what they ask for, or nil and what is wrong.
local function render_options(parsed)
	local render = require "scree.cli.render"
	local options, picture = { output = parsed.output }, { colors = parsed.colors }
	options.picture = picture
	for _, name in ipairs { "fov", "samples" } do
		picture[name] = parsed[name] and tonumber(parsed[name])
		if parsed[name] and not picture[name] then
			return nil, ("--%s must be a number, got %q"):format(name, parsed[name])
		end
	end
	picture.fov = picture.fov and math.rad(picture.fov)
	for name, read in pairs { at = render.time, size = render.size, from = render.point, look = render.point } do
		if parsed[name] then
			local value, message = read(parsed[name])
			if not value then
				return nil, ("--%s: %s"):format(name, message)
			end
			(name == "at" and options or picture)[name] = value
		end
	end
	return options
end

local commands = {
	run = function(parsed, rest)
		return require("scree.cli.scene").run(parsed.scene, rest)
	end,
	render = function(parsed, rest)
		local options, message = render_options(parsed)
		if not options then
			return USAGE, message
		end
		return require("scree.cli.render").run(parsed.scene, rest, options)
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
