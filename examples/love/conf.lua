function love.conf(t)
	t.identity = "scree-example"
	t.window.title = "scree in LÖVE"
	t.window.width, t.window.height = 800, 450
	t.window.depth = 24 -- bits: LÖVE opens its window without a depth buffer otherwise
	t.window.msaa = 4
	t.modules.audio, t.modules.sound, t.modules.physics, t.modules.joystick, t.modules.video = false, false, false, false, false
end
