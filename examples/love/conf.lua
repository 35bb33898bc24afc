function love.conf(t)
	t.identity = "scree-example"
	t.window.title = "scree in LÖVE"
	t.window.width, t.window.height = 800, 450
	t.window.depth = 24 -- bits: LÖVE opens its window without a depth buffer otherwise
	t.window.msaa = 4
	for _, name in ipairs { "audio", "sound", "physics", "joystick", "video" } do
		t.modules[name] = false
	end
end
