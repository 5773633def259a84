-- cc.image.nft: parsing and drawing.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

--- Prints the rows of a window: text, text colours, backgrounds.
local function show_window(window, rows)
    for y = 1, rows do
        local text, foreground, background = window.getLine(y)
        print(("[%s] %s %s"):format(text, foreground, background))
    end
end

local nft = require("cc.image.nft")
for _, text in ipairs({ "", "plain", "\30eon red", "\31ered text", "\30e\31bboth\30fnone", "a\nb", "\n", "\30e" }) do
    for _, line in ipairs(nft.parse(text)) do print(("%q"):format(line.text), line.foreground, line.background) end
    print("--")
end
local w = window.create(term.current(), 1, 1, 8, 3, false)
nft.draw(nft.parse("\30eab\31bcd\nx"), 2, 2, w)
show_window(w, 3)
print(nft.load("none"))
try("parse", nft.parse)
try("draw", nft.draw, {}, 1)
