-- The command line: what `scree` is told, and which command does it. Exit codes: 0 all well, 1 something failed, 2 the
-- command line is wrong, 130 ended by Ctrl+C.

local argparse = require "argparse"
local interrupt = require "scree.cli.interrupt"
local raise = require "scree.raise"
raise.own()

local cli = {}

local FAILED, USAGE = 1, 2

local function say(message)
	io.stderr:write("scree: ", message, "\n")
end

-- A converter by one of the functions of scree.cli.render that read a word.
local function picture_word(name, option)
	return function(word)
		local value, message = require("scree.cli.render")[name](word)
		return value, message and ("%s: %s"):format(option, message)
	end
end

local function add_render(parser)
	local render = parser:command("render", "Draw a scene at a time of it into a PNG file.",
		"No display is needed. The script runs as it stands until a world in it has come to that time, and is ended\n" ..
		"then; without a time it runs to its end.")
	render:argument("scene", "The script.")
	render:argument("args", "The scene's own arguments; after -- whatever they begin with."):args "*"
	render:option("-o --output", "The file."):argname "<shot.png>":default "shot.png"
	render:option("--at", "When: seconds of the world, or 500ms, 2min.")
		:argname "<5s>":convert(picture_word("time", "--at"))
	render:option("--size", "In pixels."):argname "<640x360>":convert(picture_word("size", "--size"))
	render:option("--from", "Where it is taken from. Without: so that all that moves is on it.")
		:argname "<x,y,z>":convert(picture_word("point", "--from"))
	render:option("--look", "What it looks at."):argname "<x,y,z>":convert(picture_word("point", "--look"))
	render:option("--fov", "Degrees between the upper and the lower edge: 40.")
		:argname "<degrees>":convert(picture_word("angle", "--fov"))
	render:option("--samples", "Rays a pixel: 1, 4, 9 or 16; 4.")
		:argname "<count>":convert(picture_word("number", "--samples"))
	render:option("--colors", "By the material, a colour for each assembly, by its shape, or by awake and asleep.")
		:choices { "material", "assembly", "shape", "state" }
end

-- A converter of whole numbers.
local function whole(name, least, most)
	return function(word)
		local value = tonumber(word)
		if not value or value % 1 ~= 0 or value < least or value > most then
			return nil, ("%s: a whole number from %d to %d is expected, got '%s'"):format(name, least, most, word)
		end
		return value
	end
end

local function seconds(word)
	local value = tonumber(word)
	if not value or not (value >= 0 and value < math.huge) then
		return nil, ("--seconds: a time is expected, got '%s'"):format(word)
	end
	return value
end

local function add_recording_options(command)
	command:option("--seconds", "End the scene when a world has run so long; 0: never. Without it, after 300 s.")
		:convert(seconds):argname "<time>"
	command:option("--every", "Store every so many steps, 1.")
		:convert(whole("--every", 1, 2 ^ 31)):argname "<steps>"
	command:option("--arrows", "Impulses stored for a step at most, the strongest; 200.")
		:convert(whole("--arrows", 0, 2 ^ 20)):argname "<count>"
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

	add_render(parser)

	local record = parser:command("record", "Record a scene as a page that replays it.",
		"One HTML file that needs no network: the ground and its edits, all bodies, joints, water, events and impulses.\n" ..
		"The scene runs as it stands; each of its worlds that steps is recorded. The page is written also when the scene\n" ..
		"fails, with what it said.")
	record:argument("scene", "The script.")
	record:argument("args", "The scene's own arguments; after -- whatever they begin with."):args "*"
	record:option("-o --output", "The page; else SCENE.html in this folder. A .glb file gets what moves and the ground.")
		:argname "<file>"
	record:option("--title", "What stands at the top of the page."):argname "<text>"
	add_recording_options(record)
	record:option("--run"):convert(tonumber):hidden(true) -- these three are scree watch's
	record:option("--parent"):convert(tonumber):hidden(true)
	record:option("--files"):hidden(true)

	local watch = parser:command("watch", "Record a scene and show it in a browser, anew whenever it is saved.",
		"Prints the address of the page, which is for this machine alone, and goes on until it is interrupted. The page\n"
		.. "keeps its moment and camera. Watched are the scene and the Lua files that it requires.")
	watch:argument("scene", "The script.")
	watch:argument("args", "The scene's own arguments; after -- whatever they begin with."):args "*"
	watch:option("--port", "Where the page is served; 0: at any port that is free.")
		:convert(whole("--port", 0, 65535)):argname "<port>"
	watch:flag("--once", "End when the page of the first run has been fetched.")
	add_recording_options(watch)

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
		"Saved worlds and terrains, models (.vox), meshes (.obj .stl .ply .glb .gltf), schematics (.schem .schematic\n" ..
		".mts), height maps (.png .hgt .r16).")
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

local OF_NUMBERS = {
	["--from"] = true, ["--look"] = true, ["--at"] = true, ["--fov"] = true, ["--samples"] = true,
	["--seconds"] = true, ["--every"] = true, ["--arrows"] = true, ["--port"] = true,
}

-- `--from -1,2,3` as `--from=-1,2,3`: what begins with a minus would be taken for an option.
local function join_numbers(words)
	local joined = {}
	for i, word in ipairs(words) do
		local before = words[i - 1]
		if OF_NUMBERS[before] and word:find "^%-[%d.]" then
			joined[#joined] = before .. "=" .. word
		else
			joined[#joined + 1] = word
		end
	end
	return joined
end

-- Commands that have nothing to finish when they are interrupted; the others see to that themselves.
local ends_at_once = { run = true, render = true, test = true, bench = true, info = true }

local commands = {
	run = function(parsed, rest)
		return require("scree.cli.scene").run(parsed.scene, rest)
	end,
	render = function(parsed)
		return require("scree.cli.render").run(parsed, parsed.args)
	end,
	record = function(parsed)
		return require("scree.cli.record").run(parsed, parsed.args)
	end,
	watch = function(parsed)
		return require("scree.cli.watch").run(parsed, parsed.args)
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
	rawset(_G, "pairs", require "scree.pairs") -- of the scripts that are run, too: it is safe
	local words, rest = split_scene_arguments(arguments)
	local ok, parsed = make_parser():pparse(join_numbers(words))
	if not ok then
		say(parsed .. "\nTry scree --help, or scree COMMAND --help.")
		return USAGE
	end
	if ends_at_once[parsed.command] then
		interrupt.ends_at_once()
	end
	local code, message = commands[parsed.command](parsed, rest)
	if message then
		say(message)
	end
	return code or FAILED
end

return cli
