-- scree watch: records a scene, shows it in a browser, and does so anew whenever one of the scene's files is saved. A
-- small HTTP server on this machine alone has the page; the page asks it whether there is a newer one.

local ffi = require "ffi"
local raise = require "scree.raise"
local json = require "scree.record.json"
raise.own()

local watch = {}

local PORT = 8737 -- unless it is taken
local POLL = 0.2 -- seconds between looks at the files
local REQUEST_BYTES, REQUEST_SECONDS = 8192, 2 -- most of a request that is read
local SEND_SECONDS = 10
local CONNECTIONS = 64 -- most that are open

local function quote(word)
	return "'" .. word:gsub("'", "'\\''") .. "'"
end

local function read(path)
	local file = io.open(path, "rb")
	local content = file and file:read "*a"
	if file then
		file:close()
	end
	return content
end

pcall(ffi.cdef, "int getpid(void);")

-- ---- runs ----------------------------------------------------------------------------------------------------------

-- The interpreter that runs this: the first of the words that the shell gave.
local function interpreter()
	local i = 0
	while arg and arg[i - 1] do
		i = i - 1
	end
	return i < 0 and arg[i] or "luajit"
end

-- What a list of files holds, to tell whether one of them was saved.
local function read_all(paths)
	local contents = {}
	for i, path in ipairs(paths) do
		contents[i] = read(path) or ""
	end
	return contents
end

local function is_same(a, b)
	for i = 1, math.max(#a, #b) do
		if a[i] ~= b[i] then
			return false
		end
	end
	return true
end

-- Starts a process that records; it goes on by itself.
local function start_run(self)
	self.run = self.run + 1
	self.contents = read_all(self.files)
	self.folder = self.all_folders .. "/" .. self.run -- its own, since the run before may still be on its way out
	os.execute("mkdir " .. quote(self.folder))
	local words = {
		interpreter(), arg[0], "record", "--run", tostring(self.run), "--parent", tostring(ffi.C.getpid()),
		"--files", self.folder .. "/files", "--output", self.folder .. "/page", "--title", self.options.scene,
	}
	for _, name in ipairs { "seconds", "every", "arrows" } do
		if self.options[name] then
			words[#words + 1] = "--" .. name
			words[#words + 1] = tostring(self.options[name])
		end
	end
	words[#words + 1] = self.options.scene
	words[#words + 1] = "--"
	for _, word in ipairs(self.arguments) do
		words[#words + 1] = word
	end
	for i, word in ipairs(words) do
		words[i] = quote(word)
	end
	local line = "{ LUA_PATH=%s %s >%s 2>&1 </dev/null & echo $! >%s; wait $!; echo $? >%s; mv %s %s; } 2>/dev/null &"
	os.execute(line:format(
		quote(package.path), table.concat(words, " "), quote(self.folder .. "/log"), quote(self.folder .. "/pid"),
		quote(self.folder .. "/code"), quote(self.folder .. "/code"), quote(self.folder .. "/done")))
	self.running = true
end

local function stop_run(self)
	local pid = (read(self.folder .. "/pid") or ""):match "%d+"
	if self.running and pid then
		os.execute(("kill %s 2>/dev/null"):format(pid))
	end
	self.running = false
end

-- Takes what a run has made, once it has ended.
local function finish_run(self)
	local code = tonumber(read(self.folder .. "/done") or "")
	if not self.running or not code then
		return
	end
	self.running = false
	local said = (read(self.folder .. "/log") or ""):gsub("%s+$", "")
	self.page = read(self.folder .. "/page") or self.page
	self.made = read(self.folder .. "/page") and self.run or self.made
	self.error = code ~= 0 and said or nil
	local files = {}
	for path in (read(self.folder .. "/files") or ""):gmatch "[^\n]+" do
		files[#files + 1] = path
	end
	local before = {}
	for i, path in ipairs(self.files) do
		before[path] = self.contents[i]
	end
	self.files = #files > 0 and files or self.files
	for i, path in ipairs(self.files) do
		self.contents[i] = before[path] or read(path) or ""
	end
	self.contents[#self.files + 1] = nil
	print(("run %d: exit code %d\n%s"):format(self.run, code, (said:gsub("[^\n]+", "  %0"))))
	io.stdout:flush()
end

-- ---- the server ----------------------------------------------------------------------------------------------------

local WAITING = [[
<!doctype html><html lang="en"><meta charset="utf-8"><title>scree</title><link rel="icon" href="data:,">
<style>body { font: 14px system-ui, sans-serif; background: #10141a; color: #e8ecf1; padding: 2em }</style>
<p id="state">The scene runs ...</p><pre id="error"></pre>
<script>
setInterval(async () => {
	const status = await (await fetch("status")).json();
	document.getElementById("state").textContent = status.running ? "The scene runs ..." : "There is nothing to show.";
	document.getElementById("error").textContent = status.error || "";
	if (status.made)
		location.reload();
}, 500);
</script></html>
]]

local function response(code, kind, body)
	local lines = {
		"HTTP/1.0 " .. code, "Content-Type: " .. kind, "Content-Length: " .. #body, "Cache-Control: no-store",
		"Connection: close", "", "",
	}
	return table.concat(lines, "\r\n") .. body
end

local function answer(self, path)
	if path == "/" then
		self.served = self.made
		return response("200 OK", "text/html; charset=utf-8", self.made and self.page or WAITING)
	elseif path == "/status" then
		local status = { run = self.run, made = self.made or false, running = self.running, error = self.error or false }
		return response("200 OK", "application/json", json.encode(status))
	end
	return response("404 Not Found", "text/plain", "There is only / here.\n")
end

-- The path that a request asks for, and its first line.
local function read_request(client)
	client:settimeout(REQUEST_SECONDS)
	local line = client:receive "*l"
	local bytes = line and #line or 0
	local header = line
	while header and header ~= "" and bytes < REQUEST_BYTES do
		header = client:receive "*l"
		bytes = bytes + #(header or "")
	end
	return line and line:match "^GET ([^ ?]*)", line
end

local function serve(self, client)
	local path, line = read_request(client)
	client:settimeout(SEND_SECONDS)
	if path then
		client:send(answer(self, path))
	elseif line then
		client:send(response("400 Bad Request", "text/plain", "GET alone is understood.\n"))
	end
	client:close()
end

-- Answers those who ask, for a while at most. Browsers open connections ahead, over which they may say something later.
local function serve_all(self, socket, server)
	local ready = socket.select(self.connections, nil, POLL)
	for _, connection in ipairs(ready) do
		if connection == server then
			local client = server:accept()
			self.connections[#self.connections + 1] = client
		else
			serve(self, connection)
			for i = #self.connections, 2, -1 do
				if self.connections[i] == connection then
					table.remove(self.connections, i)
				end
			end
		end
	end
	if #self.connections > CONNECTIONS then
		table.remove(self.connections, 2):close()
	end
end

-- A server at a port (0: any that is free), or nil and a message.
local function listen(socket, port)
	if port then
		local server, message = socket.bind("127.0.0.1", port)
		return server, not server and ("port %d: %s"):format(port, message) or nil
	end
	return socket.bind("127.0.0.1", PORT) or socket.bind("127.0.0.1", 0)
end

local function loop(self, socket, server)
	self.connections = { server }
	server:settimeout(0)
	start_run(self)
	while not (self.options.once and self.served) do
		serve_all(self, socket, server)
		finish_run(self)
		if not self.options.once and not is_same(read_all(self.files), self.contents) then
			stop_run(self)
			start_run(self)
		end
	end
end

---@class scree.WatchCommand
---@field scene string
---@field port integer? 0: any that is free
---@field once boolean? ends when the page of the first run has been fetched
---@field seconds number?
---@field every integer?
---@field arrows integer?

--- Watches a scene until it is interrupted.
---@param options scree.WatchCommand
---@param arguments string[] the scene's
---@return integer code
---@return string? message
function watch.run(options, arguments)
	local found, socket = pcall(require, "socket")
	if not found then
		return 1, "scree watch needs LuaSocket (Debian's package lua-socket)"
	end
	local possible, why = require("scree.replay").is_possible()
	if not possible then
		return 1, why
	elseif not read(options.scene) then
		return 1, options.scene .. ": cannot be read"
	end
	local server, message = listen(socket, options.port)
	if not server then
		return 1, message
	end
	local folder = os.tmpname()
	os.remove(folder)
	os.execute("mkdir " .. quote(folder))
	local _, port = server:getsockname()
	print(("watching %s: http://127.0.0.1:%d/"):format(options.scene, port))
	io.stdout:flush()
	local self = { options = options, arguments = arguments, all_folders = folder, run = 0, files = { options.scene } }
	local ok, reason = pcall(loop, self, socket, server)
	stop_run(self)
	server:close()
	os.execute("rm -rf " .. quote(folder))
	if ok or tostring(reason):find "interrupted" then
		return 0
	end
	return 1, tostring(reason)
end

return watch
