-- Writes PNG files without any library. The picture is stored, not compressed, so files are large: about three bytes a
-- pixel. After the PNG specification (ISO/IEC 15948), RFC 1950 and RFC 1951.

local bit = require "bit"
local ffi = require "ffi"

local band, bxor, rshift = bit.band, bit.bxor, bit.rshift

local M = {}

local crc_table = ffi.new "int32_t[256]"
for n = 0, 255 do
	local c = n
	for _ = 1, 8 do
		c = bxor(rshift(c, 1), band(c, 1) ~= 0 and 0xEDB88320 or 0)
	end
	crc_table[n] = c
end

local function big_endian(n)
	return string.char(band(rshift(n, 24), 255), band(rshift(n, 16), 255), band(rshift(n, 8), 255), band(n, 255))
end

function M.crc32(text)
	local c = -1
	for i = 1, #text do
		c = bxor(rshift(c, 8), crc_table[band(bxor(c, text:byte(i)), 255)])
	end
	return bit.bnot(c)
end

local function chunk(kind, data)
	return big_endian(#data) .. kind .. data .. big_endian(M.crc32(kind .. data))
end

local function adler32(text)
	local a, b = 1, 0
	for i = 1, #text do
		a = (a + text:byte(i)) % 65521
		b = (b + a) % 65521
	end
	return bit.bor(bit.lshift(b, 16), a)
end

local BLOCK = 65535 -- most bytes of a stored block

-- A zlib stream of stored blocks.
local function stored(text)
	local pieces = { "\120\1" }
	for first = 1, #text, BLOCK do
		local piece = text:sub(first, first + BLOCK - 1)
		local n, last = #piece, first + BLOCK > #text
		pieces[#pieces + 1] = string.char(last and 1 or 0, n % 256, rshift(n, 8), 255 - n % 256, 255 - rshift(n, 8))
		pieces[#pieces + 1] = piece
	end
	pieces[#pieces + 1] = big_endian(adler32(text))
	return table.concat(pieces)
end

--- A PNG of 8-bit red, green and blue.
---@param rgb ffi.cdata* uint8_t, 3 * width * height, from the upper left, row after row
---@return string
function M.encode(width, height, rgb)
	local rows = {}
	for y = 0, height - 1 do
		rows[y + 1] = "\0" .. ffi.string(rgb + 3 * width * y, 3 * width)
	end
	return "\137PNG\r\n\26\n"
		.. chunk("IHDR", big_endian(width) .. big_endian(height) .. "\8\2\0\0\0")
		.. chunk("IDAT", stored(table.concat(rows)))
		.. chunk("IEND", "")
end

--- Writes the picture to a file: true, or nil and a message.
function M.write(path, width, height, rgb)
	local file, message = io.open(path, "wb")
	if not file then
		return nil, message
	end
	local ok, reason = file:write(M.encode(width, height, rgb))
	local closed, why = file:close()
	if not (ok and closed) then
		return nil, reason or why
	end
	return true
end

return M
