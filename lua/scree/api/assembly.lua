-- Assemblies and their parts.

local raise = require "scree.raise"
local types = require "scree.api.types"
raise.own()

local choice, list, record = types.choice, types.list, types.record

local YIELDS = { { "dynamic", "boolean", "false: static or kinematic, so it does not give way" } }

local assembly = {
	name = "Assembly",
	variable = "assembly",
	page = "bodies.md",
	doc = "A rigid thing of one or more parts. One live assembly is one Lua value.",
	properties = types.properties {
		{ "position", "vec3", "m, of its origin", write = "vector" },
		{ "rotation", "quat", "", write = "rotation" },
		{ "velocity", "vec3", "m/s, of the centre of mass", write = "vector" },
		{ "angular_velocity", "vec3", "rad/s", write = "vector" },
		{ "mass", "number", "kg; assigning scales the inertia", write = "positive" },
		{ "center_of_mass", "vec3", "world point; assigning moves nothing but the centre", write = "vector" },
		{ "inertia", "vec3", "kg m² about the centre: the diagonal, in its own axes", write = "inertia" },
		{ "motion", "motion", "", write = true },
		{ "gravity_scale", "number", "", write = true },
		{ "can_sleep", "boolean", "", write = true },
		{
			"sleep_limits", "SleepLimits", "its own limits; those that it has not are the world's", write = true,
			clears = true,
		},
		{ "bullet", "boolean", "swept against dynamic things too", write = true },
		{ "tag?", "any", "whatever the script keeps with it", write = true, clears = true },
		{ "parts", list "Part", "their surfaces can be written: `a.parts[1].friction = 0.1`" },
		{ "state", choice("awake", "checking", "asleep"), "" },
		{ "submerged", "number", "share of its volume under water, 0 to 1" },
		{ "net_impulse", "vec3", "N s over the last step, gravity included" },
		{ "net_angular_impulse", "vec3", "N m s over the last step" },
		{ "is_piece", "boolean", "it came off the terrain" },
		{ "id", "number", "a whole number" },
		{ "world", "World", "" },
		{ "valid", "boolean", "false once destroyed; never raises" },
	},
	functions = types.functions {
		{
			"apply_force", "A force during the next step; several add up.",
			args = { { "force", "vector", "N" }, { "at?", "vector", "world point; the centre of mass" } }, returns = YIELDS,
		},
		{
			"apply_impulse", "An impulse at once.",
			args = { { "impulse", "vector", "N s" }, { "at?", "vector", "world point; the centre of mass" } }, returns = YIELDS,
		},
		{ "apply_torque", "A torque during the next step.", args = { { "torque", "vector", "N m" } }, returns = YIELDS },
		{
			"apply_angular_impulse", "An angular impulse at once.", args = { { "impulse", "vector", "N m s" } },
			returns = YIELDS,
		},
		{
			"move_to", "Kinematic only: the velocities that bring it there in dt seconds, after which it stops.",
			args = { { "position", "vector" }, { "rotation?", "rotation", "its own" }, { "dt?", "positive", "s, 1/60" } },
		},
		{ "wake", "Wakes it." },
		{ "sleep", "Puts it to sleep where it is, until something wakes it." },
		{ "destroy", "Ends it, and its joints." },
		{
			"count", "Cells of each material that a piece of terrain has.",
			returns = { { "cells", types.map("string", "integer") } },
		},
		{
			"matter", "Matter of each material that a piece of terrain has, in full cells.",
			returns = { { "cells", types.map("string", "number") } },
		},
		{
			"to_terrain", "Makes a piece terrain again where it is, and destroys it.", returns = { { "edit", "Edit" } },
		},
		{
			"to_world", "A point of its frame in the world.", args = { { "point", "vector" } },
			returns = { { "point", "vec3" } },
		},
		{
			"to_local", "A world point in its frame.", args = { { "point", "vector" } }, returns = { { "point", "vec3" } },
		},
		{
			"velocity_at", "The velocity of its matter at a world point.", args = { { "point", "vector" } },
			returns = { { "velocity", "vec3", "m/s" } },
		},
		{
			"bounds", "The box around it, in the world's axes.", returns = { { "min", "vec3" }, { "max", "vec3" } },
		},
		{
			"inertia_tensor", "The inertia about the centre in its axes: nine numbers, row after row, kg m².",
			returns = {
				{ "xx", "number" }, { "xy", "number" }, { "xz", "number" }, { "yx", "number" }, { "yy", "number" },
				{ "yz", "number" }, { "zx", "number" }, { "zy", "number" }, { "zz", "number" },
			},
		},
		{
			"contacts", "What it touches; a generic `for` may also call the list.", returns = { { "contacts", list "Contact" } },
		},
		{
			"joints", "The joints that hold it; a generic `for` may also call the list.",
			returns = { { "joints", list "Joint" } },
		},
		{
			"mechanism", "The assemblies that joints tie to it, itself among them.",
			returns = { { "assemblies", list "Assembly" } },
		},
		{
			"part_mesh", "The triangles of a part that is a hull or a mesh, in its frame; each has three corners of its own.",
			args = { { "part", "index" } }, returns = { { "mesh", "Mesh" } },
		},
		{ "why_awake", "In words: why it does not sleep, or that it does.", returns = { { "reason", "string" } } },
	},
}

-- What a part, an assembly's defaults for parts, and a part that is read have in common.
local SHAPE = {
	{ "shape?", "any_shape" }, { "size?", "size", "box, wedge: full lengths, m" },
	{ "radius?", "positive", "ball, capsule, cylinder, cone; m" },
	{ "length?", "positive", "m along y. capsule: between the centres of its ends; cylinder, cone: the whole" },
	{ "points?", list "vector", "hull: at least four" },
	{ "path?", "path", "mesh: `.obj .stl .ply .glb .gltf`" },
	{ "vertices?", "vertices", "mesh without path" },
	{ "indices?", "indices", "mesh without path: three a triangle, from 1 in lists (unless one is 0), from 0 in arrays" },
	{ "scale?", "scale", "mesh, 1" },
}
local SURFACE = {
	{ "material?", "solid", "`\"rock\"`" }, { "group?", "group", "`\"default\"`" },
	{ "collides_with?", "groups", "`\"all\"`" }, { "density?", "positive", "kg/m³; the material's" },
	{ "friction?", "not_negative", "the material's" }, { "restitution?", "fraction", "the material's" },
	{ "rolling?", "not_negative", "the material's" },
}

local function joined(...)
	local result = {}
	for _, group in ipairs { ... } do
		for _, field in ipairs(group) do
			result[#result + 1] = field
		end
	end
	return result
end

local records = {
	record {
		"PartOptions", "A part as it is given to `spawn`.", options = true,
		fields = joined(SHAPE, {
			{ "position?", "vector", "m, in the assembly's frame" }, { "rotation?", "rotation" },
		}, SURFACE),
	},
	record {
		"SpawnOptions", "What `world:spawn` takes: one shape, or parts; then surface values are the parts' defaults.",
		options = true,
		fields = joined({ { "parts?", list "PartOptions", "instead of shape and its dimensions" } }, SHAPE, {
			{ "position?", "vector", "m, `{0, 0, 0}`" }, { "rotation?", "rotation" }, { "velocity?", "vector", "m/s" },
			{ "angular_velocity?", "vector", "rad/s" },
			{ "motion?", "motion", "`\"dynamic\"`; `\"static\"` where there is a mesh" }, { "bullet?", "boolean", "false" },
			{ "gravity_scale?", "number", "1" }, { "can_sleep?", "boolean", "true" },
			{ "mass?", "positive", "kg, instead of the parts'" },
			{ "center_of_mass?", "vector", "in the assembly's frame, instead of the parts'" },
			{ "inertia?", "inertia", "kg m² about the centre, in its axes" }, { "tag?", "any" },
		}, SURFACE),
	},
	record {
		"Part", "A part of `assembly.parts`. Its surface (material and below) can be assigned, its shape and place cannot.",
		fields = {
			{ "shape", "any_shape" }, { "size?", "vec3", "box, wedge; m" }, { "radius?", "number", "m" },
			{ "length?", "number", "m" }, { "points?", list "vec3", "hull" },
			{ "mesh?", "PartMesh", "what was made of a mesh" }, { "position", "vec3" }, { "rotation", "quat" },
			{ "material", "solid" }, { "group", "group" }, { "collides_with", "groups" },
			{ "density", "number", "kg/m³; nil is the material's" }, { "friction", "number", "nil is the material's" },
			{ "restitution", "number", "nil is the material's" }, { "rolling", "number", "nil is the material's" },
		},
	},
	record {
		"PartMesh", "`part.mesh`: what was made of the triangles.",
		fields = {
			{ "triangles", "integer", "kept" }, { "vertices", "integer", "kept, after those at one place were made one" },
			{ "dropped", "integer", "triangles without area" },
			{ "open_edges", "integer", "along which no other triangle runs the other way" },
			{ "closed", "boolean", "the surface of a solid: it has an inside" }, { "volume", "number", "m³, of a closed one" },
			{ "bytes", "integer", "vertices, triangles and tree" }, { "bytes_per_triangle", "number" },
			{ "min", "vec3", "in the part's frame" }, { "max", "vec3" },
		},
	},
	record {
		"SleepLimits", "`assembly.sleep_limits`; see Sleep.", options = true,
		fields = {
			{ "linear?", "not_negative", "m/s" }, { "angular?", "not_negative", "m/s" },
			{ "balance?", "not_negative", "m/s²" }, { "wake?", "not_negative", "m/s" },
		},
	},
	record {
		"Contact", "What one part touches.",
		fields = {
			{ "other?", "Assembly", "nil: the ground" }, { "terrain", "boolean" }, { "part", "integer", "its own, from 1" },
			{ "other_part?", "integer" }, { "material", "string", "of the other side" },
			{ "normal", "vec3", "from the other towards this assembly" }, { "points", list "ContactPoint" },
		},
	},
	record {
		"ContactPoint", "A point of a contact.",
		fields = {
			{ "position", "vec3" }, { "separation", "number", "m; negative: they overlap" },
			{ "impulse", "number", "N s along the normal, over the last step" },
		},
	},
}

return { objects = { assembly }, records = records }
