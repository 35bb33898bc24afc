-- Random scenes that come to rest (random_rest.lua): nothing sleeps that moves once it is woken, and nothing stays
-- awake where everything is at rest. With SCREE_SOAK set a thousand of them, of which a few may be as odd as nature:
-- what is wedged or balances on an edge may slip when it is woken.

local lu = require "luaunit"
local random_rest = require "random_rest"

local TestSleepRandom = {}

local COUNT, SOAK = 40, 1000
local ODD = 0.03 -- of all scenes, in a soak

function TestSleepRandom.testScenes()
	local soak = os.getenv "SCREE_SOAK"
	local faults, sum = random_rest.check_all(1, soak and SOAK or COUNT, soak and print)
	lu.assertTrue(sum.tried > 0.8 * sum.bodies, "too few came to rest")
	local text = ("%d of %d: %s"):format(sum.faulty, sum.scenes, table.concat(faults, "\n"))
	lu.assertTrue(sum.faulty <= (soak and ODD * SOAK or 0), text)
end

return { TestSleepRandom = TestSleepRandom }
