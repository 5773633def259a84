-- The editor: colours, typing, the menu, saving.

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

local file = fs.open("edited.lua", "w")
file.write("local x = 'hi' -- comment\nprint(x)\n\n  if true then end\n")
file.close()
local editor = drive(30, 6, "edit edited.lua")
editor.show("start", true)
editor.send("key", keys.down, false)
editor.send("key", keys["end"], false)
editor.show("moved")
editor.send("char", "z")
editor.send("key", keys.enter, false)
editor.send("key", keys.tab, false)
editor.show("typed")
editor.send("key", keys.backspace, false)
editor.show("deleted")
editor.send("key", keys.leftCtrl, false)
editor.show("menu", true)
editor.send("key", keys.right, false)
editor.show("next")
editor.send("key", keys.left, false)
editor.send("key", keys.enter, false)
editor.show("saved", true)
editor.send("mouse_click", 1, 5, 2)
editor.show("clicked")
editor.send("key", keys.leftCtrl, false)
editor.send("char", "e")
editor.show("left")
local saved = fs.open("edited.lua", "r")
print((("%q"):format(saved.readAll()):gsub("\n", "n")))
saved.close()
fs.delete("edited.lua")
drive(30, 4, "edit new_file").show("new", true)
