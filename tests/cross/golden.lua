-- The golden hashes where the test runner cannot go, such as under emulation.
--
--   luajit tests/cross/golden.lua [NAME...]        exit code 1 when one differs

local here = arg[0]:match "^(.*)[/\\]" or "."
package.path = here .. "/../lua/?.lua;" .. package.path

local scenes = require "scenes"
local golden = require "golden_hashes"

local passed, failed = 0, 0
for _, name in ipairs(#arg > 0 and arg or scenes.names) do
	for threads = 1, 2 do
		local got = scenes.run(name, threads)
		if got == golden[name] then
			passed = passed + 1
		else
			failed = failed + 1
			print(("%s, %d threads: %s, not %s"):format(name, threads, got, golden[name]))
		end
	end
end
print(("%s: %d passed, %d failed"):format(jit.arch, passed, failed))
os.exit(failed == 0 and 0 or 1)
