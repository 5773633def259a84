-- Records what a computer shows: lines that scroll away go to a log, the screen itself to a file.

local files = ...

local LOG, SCREEN = "/.harness/output.log", "/.harness/screen.txt"

local width, height = term.getSize()
local buffer = window.create(term.current(), 1, 1, width, height, false)
local changed = true

local screen = { terminal = {} }

local function line(y)
    -- Spaces alone: a tab or a carriage return is a character like others on a screen.
    return (buffer.getLine(y):gsub(" +$", "")) .. "\n"
end

for name, method in pairs(buffer) do
    screen.terminal[name] = method
end
for _, name in ipairs({ "write", "blit", "clear", "clearLine" }) do
    screen.terminal[name] = function(...)
        changed = true
        return buffer[name](...)
    end
end
function screen.terminal.scroll(count)
    changed = true
    local gone = {}
    for y = 1, math.min(count, height) do
        gone[#gone + 1] = line(y)
    end
    files.write(LOG, "ab", table.concat(gone))
    return buffer.scroll(count)
end

--- Moves the last screen of the boot before this one to the log; tells how long the log then is.
---@return number
function screen.begin()
    if fs.exists(SCREEN) then
        files.write(LOG, "ab", files.read(SCREEN) or "")
        fs.delete(SCREEN)
    end
    return fs.exists(LOG) and fs.getSize(LOG) or 0
end

--- Writes the screen to its file, where it has changed.
function screen.keep()
    if not changed then
        return
    end
    changed = false
    local lines, last = {}, 0
    for y = 1, height do
        lines[y] = line(y)
        if lines[y] ~= "\n" then
            last = y
        end
    end
    files.write(SCREEN, "wb", table.concat(lines, "", 1, last))
end

--- Describes the screen: the cursor in the first line, then three lines for each of its own, as `term.blit` takes them.
---@return string
function screen.describe()
    local x, y = buffer.getCursorPos()
    local lines = { ("%d %d"):format(x, y) }
    for line_number = 1, height do
        for _, line_of in ipairs({ buffer.getLine(line_number) }) do
            lines[#lines + 1] = line_of
        end
    end
    return table.concat(lines, "\n")
end

return screen
