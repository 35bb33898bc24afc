-- A scene drawn by LÖVE (https://love2d.org), in three dimensions.
--
--   love examples/love [scene.lua] [--shot shot.png seconds]
--
-- The scene is a script as examples/embed/scene.lua is: called with "host" it returns a world, and a function of the
-- time that is called before each frame. Drag to turn, wheel to come nearer, escape to end. With --shot a picture is
-- taken at that time of the world and the program ends.

local scree = require "scree"
local view = require "view"

local scene = {}
local turn, rise, distance = 0.6, 0.45, 26

local function read_arguments(words)
	local options, i = {}, 1
	while i <= #words do
		if words[i] == "--shot" then
			options.shot, options.at = words[i + 1], tonumber(words[i + 2])
			if not options.at then
				error "--shot needs a file and a time in seconds"
			end
			i = i + 2
		else
			options.path = words[i]
		end
		i = i + 1
	end
	return options
end

function love.load(words)
	scene.options = read_arguments(words)
	local path = scene.options.path or love.filesystem.getSource() .. "/../embed/scene.lua"
	scene.world, scene.update = assert(loadfile(path))("host")
	assert(scene.world, path .. " returned no world")
	scene.view = view.new(scene.world)
	scene.alpha = 0
end

function love.update(dt)
	if scene.options.shot then
		dt = 1 / 60 -- the same picture on a slow machine
	end
	if scene.update then
		scene.update(scene.world.time)
	end
	scene.alpha = scene.world:advance(dt)
end

local function save(image)
	local file = assert(io.open(scene.options.shot, "wb"))
	file:write(image:encode("png"):getString())
	file:close()
	love.event.quit()
end

function love.draw()
	love.graphics.clear(0.68, 0.78, 0.9)
	local target = scree.vec3(0, 1.5, 0)
	local flat = distance * math.cos(rise)
	local eye = target + { flat * math.sin(turn), distance * math.sin(rise), flat * math.cos(turn) }
	scene.view:draw(scene.alpha, eye, target)
	local options, stats = scene.options, scene.world.stats
	love.graphics.print(("%d awake, %d asleep, %.2f ms a step"):format(stats.awake, stats.asleep, stats.step_ms), 8, 8)
	if options.shot and scene.world.time >= options.at and not scene.is_saving then
		scene.is_saving = true
		love.graphics.captureScreenshot(save)
	end
end

function love.mousemoved(_, _, dx, dy)
	if love.mouse.isDown(1) then
		turn, rise = turn - 0.01 * dx, math.max(-0.2, math.min(1.5, rise + 0.01 * dy))
	end
end

function love.wheelmoved(_, y)
	distance = math.max(4, math.min(200, distance * 0.9 ^ y))
end

function love.keypressed(key)
	if key == "escape" then
		love.event.quit()
	end
end
