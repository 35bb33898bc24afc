-- Runs the programs whose paths are given, one after the other, each under a heading: `meson compile -C build bench`.
for i = 1, #arg do
	print(("== %s"):format(arg[i]:match "([^/]+)$"))
	io.flush()
	local code = os.execute(("'%s'"):format(arg[i]:gsub("'", "'\\''")))
	if code ~= 0 and code ~= true then
		io.stderr:write(("%s failed\n"):format(arg[i]))
		os.exit(1)
	end
end
