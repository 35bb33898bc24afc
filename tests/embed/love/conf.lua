function love.conf(t)
	t.identity = "scree-test"
	t.modules.window, t.modules.graphics, t.modules.audio, t.modules.sound = false, false, false, false
	t.modules.joystick, t.modules.physics, t.modules.video = false, false, false
end
