-- Vectors, rotations and regression tests.

local raise = require "scree.raise"
local types = require "scree.api.types"
raise.own()

local record = types.record
local OTHER = { { "other", "vec3_operand" } }

local vec3 = {
	name = "vec3",
	variable = "v",
	page = "manual.md#conventions",
	doc = "Three numbers that cannot be changed. Operators: + - * / (also by a number, or component by component), "
		.. "unary -, ==.",
	operators = {
		{ "add", "scree.vec3|number[]", "scree.vec3" }, { "sub", "scree.vec3|number[]", "scree.vec3" },
		{ "mul", "number|scree.vec3", "scree.vec3" }, { "div", "number|scree.vec3", "scree.vec3" },
		{ "unm", nil, "scree.vec3" },
	},
	properties = types.properties {
		{ "x", "number", "also `v[1]`" }, { "y", "number", "also `v[2]`" }, { "z", "number", "also `v[3]`" },
	},
	functions = types.functions {
		{ "dot", "The scalar product.", args = OTHER, returns = { { "product", "number" } } },
		{ "cross", "The vector product.", args = OTHER, returns = { { "product", "vec3" } } },
		{ "length", "Its length.", returns = { { "length", "number" } } },
		{ "length_squared", "The square of its length.", returns = { { "square", "number" } } },
		{
			"normalized", "The vector of length 1 in its direction; a zero vector is an error.",
			returns = { { "unit", "vec3" } },
		},
		{
			"lerp", "Itself for t = 0, the other for t = 1.", args = { OTHER[1], { "t", "number" } },
			returns = { { "between", "vec3" } },
		},
		{ "distance", "How far the other is.", args = OTHER, returns = { { "distance", "number" } } },
		{ "unpack", "Its three numbers.", returns = { { "x", "number" }, { "y", "number" }, { "z", "number" } } },
	},
}

local quat = {
	name = "quat",
	variable = "q",
	page = "manual.md#conventions",
	doc = "A rotation, which cannot be changed. `q * r` turns by r first, `q * v` turns a vector.",
	operators = { { "mul", "scree.quat", "scree.quat" }, { "mul", "scree.vec3", "scree.vec3" } },
	properties = types.properties {
		{ "x", "number", "also `q[1]`" }, { "y", "number", "also `q[2]`" }, { "z", "number", "also `q[3]`" },
		{ "w", "number", "also `q[4]`" },
	},
	functions = types.functions {
		{ "inverse", "The turn back.", returns = { { "rotation", "quat" } } },
		{
			"slerp", "From itself (t = 0) to another (t = 1) the short way at even speed.",
			args = { { "b", "rotation" }, { "t", "number" } }, returns = { { "rotation", "quat" } },
		},
		{ "rotate", "A vector turned, as q * v.", args = { { "v", "vector" } }, returns = { { "vector", "vec3" } } },
		{
			"axis_angle", "Axis of length 1 and angle from 0 to pi.", returns = { { "axis", "vec3" }, { "radians", "number" } },
		},
		{
			"euler", "The angles that scree.euler makes it from.",
			returns = { { "x", "number" }, { "y", "number" }, { "z", "number" } },
		},
		{
			"unpack", "Its four numbers.",
			returns = { { "x", "number" }, { "y", "number" }, { "z", "number" }, { "w", "number" } },
		},
	},
}

local golden = {
	name = "golden",
	page = "testing.md",
	doc = "Regression tests: `local golden = require \"scree.golden\"`.",
	properties = types.properties {
		{
			"folder?", "path", "where traces are; nil: the folder golden beside the file that calls check", write = true,
			clears = true,
		},
		{
			"replay?", "boolean", "false: no replay pages of checks that fail, and nothing is kept for them", write = true,
			clears = true,
		},
	},
	functions = types.functions {
		{
			"check", "Compares what a world did with the stored trace of that name; raises what differs first.",
			args = { { "world", "World" }, { "name", "trace_name" }, { "tolerances?", "Tolerances", "every bit" } },
		},
		{
			"record", "Begins the world's trace anew, now.",
			args = { { "world", "World" }, { "opts?", "RecordOptions" } },
		},
		{ "is_ci", "Whether the environment forbids to update traces.", returns = { { "is_ci", "boolean" } } },
	},
}

local render = {
	name = "render",
	page = "pictures.md",
	doc = "The steps of `world:render`: `local render = require \"scree.render\"`.",
	properties = {},
	functions = types.functions {
		{
			"draw", "Draws a world.", args = { { "world", "World" }, { "opts?", "RenderOptions" } },
			returns = {
				{ "rgb", "bytes", "red, green and blue from the upper left, row after row" }, { "width", "integer" },
				{ "height", "integer" },
			},
		},
		{
			"write_png", "Writes 8-bit red, green and blue into a PNG file.", file = true, writes = true,
			args = {
				{ "path", "path" }, { "width", "side" }, { "height", "side" }, { "rgb", "bytes", "3 width height" },
			},
			returns = { { "done", "named_true" } },
		},
	},
}

local solids = {
	name = "solids",
	page = "embedding.md",
	doc = "Parts as triangles, for renderers: `local solids = require \"scree.solids\"`.",
	properties = {},
	functions = types.functions {
		{
			"mesh", "The surface of a part in its own frame; what is round gets flat pieces.",
			args = {
				{ "part", types.either("Part", "QueryShape") },
				{ "mesh?", "Mesh", "the triangles of a hull or a mesh, as `assembly:part_mesh` gives them" },
			},
			returns = { { "solid", "Solid" } },
		},
	},
}

local gltf = {
	name = "gltf",
	page = "pictures.md",
	doc = "Recordings as animations: `local gltf = require \"scree.gltf\"`.",
	properties = {},
	functions = types.functions {
		{
			"write", "Writes recordings into one .glb file: a scene and an animation for each.", file = true, writes = true,
			args = { { "recordings", "recordings", "of `scree.record`" }, { "path", "path" } },
			returns = { { "info", "GltfInfo" } },
		},
	},
}

local records = {
	record {
		"Tolerances", "What of a trace is compared, and how far off it may be.", options = true,
		fields = {
			{ "position?", "not_negative", "m" }, { "rotation?", "not_negative", "rad" },
			{ "velocity?", "not_negative", "m/s" }, { "angular_velocity?", "not_negative", "rad/s" },
		},
	},
	record {
		"Solid", "A surface of `solids.mesh`.",
		fields = {
			{ "positions", "doubles", "3 a vertex, m" }, { "normals", "doubles", "3 a vertex" },
			{ "indices", "indices_out", "3 a triangle, from 0, counter-clockwise from outside" },
			{ "vertex_count", "integer" }, { "triangle_count", "integer" },
		},
	},
	record {
		"GltfInfo", "What `gltf.write` wrote.",
		fields = {
			{ "bytes", "integer" }, { "nodes", "integer" }, { "meshes", "integer" },
			{ "seconds", "number", "of the longest recording" },
		},
	},
	record {
		"RecordOptions", "What `golden.record` takes.", options = true,
		fields = { { "every?", "count", "steps between samples; without it at most 32 samples" } },
	},
}

return { objects = { vec3, quat, golden, render, solids, gltf }, records = records }
