-- Random documents of cc.pretty at random widths.

local pretty = require("cc.pretty")

local state = 777
local function random(limit)
    state = (state * 1103515245 + 12345) % 2147483648
    return math.floor(state / 65536) % limit
end

local document
local leaves = {
    function() return pretty.text(("abcdefgh"):sub(1, 1 + random(8))) end,
    function() return pretty.line end,
    function() return pretty.space_line end,
    function() return pretty.text("x\ny") end,
}
local branches = {
    function(depth) return pretty.nest(1 + random(3), document(depth)) end,
    function(depth) return pretty.group(document(depth)) end,
    function(depth) return pretty.group(document(depth)) end,
    function(depth)
        local parts = {}
        for index = 1, 2 + random(3) do parts[index] = document(depth) end
        return pretty.concat(table.unpack(parts))
    end,
    function(depth) return document(depth) .. document(depth) end,
}

function document(depth)
    local choice = random(depth > 0 and #leaves + #branches or #leaves)
    if choice < #leaves then return leaves[choice + 1]() end
    return branches[choice - #leaves + 1](depth - 1)
end

local ribbons = { 0.3, 0.8, 1 }
for round = 1, 600 do
    local width, ribbon = 5 + random(30), ribbons[1 + random(4)]
    print(round, width, ribbon, "\n" .. pretty.render(document(6), width, ribbon):gsub(" ", "."))
end
