-- Files that tests make, read and take away again.

local files = {}

--- What stands in the file, as bytes; nil if there is none that can be read.
function files.read(path)
	local file = io.open(path, "rb")
	if not file then
		return nil
	end
	local bytes = file:read "*a"
	file:close()
	return bytes
end

--- Makes the file, or writes it anew.
function files.write(path, bytes)
	local file = assert(io.open(path, "wb"))
	file:write(bytes)
	file:close()
end

--- Calls fn(path) with a path of its own that ends in `ending`; what is there afterwards goes, and so do files of the
--- same name with the other given endings.
function files.with(ending, fn, ...)
	local base = os.tmpname()
	local ok, message = pcall(fn, base .. ending)
	for _, name in ipairs { "", ending, ... } do
		os.remove(base .. name)
	end
	if not ok then
		error(message, 0)
	end
end

--- The same with a file that holds the given bytes.
function files.holding(ending, bytes, fn)
	files.with(ending, function(path)
		files.write(path, bytes)
		fn(path)
	end)
end

return files
