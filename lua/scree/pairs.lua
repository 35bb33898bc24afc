-- pairs for the module's own loops. LuaJIT before April 2022, which Debian 12 has, sometimes compiles next() to code
-- that cuts an address to 32 bits and crashes (LuaJIT issue 829). There, what goes over a table by its keys is not
-- compiled.

local AFFECTED = jit.version:find("beta", 1, true) ~= nil

if not AFFECTED then
	return pairs
end

local function step(t, key)
	return next(t, key)
end
jit.off(step)

return function(t)
	if type(t) ~= "table" then
		error(("bad argument #1 to 'pairs' (table expected, got %s)"):format(t == nil and "no value" or type(t)), 2)
	end
	return step, t, nil
end
