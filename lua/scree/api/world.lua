-- The module itself and worlds.

local raise = require "scree.raise"
local types = require "scree.api.types"
raise.own()

local choice, list, record = types.choice, types.list, types.record

local module = {
	name = "scree",
	page = "manual.md",
	doc = "The module: `local scree = require \"scree\"`. Its mathematics has the same bits on every machine.",
	properties = types.properties {
		{ "version", "string", "`\"0.1.0\"`" },
	},
	functions = types.functions {
		{ "world", "Makes a world.", args = { { "options?", "WorldOptions" } }, returns = { { "world", "World" } } },
		{
			"load", "A world from a file that `world:save` wrote.", file = true,
			args = { { "path", "path" }, { "opts?", "LoadOptions" } }, returns = { { "world", "World" } },
		},
		{
			"vec3", "A vector from three numbers, or from what is a vector already.",
			args = { { "x", types.either("number", "vector") }, { "y?", "number" }, { "z?", "number" } },
			returns = { { "vector", "vec3" } },
		},
		{
			"quat", "A rotation from four numbers, which are normalised, or from what is a rotation already.",
			args = {
				{ "x", types.either("number", "rotation") }, { "y?", "number" }, { "z?", "number" }, { "w?", "number" },
			},
			returns = { { "rotation", "quat" } },
		},
		{
			"axis_angle", "The turn about an axis (of any length), counter-clockwise seen from its tip.",
			args = { { "axis", "vector" }, { "radians", "number" } }, returns = { { "rotation", "quat" } },
		},
		{
			"euler", "The turn by z about Z, then by y about Y, then by x about X; radians.",
			args = { { "x", "number" }, { "y", "number" }, { "z", "number" } }, returns = { { "rotation", "quat" } },
		},
		{ "sin", "Sine.", args = { { "x", "number", "rad" } }, returns = { { "y", "number" } } },
		{ "cos", "Cosine.", args = { { "x", "number", "rad" } }, returns = { { "y", "number" } } },
		{ "tan", "Tangent.", args = { { "x", "number", "rad" } }, returns = { { "y", "number" } } },
		{ "asin", "Arc sine.", args = { { "x", "share" } }, returns = { { "radians", "number" } } },
		{ "acos", "Arc cosine.", args = { { "x", "share" } }, returns = { { "radians", "number" } } },
		{
			"atan", "Arc tangent of y / x.", args = { { "y", "finite" }, { "x?", "finite", "1" } },
			returns = { { "radians", "number" } },
		},
		{
			"atan2", "The angle of the point (x, y), from -pi to pi.", args = { { "y", "finite" }, { "x", "finite" } },
			returns = { { "radians", "number" } },
		},
		{ "exp", "e to the power x.", args = { { "x", "finite" } }, returns = { { "y", "number" } } },
		{ "log", "Natural logarithm.", args = { { "x", "positive" } }, returns = { { "y", "number" } } },
		{
			"pow", "x to the power y; a negative x wants a whole y.", args = { { "x", "finite" }, { "y", "finite" } },
			returns = { { "z", "number" } },
		},
		{ "sqrt", "Square root.", args = { { "x", "not_negative" } }, returns = { { "y", "number" } } },
	},
}

local world = {
	name = "World",
	variable = "world",
	page = "manual.md#world",
	doc = "Terrain, assemblies, joints and time. One that nobody holds is collected with everything in it.",
	properties = types.properties {
		{ "gravity", "vec3", "m/s²", write = "vector" },
		{ "sleep", "Sleep", "a copy; assign a table of what is to change", write = "Sleep" },
		{ "time", "number", "s" },
		{ "step_count", "integer", "steps made" },
		{ "stats", "Stats", "counts, bytes and milliseconds" },
		{ "terrain", "Terrain", "its ground" },
		{ "materials", "Materials", "its materials, by name" },
		{ "cell_size", "number", "metres a cell of terrain" },
		{ "substeps", "integer", "solver steps within a step" },
		{ "threads", "integer", "as it was made with" },
		{ "seed", "integer", "as it was made with; feeds nothing" },
		{ "narrowphase", choice("lattice", "kdtree"), "as it was made with" },
		{ "broadphase", choice("bits", "boxes"), "as it was made with" },
		{ "collider_budget", "integer", "bytes" },
		{ "snapshot_budget", "integer", "bytes" },
		{ "valid", "boolean", "false once destroyed; never raises" },
	},
	functions = types.functions {
		{
			"step", "Makes steps. Not from inside an event handler.",
			args = { { "dt?", "not_negative", "s, 1/60; at most 60, 0 changes nothing" }, { "count?", "count", "1" } },
		},
		{ "run", "As many steps of 1/60 s as come nearest to a time.", args = { { "seconds", "not_negative" } } },
		{
			"settle", "Steps until everything dynamic sleeps.", args = { { "max_seconds", "not_negative" } },
			returns = { { "seconds?", "number", "the time it took; nil: not everything sleeps yet" } },
		},
		{
			"advance", "For render loops: the whole steps that a frame owes, at most 8.",
			args = { { "real_dt", "not_negative", "s" } },
			returns = { { "alpha", "number", "the fraction of a step that is left over, under 1" } },
		},
		{
			"spawn", "Makes an assembly. Only what is wrong with the file of a mesh is nil, message.", file = "seldom",
			args = { { "options", "SpawnOptions" } }, returns = { { "assembly", "Assembly" } },
		},
		{
			"joint", "Ties two assemblies, or one to the world.", args = { { "options", "JointOptions" } },
			returns = { { "joint", "Joint" } },
		},
		{
			"assemblies", "All assemblies in order of creation; not those made during the loop.",
			returns = { { "iterator", "assemblies" } },
		},
		{
			"joints", "All joints that hold, in order of creation; not those made during the loop.",
			returns = { { "iterator", "joints" } },
		},
		{
			"mechanisms", "The groups of assemblies that joints tie together; a generic `for` may also call the list.",
			returns = { { "groups", list(list "Assembly") } },
		},
		{
			"raycast", "The first thing on the way from one point to another.",
			args = { { "from", "vector" }, { "to", "vector" }, { "opts?", "QueryOptions" } }, returns = { { "hit?", "Hit" } },
		},
		{
			"raycast_all", "Everything on the way, nearest first.",
			args = { { "from", "vector" }, { "to", "vector" }, { "opts?", "QueryOptions" } },
			returns = { { "hits", list "Hit" } },
		},
		{
			"cast", "The first thing that a moving shape touches. The shape's own position is added to both points.",
			args = {
				{ "shape", types.either("QueryShape", "Compound") }, { "from", "vector" }, { "to", "vector" },
				{ "opts?", "QueryOptions" },
			},
			returns = { { "hit?", "Hit" } },
		},
		{
			"overlap", "What a placed shape overlaps.",
			args = {
				{ "shape", types.either("QueryShape", "Compound") }, { "position", "vector" }, { "opts?", "QueryOptions" },
			},
			returns = {
				{ "assemblies", list "Assembly" }, { "terrain", "boolean", "whether it meets the ground" },
				{ "water", "boolean", "whether it meets water; only asked for with `water = true`" },
			},
		},
		{
			"raycasts", "n rays at once, without garbage. The numbers in the buffers are not checked.",
			args = {
				{ "n", "count" }, { "from", "doubles", "3 n" }, { "to", "doubles", "3 n" },
				{ "fractions", "doubles", "n; receives the fraction of each hit, 2 for none" }, { "opts?", "QueryOptions" },
			},
		},
		{
			"transforms", "Where everything is, for renderers: 8 doubles an assembly (id, position, rotation).",
			args = { { "alpha?", "fraction", "1: now; 0: at the start of the last step" } },
			returns = { { "buffer", "doubles", "read-only, until the next call or step" }, { "count", "integer" } },
		},
		{
			"events", "The last step's events, or those of one kind.", args = { { "kind?", "event_kind" } },
			returns = { { "iterator", "events" }, { "turn", "count", "what a `for` hands the iterator" } },
		},
		{
			"on", "Calls a function after every step for each event of a kind. It may create and destroy, but not step.",
			args = { { "kind", "event_kind" }, { "fn", "handler" } }, returns = { { "disconnect", "stop" } },
		},
		{
			"blast", "Digs by hardness and pushes dynamic assemblies away, less with the distance.",
			args = { { "options", "Blast" } }, returns = { { "result", "BlastEdit" } },
		},
		{ "snapshot", "The world's whole state, for restore.", returns = { { "snapshot", "string" } } },
		{
			"restore", "Back to a snapshot: from there everything happens again, bit for bit.", file = true,
			args = { { "snapshot", "string" } }, returns = { { "done", "named_true" } },
		},
		{ "hash", "16 hexadecimal digits over all simulated state.", returns = { { "digits", "string" } } },
		{
			"save", "Writes the whole world to a file, for `scree.load`.", file = true, writes = true,
			args = { { "path", "path" }, { "opts?", "SaveOptions" } }, returns = { { "done", "named_true" } },
		},
		{
			"render", "Writes a picture of the world into a PNG file.", file = true, writes = true,
			args = { { "path", "path" }, { "opts?", "RenderOptions" } }, returns = { { "done", "named_true" } },
		},
		{ "destroy", "Ends the world and all that is in it." },
	},
}

local records = {
	record {
		"Blast", "What `blast` takes. At the distance d, (1 - d / radius)² is left of strength and impulse.", options = true,
		fields = {
			{ "position?", "vector", "m" }, { "center?", "vector", "another name for position" },
			{ "radius", "positive", "m, at which nothing is felt any more" },
			{ "strength?", "not_negative", "0; takes terrain of less hardness" },
			{ "impulse?", "not_negative", "0; N s that an assembly at the centre gets" },
		},
	},
	record {
		"BlastEdit", "An Edit, and what was pushed.", from = "Edit", fields = { { "assemblies", list "Assembly" } },
	},
	record {
		"WorldOptions", "What `scree.world` takes.", options = true,
		fields = {
			{ "gravity?", "vector", "m/s², `{0, -9.81, 0}`" },
			{ "cell_size?", "positive", "metres, 1; from 0.001 to 1000" },
			{ "substeps?", "threads", "4" },
			{ "threads?", "threads", "1; the result is the same for any number" },
			{ "seed?", "integer", "0" },
			{ "sleep?", "Sleep" },
			{ "narrowphase?", choice("lattice", "kdtree"), "how terrain triangles are found; the results are the same" },
			{ "broadphase?", choice("bits", "boxes"), "how contacts with terrain are found; boxes are for comparison" },
			{ "collider_budget?", "count", "bytes of terrain colliders kept from step to step, 2^28" },
			{ "snapshot_budget?", "count", "bytes of terrain kept as it was at snapshots, 2^28" },
		},
	},
	record {
		"Sleep", "When assemblies fall asleep.", options = true,
		fields = {
			{ "enabled?", "boolean", "true" },
			{ "rule?", choice("impulse", "velocity"), "by the balance of each assembly, or of speeds alone and in groups" },
			{ "linear?", "not_negative", "m/s: below it an assembly may fall asleep, 0.09" },
			{ "angular?", "not_negative", "m/s at the surface of its bounding ball, 0.12" },
			{ "time?", "not_negative", "s that it must stay below both, 0.5" },
			{ "balance?", "not_negative", "m/s²: a mean acceleration above it is a net force, 0.02" },
			{ "wake?", "not_negative", "m/s: a sleeper whose neighbours would make it faster wakes, 0.02" },
		},
	},
	record {
		"LoadOptions", "What `scree.load` takes.", options = true,
		fields = { { "threads?", "threads", "as many as were saved" } },
	},
	record {
		"SaveOptions", "What `save` takes.", options = true,
		fields = { { "level?", "level", "of compression: 1 is fast, 19 small; 6" } },
	},
	record {
		"RenderOptions", "What `render` takes.", options = true,
		fields = {
			{ "size?", "pixels", "`{640, 360}`; up to 8192" },
			{ "from?", "vector", "where it is taken from; so that what moves is in it" },
			{ "look?", "vector", "what it looks at" },
			{ "fov?", "positive", "rad between the upper and the lower edge, 0.7; under 3.1" },
			{ "samples?", "samples", "rays a pixel, 4" },
			{ "sun?", "vector", "towards it; from behind the left shoulder" },
			{ "colors?", types.either(choice("material", "assembly", "shape", "state"), "color_function"), "`\"material\"`" },
			{ "joints?", "boolean", "draws ropes, rods and springs, true" },
		},
	},
	record {
		"Stats", "`world.stats`.",
		fields = {
			{ "assemblies", "integer" }, { "awake", "integer" }, { "checking", "integer" }, { "asleep", "integer" },
			{ "static", "integer" }, { "kinematic", "integer" }, { "joints", "integer", "that hold" },
			{ "contacts", "integer" }, { "points", "integer", "of contacts" }, { "step_ms", "number", "of the last step" },
			{ "bytes", "number", "the world's memory" },
			{ "stages", types.map("string", "number"), "ms by stage of the last step" },
			{ "terrain", "TerrainStats" },
		},
	},
	record {
		"TerrainStats", "`world.stats.terrain`.",
		fields = {
			{ "chunks", "integer", "of 32³ cells" }, { "records", "integer", "of blocks of 8³ cells" },
			{ "colliders", "integer", "blocks with triangles" }, { "triangles", "integer" }, { "mesh_bytes", "number" },
			{ "index_bytes", "number" }, { "record_bytes", "number" }, { "cells", "number", "that are not air" },
			{ "bytes", "number" }, { "undos", "integer", "groups that can be undone" },
			{ "redos", "integer", "groups that can be redone" }, { "undo_bytes", "number" },
			{ "contacts", "integer", "of parts with blocks, open" },
			{ "water_contacts", "integer", "of parts with water, open" },
			{ "tested", "integer", "contacts tested with triangles in the last step" },
			{ "refused", "integer", "by the bits of blocks whose box was met, in the last step" },
			{ "points", "integer", "made in the last step" }, { "opened", "integer", "contacts since the start" },
			{ "barren", "integer", "contacts since the start that never had a point" },
		},
	},
	record {
		"QueryOptions", "What rays, casts and overlaps take.", options = true,
		fields = {
			{ "ignore?", "ignored" },
			{ "group?", "groups", "only parts of these groups; an unknown name is an error" },
			{ "terrain?", "boolean", "true" },
			{ "water?", "boolean", "false" }, { "dynamic?", "boolean", "true" }, { "assemblies?", "boolean", "true" },
			{ "inside?", "boolean", "true; false: a solid that holds the start is left unhindered" },
		},
	},
	record {
		"QueryShape", "A convex shape for a query.", options = true,
		fields = {
			{ "shape", "convex" }, { "size?", "size", "box, wedge: full lengths, m" },
			{ "radius?", "positive", "ball, capsule, cylinder, cone; m" },
			{ "length?", "positive", "capsule, cylinder, cone; m" },
			{ "points?", list "vector", "hull" }, { "position?", "vector" }, { "rotation?", "rotation" },
		},
	},
	record {
		"Compound", "Several shapes that move as one in a query.", options = true,
		fields = { { "parts", list "QueryShape" }, { "position?", "vector" }, { "rotation?", "rotation" } },
	},
	record {
		"Hit", "What a query met. Its vectors are made when they are read: `pairs` does not show them.",
		fields = {
			{ "position", "vec3" },
			{ "normal", "vec3", "of length 0 where inside" },
			{ "distance", "number", "m" },
			{ "fraction", "number", "0 to 1" },
			{ "assembly?", "Assembly", "nil: ground or water" },
			{ "part?", "integer", "from 1" },
			{ "material", "string" },
			{ "cell?", "vec3", "of ground and water" }, { "terrain", "boolean" }, { "water", "boolean" },
			{ "inside", "boolean", "the query starts inside: fraction and distance are 0" },
		},
	},
	record {
		"Event", "What happened in a step. An assembly in it may have been destroyed since.",
		fields = {
			{ "kind", "event_kind" }, { "a?", "Assembly", "contacts, hits, breaks" },
			{ "b?", "Assembly", "the same; nil where terrain, or the world" }, { "terrain?", "boolean", "contacts, hits" },
			{ "part_a?", "integer", "contacts, hits; from 1" }, { "part_b?", "integer" },
			{ "position?", "vec3", "hit, joint_break, detach" }, { "normal?", "vec3", "hit: from a to b" },
			{ "speed?", "number", "hit, m/s" }, { "impulse?", "number", "hit: of the whole blow; joint_break; N s" },
			{ "joint?", "Joint", "joint_break" },
			{ "assembly?", "Assembly", "sleep, wake, water_enter, water_exit, detach" },
			{ "reason?", "string", "sleep, wake" }, { "cells?", "integer", "detach" },
			{ "cause?", choice("edit", "dig", "blast", "detach_all"), "detach" },
		},
	},
}

return { objects = { module, world }, records = records }
