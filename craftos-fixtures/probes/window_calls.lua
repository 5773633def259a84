-- What a window asks of its parent, call by call.

local calls
local current = term.current()
local parent = {}
for name, method in pairs(current) do
    parent[name] = function(...)
        local words = table.pack(...)
        for index = 1, words.n do words[index] = tostring(words[index]) end
        calls[#calls + 1] = name .. "(" .. table.concat(words, ",") .. ")"
        if name == "getPaletteColour" then return 0.5, 0.25, 0.125 end
        if name == "getSize" then return 30, 10 end
        if name:find("^get") or name:find("^is") then return method(...) end
    end
end

local w
local function show(label, fn, ...)
    calls = {}
    local ok, problem = pcall(fn, ...)
    local shown, palettes = {}, 0
    for _, call in ipairs(calls) do
        if call:find("Palette") then palettes = palettes + 1 else shown[#shown + 1] = call end
    end
    -- Asking for the mode of the screen is the emulator's own.
    local text = table.concat(shown, " "):gsub("getGraphicsMode%(%) ?", "")
    print(label, ok, problem, text, palettes)
end

show("create", function() w = window.create(parent, 3, 2, 6, 4) end)
show("create hidden", function() window.create(parent, 3, 2, 6, 4, false) end)
show("write", w.write, "abc")
show("write past the edge", w.write, "abcdefgh")
show("write outside", w.write, "x")
w.setCursorPos(-1, 2)
show("write from the left", w.write, "abcd")
w.setCursorPos(1, 9)
show("write below", w.write, "x")
w.setCursorPos(1, 1)
show("write nothing", w.write, "")
show("write a row", w.write, "abcdef")
w.setCursorPos(1, 2)
show("blit", w.blit, "ab", "01", "ef")
show("cursor", w.setCursorPos, 2, 2)
show("cursor outside", w.setCursorPos, 20, 2)
show("blink", w.setCursorBlink, true)
show("text colour", w.setTextColor, 2)
show("background", w.setBackgroundColor, 4)
show("palette", w.setPaletteColor, 1, 0.1, 0.2, 0.3)
show("clear", w.clear)
show("clear a line", w.clearLine)
show("scroll", w.scroll, 1)
show("scroll nothing", w.scroll, 0)
show("redraw", w.redraw)
show("restore", w.restoreCursor)
show("hide", w.setVisible, false)
show("write hidden", w.write, "q")
show("redraw hidden", w.redraw)
show("restore hidden", w.restoreCursor)
show("show", w.setVisible, true)
show("show again", w.setVisible, true)
show("move", w.reposition, 1, 1)
show("resize", w.reposition, 2, 2, 4, 2)
show("size", w.getSize)
show("colours", w.isColor)
