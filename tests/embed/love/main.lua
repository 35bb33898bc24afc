-- love tests/embed/love shot.png: says "a scene" if the picture shows sky above and ground below, and things on it.

local kinds = { sky = 0, grass = 0, rock = 0, wood = 0, stone = 0, other = 0 }

local function kind_of(r, g, b)
	local high, low = math.max(r, g, b), math.min(r, g, b)
	if b == high and b > 0.75 then
		return "sky"
	elseif g == high and g > 1.25 * r and g > 1.25 * b then
		return "grass"
	elseif high < 0.25 and high - low < 0.05 then
		return "stone"
	elseif r == high and r > 1.3 * b and r > 1.2 * g then
		return "wood"
	elseif high - low < 0.12 then
		return "rock"
	end
	return "other"
end

function love.load(words)
	local file = assert(io.open(words[1], "rb"))
	local image = love.image.newImageData(love.filesystem.newFileData(file:read "*a", "shot.png"))
	file:close()
	local width, height = image:getDimensions()
	local high = 0 -- sky in the upper half
	for y = 0, height - 1 do
		for x = 0, width - 1 do
			local kind = kind_of(image:getPixel(x, y))
			kinds[kind] = kinds[kind] + 1
			high = high + (kind == "sky" and y < height / 2 and 1 or 0)
		end
	end
	local share = {}
	for kind, count in pairs(kinds) do
		share[kind] = count / (width * height)
		print(("%s %.4f"):format(kind, share[kind]))
	end
	local is_scene = share.sky > 0.02 and high == kinds.sky and share.grass > 0.2 and share.rock > 0.05
		and share.wood > 0.003 and share.stone > 0.0005
	print(is_scene and "a scene" or "not what was to be drawn")
	love.event.quit(is_scene and 0 or 1)
end
