-- paintutils: images.

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

local image = paintutils.parseImage("01f\n e\n\nzG9")
print(#image)
for y, row in ipairs(image) do print(y, #row, table.concat(row, " ")) end
print(#paintutils.parseImage(""), #paintutils.parseImage("\n"))
local file = fs.open("probe.nfp", "w")
file.write("ab\ncd")
file.close()
local loaded = paintutils.loadImage("probe.nfp")
print(#loaded, table.concat(loaded[2], " "))
print(paintutils.loadImage("none.nfp"))
local w = window.create(term.current(), 1, 1, 5, 4, false)
local previous = term.redirect(w)
paintutils.drawImage(image, 2, 1)
term.redirect(previous)
show_window(w, 4)
fs.delete("probe.nfp")
try("parse", paintutils.parseImage)
try("draw", paintutils.drawImage, {})
