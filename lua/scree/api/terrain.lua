-- Terrain, regions and materials.

local raise = require "scree.raise"
local types = require "scree.api.types"
raise.own()

local choice, list, map, record = types.choice, types.list, types.map, types.record

local EDIT = { { "edit", "Edit" } }
local BOX = { { "min", "cells" }, { "max", "cells" } }
local ANY_BOX = { { "min?", "cells", "without a box: all of it" }, { "max?", "cells" } }
local CELL = { { "x", "integer" }, { "y", "integer" }, { "z", "integer" } }

local function with(first, ...)
	local result = { unpack(first) }
	for _, value in ipairs { ... } do
		result[#result + 1] = value
	end
	return result
end

local SHOWN = {
	{ "material", "string" }, { "occupancy", "number", "0 to 1; 0 for air alone" }, { "water", "number", "0 to 1" },
}
local SET = with(CELL, { "material", "material" }, { "occupancy?", "fraction", "1; 0 makes air" },
	{ "water?", "fraction", "0" })

local terrain = {
	name = "Terrain",
	variable = "terrain",
	page = "terrain.md",
	doc = "`world.terrain`: the ground. Cells are whole numbers, boxes of cells include both ends; fills work in metres.",
	properties = types.properties {
		{ "version", "integer", "counts edits" },
		{ "bounds?", "Bounds", "in cells; nil: empty" },
		{ "bytes", "number", "" },
		{ "cell_size", "number", "m" },
		{ "undo_budget", "number", "bytes that what can be undone may take; the oldest goes first", write = "not_negative" },
		{ "undo_stats", "UndoStats", "" },
		{ "detach", "boolean", "what edits cut off from every anchor becomes an assembly in the next step", write = true },
		{ "small_pieces", "SmallPieces", "what becomes of pieces of few cells", write = true },
		{ "anchors", list(list "vec3"), "{min, max} of cells" },
		{ "valid", "boolean", "false once its world is destroyed; never raises" },
	},
	functions = types.functions {
		{ "get", "A cell.", args = CELL, returns = SHOWN },
		{
			"set", "Sets a cell. `\"water\"` makes a cell of water as full as occupancy says.", args = SET, returns = EDIT,
		},
		{
			"read", "The cells of a box, in a new region or in one of the same size.",
			args = with(BOX, { "into?", "Region" }), returns = { { "region", "Region" } },
		},
		{ "copy", "The cells of a box in a new region.", args = BOX, returns = { { "region", "Region" } } },
		{
			"write", "Writes a region with its first cell at min; with a mask only where that is not 0 (not air).",
			args = { { "min", "cells" }, { "region", "Region" }, { "mask?", "mask" } }, returns = EDIT,
		},
		{
			"count", "Cells of each material in a box, air among them; `water` counts the cells that hold any.",
			args = BOX, returns = { { "cells", map("string", "integer") } },
		},
		{
			"matter", "Matter of each material in a box, in full cells.", args = BOX,
			returns = { { "cells", map("string", "number") } },
		},
		{
			"replace", "Turns one material of a box into another.",
			args = with(BOX, { "from", "solid" }, { "to", "material", "not water" }), returns = EDIT,
		},
		{ "clear", "Removes everything, water too.", returns = EDIT },
		{ "fill_ball", "Fills or digs a ball.", args = { { "options", "FillBall" } }, returns = EDIT },
		{ "fill_box", "Fills or digs a box.", args = { { "options", "FillBox" } }, returns = EDIT },
		{ "fill_cylinder", "Fills or digs a cylinder along y.", args = { { "options", "FillCylinder" } }, returns = EDIT },
		{
			"fill_wedge", "Fills or digs a wedge: full height at +z, none at -z.", args = { { "options", "FillBox" } },
			returns = EDIT,
		},
		{
			"smooth", "Moves the surface in a ball towards its average; planes stay.", args = { { "options", "Smooth" } },
			returns = EDIT,
		},
		{ "grow", "Moves the surface in a ball outwards, or inwards.", args = { { "options", "Grow" } }, returns = EDIT },
		{
			"fill_heightmap", "Ground under a grid of heights.", file = "seldom", args = { { "options", "Heightmap" } },
			returns = { { "result", "HeightmapEdit" } },
		},
		{
			"generate", "Ground from a function of x and z.", args = { { "options", "Generate" } },
			returns = { { "result", "HeightmapEdit" } },
		},
		{
			"import", "Reads a file into the terrain, by its extension.", file = true,
			args = { { "path", "path" }, { "opts?", types.either("VoxOptions", "BlockOptions", "MeshOptions", "Heightmap") } },
			returns = { { "info", types.either("VoxInfo", "BlockInfo", "MeshInfo", "HeightmapEdit") } },
		},
		{
			"export", "Writes the surface (`.obj .stl .ply .glb`) or the cells (`.vox`).", file = true, writes = true,
			args = with({ { "path", "path" } }, unpack(ANY_BOX)), returns = { { "info", "ExportInfo" } },
		},
		{
			"save", "Writes all cells and the materials to a file.", file = true, writes = true,
			args = { { "path", "path" }, { "opts?", "SaveOptions" } }, returns = { { "done", "named_true" } },
		},
		{
			"load", "Replaces all cells by those of a file, as one edit.", file = true,
			args = { { "path", "path" }, { "opts?", "TerrainLoadOptions" } }, returns = { { "info", "LoadInfo" } },
		},
		{ "dig", "Digs a ball, soft materials before hard ones.", args = { { "options", "Dig" } }, returns = EDIT },
		{ "anchor", "Declares that the cells of a box hold what hangs together with them.", args = BOX },
		{ "clear_anchors", "Forgets all anchors: the lowest layer holds again." },
		{
			"detach_all", "Lets everything come off that no anchor holds, at once.", returns = { { "pieces", list "Assembly" } },
		},
		{
			"begin_undo", "Begins a group of edits that are undone together.", args = { { "name?", "undo_name" } },
		},
		{
			"undo", "Takes back the last group.",
			returns = { { "name", "undone", "true: it has no name; false: nothing to undo" } },
		},
		{
			"redo", "Makes the edits of the group undone last once more.",
			returns = { { "name", "undone", "true: it has no name; false: nothing to redo" } },
		},
		{
			"changes", "What changed since a version.", args = { { "since", "count" } },
			returns = {
				{ "version", "integer", "now" }, { "boxes", list(list "vec3"), "{min, max} of cells, which hold every change" },
			},
		},
		{
			"raycast", "The ground alone on the way from one point to another.",
			args = { { "from", "vector" }, { "to", "vector" }, { "opts?", "TerrainQueryOptions" } },
			returns = { { "hit?", "Hit" } },
		},
		{
			"is_inside", "Whether a point is in the ground, and whether in water.", args = { { "point", "vector" } },
			returns = { { "solid", "boolean" }, { "water", "boolean" } },
		},
		{
			"to_cell", "The cell that holds a point.", args = { { "point", "vector" } },
			returns = { { "x", "integer" }, { "y", "integer" }, { "z", "integer" } },
		},
		{ "cell_center", "The centre of a cell, m.", args = CELL, returns = { { "point", "vec3" } } },
		{
			"mesh", "The surface as triangles: all of it, closed, or what a box of cells owns of it.",
			args = ANY_BOX, returns = { { "mesh", "Mesh" } },
		},
	},
}

local region = {
	name = "Region",
	variable = "region",
	page = "terrain.md#boxes-of-cells",
	doc = "A block of cells in Lua's own memory. Its buffers have the index x + size.x * (z + size.z * y) from 0 and are "
		.. "not checked.",
	properties = types.properties {
		{ "size", "vec3", "cells" },
		{ "material", "bytes", "places in `world.materials:names()`, from 0" },
		{ "occupancy", "bytes", "v of a solid cell means (v + 1) / 256" },
		{ "water", "bytes", "w means w / 255" },
	},
	functions = types.functions {
		{ "get", "The cell at x, y, z, counted from 0.", args = CELL, returns = SHOWN },
		{ "set", "Sets the cell at x, y, z.", args = SET },
		{
			"rotated", "A copy turned about y by quarter turns, counter-clockwise seen from above.",
			args = { { "turns?", "integer", "1" } }, returns = { { "region", "Region" } },
		},
		{
			"mirrored", "A copy with one axis turned over.", args = { { "axis", choice("x", "y", "z") } },
			returns = { { "region", "Region" } },
		},
	},
}

local materials = {
	name = "Materials",
	variable = "materials",
	page = "manual.md#materials",
	doc = "`world.materials`: reading a name gives a copy (nil for an unknown one), assigning a table changes the given "
		.. "fields or, with a density, adds a material.",
	index = { "string", "Material" },
	properties = {},
	functions = types.functions {
		{ "names", "The names of all materials in the order of their bytes.", returns = { { "names", list "string" } } },
	},
}

local PLACE = {
	{ "position?", "vector", "its centre, m" }, { "center?", "vector", "another name for position" },
	{ "material?", "material", "`\"air\"` digs, `\"water\"` fills what is not solid; `\"remove\"` needs none" },
	{ "mode?", "mode", "`\"set\"`" },
}
local LAYERED = {
	{ "cell?", "positive", "m between samples; the world's cell_size" },
	{ "bottom?", "not_negative", "m of ground under the lowest height, 8" }, { "material?", "solid", "`\"rock\"`" },
	{ "layers?", list "Layer", "instead of material: up to eight, from the surface down" },
	{ "scale?", "number", "heights are multiplied by it, 1" },
	{ "mode?", "mode", "`\"set\"`" },
}
local FIRST_CELL = {
	{ "at?", "cells", "cell that the file's origin goes to, `{0, 0, 0}`" },
	{ "position?", "vector", "instead of at: a point, m" },
}
local EXTENT = { { "min", "vec3", "of what was written" }, { "max", "vec3" } }

local records = {
	record { "FillBall", "A ball.", options = true, fields = with(PLACE, { "radius", "positive", "m" }) },
	record {
		"FillBox", "A box or a wedge.", options = true,
		fields = with(PLACE, { "size", "size", "full lengths, m" }, { "rotation?", "rotation" }),
	},
	record {
		"FillCylinder", "A cylinder.", options = true,
		fields = with(PLACE, { "radius", "positive", "m" }, { "height?", "positive", "m, along y" },
			{ "length?", "positive", "another name for height" }, { "rotation?", "rotation" }),
	},
	record {
		"Smooth", "What `smooth` takes.", options = true,
		fields = {
			{ "center?", "vector" }, { "position?", "vector", "another name for center" }, { "radius", "positive", "m" },
			{ "strength", "fraction" },
		},
	},
	record {
		"Grow", "What `grow` takes.", options = true,
		fields = {
			{ "center?", "vector" }, { "position?", "vector", "another name for center" }, { "radius", "positive", "m" },
			{ "strength", "number", "m outwards; negative: inwards" }, { "material?", "solid", "the nearest" },
		},
	},
	record {
		"Dig", "What `dig` takes.", options = true,
		fields = {
			{ "center?", "vector", "m" }, { "position?", "vector", "another name for center" }, { "radius", "positive", "m" },
			{ "strength", "positive", "of a material of hardness h, 1 - h / strength of the ball is taken" },
		},
	},
	record {
		"SmallPieces", "`terrain.small_pieces`; what is left out when assigning stays.", options = true,
		fields = {
			{ "cells?", "small_cells", "pieces of fewer cells are small" },
			{ "fate?", "fate", "they get one hull, or vanish" },
		},
	},
	record {
		"Heightmap", "What `fill_heightmap` takes: path, or heights with width and depth.", options = true,
		fields = with(LAYERED, { "path?", "path", "`.png .hgt .r16`" },
			{ "heights?", "heights", "m, row after row along x; NaN is a hole" }, { "width?", "count", "samples along x" },
			{ "depth?", "count", "samples along z" }, { "position?", "vector", "ground point of the first sample at height 0" },
			{ "min?", "number", "of `.png`: m that black stands for, 0; `.hgt` and `.r16` are metres already" },
			{ "max?", "number", "of `.png`: m that white stands for, 100" }),
	},
	record {
		"Generate", "What `generate` takes.", options = true,
		fields = with(LAYERED, { "min", "pair", "m" }, { "max", "pair", "m" }, { "height", "height_function" }),
	},
	record {
		"Layer", "A layer of ground.", options = true,
		fields = {
			{ "material", "solid" }, { "depth?", "positive", "m below the surface that it reaches; not of the last one" },
		},
	},
	record {
		"TerrainQueryOptions", "What `terrain:raycast` takes.", options = true,
		fields = { { "water?", "boolean", "false" }, { "inside?", "boolean", "true" } },
	},
	record {
		"VoxOptions", "What `import` of `.vox` takes.", options = true,
		fields = with(FIRST_CELL, { "hidden?", "boolean", "also hidden layers and nodes, false" },
			{ "materials?", map("integer", "solid"), "colour index to material; others become vox_rrggbb" }),
	},
	record {
		"BlockOptions", "What `import` of `.schem .schematic .mts` takes.", options = true,
		fields = with(FIRST_CELL, { "materials?", map("string", "material"), "block, by name or number, to material" },
			{ "clear?", "boolean", "the file's air clears what is there, false" }),
	},
	record {
		"MeshOptions", "What `import` of `.obj .stl .ply .glb .gltf` takes.", options = true,
		fields = {
			{ "position?", "vector", "where the file's origin goes, m" }, { "rotation?", "rotation" },
			{ "scale?", "scale", "m for a unit of the file, 1" }, { "material?", "material", "`\"rock\"`" },
			{ "materials?", map("string", "solid"), "of the file, by name or number, to material; others get `material`" },
			{ "mode?", "mode", "`\"set\"`" },
			{ "shell?", "positive", "m: a wall about the triangles instead of a filled inside" },
		},
	},
	record {
		"TerrainLoadOptions", "What `terrain:load` takes.", options = true,
		fields = { { "materials?", choice("file", "world"), "whose properties win, `\"file\"`" } },
	},
	record {
		"Material", "A material's values; what a new one does not give is what is written here.", options = true,
		fields = {
			{ "density?", "positive", "kg/m³" }, { "friction?", "not_negative", "0.6; a pair uses sqrt(a b)" },
			{ "restitution?", "fraction", "0.1; a pair uses the larger" }, { "rolling?", "not_negative", "0" },
			{ "hardness?", "not_negative", "1" }, { "blockiness?", "fraction", "0: smooth; 1: exact cubes" },
			{ "color?", "color", "0x808080" },
		},
	},
	record {
		"Edit", "What an edit took and gave, in cells of matter.",
		fields = { { "removed", map("string", "number") }, { "added", map("string", "number") } },
	},
	record {
		"HeightmapEdit", "An Edit, and what the heights were.", from = "Edit",
		fields = {
			{ "voids", "integer", "samples that are holes" }, { "width", "integer" }, { "depth", "integer" },
			{ "min", "number", "lowest height, m" }, { "max", "number" },
		},
	},
	record {
		"VoxInfo", "An Edit, and what was in the file.", from = "Edit",
		fields = with(EXTENT, { "cells", "integer", "written" }, { "models", "integer" }, { "instances", "integer" },
			{ "hidden_instances", "integer", "skipped" }, { "dropped", "integer", "voxels outside their model's size" },
			{ "overlaps", "integer", "voxels laid over another instance's" },
			{ "merged_colors", "integer", "colours that found no room in the table of materials" }),
	},
	record {
		"BlockInfo", "An Edit, and what was in the file.", from = "Edit",
		fields = with(EXTENT, { "cells", "integer", "made solid" }, { "air", "integer", "in the file" },
			{ "water", "integer", "made water" },
			{ "unknown", "integer", "cells of blocks that became a material of their own" },
			{ "skipped", "integer", "that the file says are not to be placed" }, { "size", "vec3", "of the schematic" },
			{ "merged", "integer", "blocks that found no room in the table of materials and became rock" },
			{ "blocks", map("string", "integer"), "cells of each kind of block" }),
	},
	record {
		"MeshInfo", "An Edit, and what was in the file.", from = "Edit",
		fields = with(EXTENT, { "triangles", "integer" }, { "vertices", "integer" },
			{ "skipped", "integer", "triangles with an index or a corner that is none" },
			{ "closed", "boolean", "every edge is used an even number of times" }, { "open_edges", "integer" },
			{ "crowded_edges", "integer", "of more than two triangles" }, { "volume", "number", "m³ between the triangles" },
			{ "materials", list "MeshMaterial", "of the file, by their numbers" }),
	},
	record {
		"MeshMaterial", "A material that a file of a mesh names.",
		fields = {
			{ "name", "string", "`usemtl` of .obj, `name` of glTF; `\"\"` without one" }, { "triangles", "integer" },
			{ "material", "string", "what they became" },
		},
	},
	record {
		"ExportInfo", "What was written.",
		fields = {
			{ "bytes", "integer", "in all files" }, { "vertex_count?", "integer", "of meshes" },
			{ "triangle_count?", "integer", "of meshes" }, { "cells?", "integer", "of .vox" },
			{ "models?", "integer", "of .vox" },
		},
	},
	record {
		"LoadInfo", "An Edit, and what was in the file.", from = "Edit",
		fields = {
			{ "cells", "integer", "that are not air" }, { "chunks", "integer" },
			{ "cell_size", "number", "m, of the world that was saved" }, { "materials_added", "integer" },
			{ "materials_changed", "integer" },
		},
	},
	record {
		"Mesh", "A surface as flat buffers.",
		fields = {
			{ "positions", "doubles", "3 a vertex, m" }, { "normals", "doubles", "3 a vertex" },
			{ "indices", "indices_out", "3 a triangle, from 0, counter-clockwise from the air" },
			{ "materials", "bytes", "one a triangle" }, { "vertex_count", "integer" }, { "triangle_count", "integer" },
		},
	},
	record {
		"Bounds", "A box of cells, also as `[1]` and `[2]`.", fields = { { "min", "vec3" }, { "max", "vec3" } },
	},
	record {
		"UndoStats", "`terrain.undo_stats`.",
		fields = {
			{ "undos", "integer", "groups" }, { "redos", "integer", "groups" }, { "bytes", "number" }, { "budget", "number" },
			{ "dropped", "integer", "groups" },
		},
	},
}

return { objects = { terrain, region, materials }, records = records }
