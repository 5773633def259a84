-- paint: draws images of pixels. The palette stands at the right; Ctrl saves, Q
-- with Ctrl leaves.

local arguments = { ... }
if #arguments == 0 then
    print("Usage: " .. (arg[0] or fs.getName(shell.getRunningProgram())) .. " <path>")
    return
end
if not term.isColour() then
    print("Requires an Advanced Computer")
    return
end

local path = shell.resolve(arguments[1])
if fs.isDir(path) then
    print("Cannot edit a directory.")
    return
end
if not fs.exists(path) and not path:find("%.") then
    local extension = settings.get("paint.default_extension")
    if extension and extension ~= "" then path = path .. "." .. extension end
end

local width, height = term.getSize()
local canvas_width, canvas_height = width - 2, height - 1
local image = fs.exists(path) and paintutils.loadImage(path) or {}
local left_colour, right_colour = colors.white, nil
local message = "Press Ctrl to save, Q to leave"

local function pixel(x, y)
    local value = image[y] and image[y][x]
    return value and value > 0 and value or nil
end

local function set_pixel(x, y, colour)
    image[y] = image[y] or {}
    for column = #image[y] + 1, x - 1 do image[y][column] = 0 end
    image[y][x] = colour or 0
end

local function draw_pixel(x, y)
    local colour = pixel(x, y)
    term.setCursorPos(x, y)
    term.setBackgroundColour(colour or colors.black)
    term.setTextColour(colors.gray)
    term.write(colour and " " or "\127")
end

local function draw()
    for y = 1, canvas_height do
        for x = 1, canvas_width do draw_pixel(x, y) end
    end
    for index = 0, 15 do
        term.setCursorPos(width - 1, index + 1)
        term.setBackgroundColour(2 ^ index)
        term.write("  ")
    end
    term.setCursorPos(1, height)
    term.setBackgroundColour(colors.black)
    term.setTextColour(colors.yellow)
    term.clearLine()
    term.write(message)
end

local function save()
    local rows = {}
    for y = 1, canvas_height do
        local row = {}
        for x = 1, canvas_width do
            local colour = pixel(x, y)
            row[x] = colour and colors.toBlit(colour) or " "
        end
        rows[y] = table.concat(row):gsub(" +$", "")
    end
    local handle, problem = fs.open(path, "w")
    if not handle then return false, problem end
    handle.write((table.concat(rows, "\n"):gsub("\n+$", "")) .. "\n")
    handle.close()
    return true
end

draw()
while true do
    local event, param, x, y = os.pullEvent()
    if event == "mouse_click" or event == "mouse_drag" then
        if x > canvas_width and y <= 16 then
            if param == 1 then left_colour = 2 ^ (y - 1) else right_colour = 2 ^ (y - 1) end
        elseif x <= canvas_width and y <= canvas_height then
            set_pixel(x, y, param == 1 and left_colour or right_colour)
            draw_pixel(x, y)
        end
    elseif event == "key" and (param == keys.leftCtrl or param == keys.rightCtrl) then
        local ok, problem = save()
        message = ok and "Saved to /" .. path or "Error saving: " .. tostring(problem)
        draw()
    elseif event == "key" and param == keys.q then
        require("cc.internal.event").discard_char()
        break
    elseif event == "term_resize" then
        width, height = term.getSize()
        canvas_width, canvas_height = width - 2, height - 1
        draw()
    end
end

term.setBackgroundColour(colors.black)
term.setTextColour(colors.white)
term.clear()
term.setCursorPos(1, 1)
