-- Chromium without a window, driven by ChromeDriver (the WebDriver protocol of the W3C: JSON over HTTP).

local process = require "process"

local browser = {}
browser.__index = browser

local PROGRAMS = { "chromium", "chromedriver" }
local TRIES, PAUSE = 400, 0.05

local function optional(name)
	local found, module = pcall(require, name)
	return found and module or nil
end

local socket, http, ltn12, json = optional "socket", optional "socket.http", optional "ltn12", optional "cjson"

--- What is missing, or nil.
---@return string?
function browser.missing()
	if not (socket and http and ltn12) then
		return "lua-socket"
	elseif not json then
		return "lua-cjson"
	end
	for _, program in ipairs(PROGRAMS) do
		if os.execute(("command -v %s >/dev/null 2>&1"):format(program)) ~= 0 then
			return program
		end
	end
	return nil
end

local function request(self, method, path, body)
	local chunks = {}
	local text = body and json.encode(body)
	http.TIMEOUT = 60
	local done, code = http.request {
		url = self.url .. path, method = method, sink = ltn12.sink.table(chunks),
		source = text and ltn12.source.string(text),
		headers = { ["content-type"] = "application/json", ["content-length"] = text and #text or 0 },
	}
	local answer = table.concat(chunks)
	local value = done and answer ~= "" and json.decode(answer).value
	if not done or code ~= 200 then
		local why = type(value) == "table" and value.message or answer ~= "" and answer or tostring(code)
		error(("browser: %s %s: %s"):format(method, path, why), 2)
	end
	return value
end

-- A port that is free now.
local function free_port()
	local server = assert(socket.bind("127.0.0.1", 0))
	local _, port = server:getsockname()
	server:close()
	return port
end

--- Starts a browser; its window has the given size.
function browser.start(width, height)
	local port = free_port()
	local self = setmetatable({ url = "http://127.0.0.1:" .. port, folder = process.new_folder() }, browser)
	local pid_path = self.folder .. "/pid"
	os.execute(("HOME=%s chromedriver --port=%d >%s/log 2>&1 & echo $! >%s"):format(process.quote(self.folder), port,
		process.quote(self.folder), process.quote(pid_path)))
	self.pid = process.read(pid_path):match "%d+"
	for try = 1, TRIES do
		local ready, status = pcall(request, self, "GET", "/status")
		if ready and status.ready then
			break
		elseif try == TRIES then
			error("browser: chromedriver does not answer: " .. process.read(self.folder .. "/log"))
		end
		socket.sleep(PAUSE)
	end
	local arguments = { "--headless=new", "--no-sandbox", "--hide-scrollbars", "--disable-dev-shm-usage",
		"--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
		("--window-size=%d,%d"):format(width, height) }
	local session = request(self, "POST", "/session", { capabilities = { alwaysMatch = {
		browserName = "chrome", ["goog:chromeOptions"] = { args = arguments },
		["goog:loggingPrefs"] = { browser = "ALL" },
	} } })
	self.url = self.url .. "/session/" .. session.sessionId
	request(self, "POST", "/timeouts", { script = 30000 })
	return self
end

function browser:open(url)
	request(self, "POST", "/url", { url = url })
end

--- Runs the body of a JavaScript function with the given arguments; waits for a promise that it returns.
function browser:run(script, ...)
	local arguments = select("#", ...) > 0 and { ... } or { 0 } -- an empty table would be an object
	local value = request(self, "POST", "/execute/sync", { script = script, args = arguments })
	return value ~= json.null and value or nil
end

--- Waits until an expression is true.
function browser:wait(expression, tries)
	for _ = 1, tries or TRIES do
		if self:run("return Boolean(" .. expression .. ")") then
			return
		end
		socket.sleep(PAUSE)
	end
	error("browser: never true: " .. expression)
end

--- A click at a place of the window.
function browser:click(x, y)
	request(self, "POST", "/actions", { actions = { {
		type = "pointer", id = "mouse", parameters = { pointerType = "mouse" },
		actions = {
			{ type = "pointerMove", duration = 0, x = math.floor(x + 0.5), y = math.floor(y + 0.5), origin = "viewport" },
			{ type = "pointerDown", button = 0 }, { type = "pointerUp", button = 0 },
		},
	} } })
end

--- Presses and releases a key, named as in the protocol.
function browser:key(key)
	request(self, "POST", "/actions", { actions = { {
		type = "key", id = "keys", actions = { { type = "keyDown", value = key }, { type = "keyUp", value = key } },
	} } })
end

--- The window as a PNG file in base64.
function browser:screenshot()
	return request(self, "GET", "/screenshot")
end

--- Messages of the console since the last call.
---@return { level: string, message: string }[]
function browser:console()
	return request(self, "POST", "/se/log", { type = "browser" })
end

function browser:stop()
	pcall(request, self, "DELETE", "")
	os.execute("kill " .. self.pid .. " 2>/dev/null")
	process.remove_folder(self.folder)
end

return browser
