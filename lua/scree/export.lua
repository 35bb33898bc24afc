-- t:export: the surface as a mesh, or the cells.

local ffi = require "ffi"
local raise = require "scree.raise"
local check = require "scree.check"
local object = require "scree.object"
local bridge = require "scree.ffi"
raise.own()

local C = bridge.C

local export = {}

local WHERE = "export: "
local out = ffi.new "ScreeExport"

--- Adds export to the terrain's class. read_box reads an inclusive box of cells into min3 and max3.
function export.install(class, read_box, min3, max3)
	---@class scree.Terrain
	local methods = class.methods

	---Writes the ground, or what a box of cells holds of it, by the file's extension: .obj (with a .mtl of the colours
	---beside it), .stl, .ply, .glb: the surface that mesh() gives; .vox: the cells. nil, message when it cannot be
	---written or there is nothing to write; then an old file is as it was.
	---@param path string
	---@param min (scree.vec3|number[])?
	---@param max (scree.vec3|number[])?
	---@return scree.ExportInfo? info
	---@return string? message
	function methods.export(self, path, min, max)
		local pointer = object.alive(self, class, "export")
		check.path(path, WHERE, "path")
		local whole = min == nil and max == nil
		if not whole then
			read_box(min, max, WHERE)
		end
		local code = C.screeTerrain_Export(pointer, path, not whole and min3 or nil, not whole and max3 or nil, out)
		if code < 0 then
			return nil, bridge.failed_file(pointer, code, WHERE)
		end
		if out.models > 0 then
			return { bytes = out.bytes, cells = out.cells, models = out.models }
		end
		return { bytes = out.bytes, vertex_count = out.vertex_count, triangle_count = out.triangle_count }
	end
end

return export
