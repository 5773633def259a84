-- The viewer of long help pages.

--- Runs a command on a hidden screen and gives it events one by one.
---@return table driver with `send` and `show`
local function drive(width, height, ...)
    local screen = window.create(term.current(), 1, 1, width, height, false)
    local previous = term.redirect(screen)
    local current = screen
    local task = coroutine.create(shell.run)
    local filter
    local function resume(...)
        term.redirect(current)
        local ok, result = coroutine.resume(task, ...)
        current = term.redirect(previous)
        filter = result
        if not ok then print("failed: " .. tostring(result)) end
    end
    resume(...)
    return {
        send = function(event, ...)
            if coroutine.status(task) == "dead" then return end
            if filter == nil or filter == event or event == "terminate" then resume(event, ...) end
        end,
        show = function(label, with_colours)
            print("-- " .. label .. " (" .. coroutine.status(task) .. ")")
            for y = 1, height do
                local text, foreground, background = screen.getLine(y)
                text = text:gsub("[^%g ]", "?")
                print("[" .. text .. "]" .. (with_colours and " " .. foreground .. " " .. background or ""))
            end
            print(screen.getCursorPos())
        end,
        type = function(self, text)
            for char in text:gmatch(".") do self.send("char", char) end
            self.send("key", keys.enter, false)
        end,
    }
end

local file = fs.open("long_page.txt", "w")
for line = 1, 12 do file.write("line " .. line .. " of the page\n") end
file.close()
local lookup = help.lookup
help.lookup = function() return "long_page.txt" end
local viewer = drive(24, 6, "help long_page")
viewer.show("start", true)
viewer.send("key", keys.down, false)
viewer.show("down")
viewer.send("key", keys.pageDown, false)
viewer.show("page down")
viewer.send("key", keys["end"], false)
viewer.show("end")
viewer.send("key", keys.home, false)
viewer.show("home")
viewer.send("mouse_scroll", 1, 1, 1)
viewer.show("wheel")
help.lookup = lookup
fs.delete("long_page.txt")
