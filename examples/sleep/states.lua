-- Prints how the named assemblies of a case are doing while it runs: once a second, and whenever a state changes.
--
-- A case is a table: `title`, `right` (the right outcome), `starred` (the rule of velocities alone must fail it), and
-- `run(rule, watch)`, which gives whether the outcome was right, what it was in words, and facts. `watch(world,
-- named)`, if given, is called after every step; named is a list of { name, assembly }.

local states = {}

--- A function for `run` that prints.
function states.watcher()
	local before, printed = {}, -1
	return function(world, named)
		local words, changed = {}, false
		for i, entry in ipairs(named) do
			local name, body = entry[1], entry[2]
			local state = body.valid and body.state or "gone"
			changed = changed or before[i] ~= state
			before[i] = state
			if body.valid then
				words[i] = ("%s %s at (%.2f, %.2f, %.2f)"):format(name, state, body.position:unpack())
			else
				words[i] = name .. " gone"
			end
		end
		if changed or world.time - printed >= 0.999 then
			printed = world.time
			print(("%7.2f s  %s"):format(world.time, table.concat(words, "; ")))
		end
	end
end

--- Steps for some seconds; each(t), if given, ends the run by returning true.
function states.run(world, seconds, watch, named, each)
	for i = 1, math.floor(seconds * 60 + 0.5) do
		world:step()
		if watch then
			watch(world, named)
		end
		if each and each(i / 60) then
			return i / 60
		end
	end
end

--- Runs a case under both rules and prints its states and outcome. Returns an exit code.
function states.main(case)
	local right = true
	print(("%s: %s"):format(case.title, case.right))
	for _, rule in ipairs { "impulse", "velocity" } do
		print(("\nrule: %s"):format(rule))
		local ok, said = case.run(rule, states.watcher())
		print(("%s: %s"):format(ok and "right" or "wrong", said))
		right = right and (ok or rule == "velocity")
	end
	return right and 0 or 1
end

return states
