-- scree record: a scene as a replay page, or as an animation in a .glb file.

local ffi = require "ffi"
local pairs = require "scree.pairs"
local raise = require "scree.raise"
local gltf = require "scree.gltf"
local hook = require "scree.hook"
local interrupt = require "scree.cli.interrupt"
local progress = require "scree.progress"
local replay = require "scree.replay"
local recordings = require "scree.record"
local scene = require "scree.cli.scene"
local whole_file = require "scree.whole_file"
raise.own()

local record = {}

local SECONDS = 300 -- of a world's time, after which a scene is ended that does not end itself
local PARENT_EVERY = 60 -- frames between looks whether scree watch is still there

local function name_of(path)
	return path:match "([^/\\]*)$":gsub("%.lua$", "") .. ""
end

local function size_text(count)
	return count < 1e6 and ("%.0f kB"):format(count / 1e3) or ("%.1f MB"):format(count / 1e6)
end

local function report(path, size, list)
	print(("%s: %s"):format(path, size_text(size)))
	for number, one in ipairs(list) do
		local poses, arrows = one:bytes_per_frame()
		local moving = one.poses.moved / one.frame_count
		print(("  world %d: %.2f s, %d frames, %d assemblies; a frame: %.1f that moved, %.0f bytes, and %.0f of impulses")
			:format(number, one.clock[one.frame_count], one.frame_count, #one.tracks, moving, poses, arrows))
	end
end

-- Ends the recording and writes its page: the code for the shell, and a message if there is something wrong.
local function write_page(recorder, options, code, message)
	local list = recorder.finish()
	if #list == 0 then
		return code ~= 0 and code or 1, message or "the scene made no step"
	end
	local size, why
	if options.output:find "%.glb$" then
		local written, problem = gltf.write(list, options.output)
		size, why = written and written.bytes, problem
	else
		local page, problem = replay.page(list, {
			title = options.title or name_of(options.scene), message = message, watch = options.run,
		})
		why = problem
		if page then
			size, why = whole_file.write(options.output, page)
		end
	end
	if not size then
		return 1, (message and message .. "\n" or "") .. why
	end
	report(options.output, size, list)
	return code, message
end

pcall(ffi.cdef, "int kill(int process, int signal);")

local function is_running(process)
	return ffi.C.kill(process, 0) == 0
end

-- The Lua files that the scene has loaded, itself first, without the module's own: one a line.
local function write_files(path, scene_path)
	local names = {}
	for name in pairs(package.loaded) do
		if type(name) == "string" and name ~= "scree" and not name:find "^scree%." then
			names[#names + 1] = name
		end
	end
	table.sort(names)
	local paths = { scene_path }
	for _, name in ipairs(names) do
		paths[#paths + 1] = package.searchpath(name, package.path)
	end
	whole_file.write(path, table.concat(paths, "\n") .. "\n")
end

---@class scree.RecordCommand
---@field scene string
---@field output string?
---@field title string?
---@field seconds number? of a world's time; 0: as long as the scene runs
---@field every integer?
---@field arrows integer?
---@field run integer? of scree watch: the page asks its server for newer runs than this
---@field parent integer? of scree watch: its process, without which nobody waits for the page
---@field files string? of scree watch: the file to which the paths of the Lua files go that the scene loaded

--- Runs a script and writes its replay page.
---@param options scree.RecordCommand
---@param arguments string[] the scene's
---@return integer code
---@return string? message
function record.run(options, arguments)
	options.output = options.output or name_of(options.scene) .. ".html"
	local possible, why = replay.is_possible()
	if not possible and not options.output:find "%.glb$" then
		return 1, why
	end
	local writable, why_not = whole_file.probe(options.output)
	if not writable then
		return 1, why_not
	end
	local limit = options.seconds == nil and SECONDS or options.seconds
	local exit, ended, recorder = os.exit, false, nil

	-- Once, whether the scene returns, calls os.exit or is ended.
	local function finish(code, message)
		ended = true
		if options.files then
			write_files(options.files, options.scene)
		end
		return write_page(recorder, options, code, message)
	end

	local function finish_and_exit(code, message)
		local final, said = finish(code, message)
		if said then
			io.stderr:write("scree: ", said, "\n")
		end
		io.stdout:flush()
		exit(final, true)
	end

	-- A frame is recorded whole or not at all.
	hook.watch { before = interrupt.hold, after = interrupt.hold }
	recorder = recordings.start {
		every = options.every, arrows = options.arrows,
		on_frame = function(one)
			if options.parent and one.frame_count % PARENT_EVERY == 0 and not is_running(options.parent) then
				exit(1)
			end
			if limit > 0 and one.seconds >= limit - 1e-9 and not ended then
				progress.wipe()
				if options.seconds == nil then
					io.stderr:write(("scree: ended after %d s; --seconds says otherwise\n"):format(limit))
				end
				finish_and_exit(0)
			end
		end,
	}
	hook.watch { before = interrupt.release, after = interrupt.release }
	os.exit = function(code) -- luacheck: ignore 122
		if ended then
			exit(code)
		end
		progress.wipe()
		finish_and_exit(type(code) == "number" and code or code == false and 1 or 0)
	end
	local code, message = scene.run(options.scene, arguments)
	os.exit = exit -- luacheck: ignore 122
	return finish(code, message)
end

return record
