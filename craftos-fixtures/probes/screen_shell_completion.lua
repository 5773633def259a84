-- Completion at the prompt of the shell.

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

local shell_driver = drive(30, 5, "shell")
for char in ("labe"):gmatch(".") do shell_driver.send("char", char) end
shell_driver.show("offered", true)
shell_driver.send("key", keys.tab, false)
shell_driver.show("taken", true)
shell_driver.send("key", keys.down, false)
shell_driver.show("next", true)
shell_driver.send("key", keys.right, false)
shell_driver.show("taken", true)
shell_driver.send("key", keys.enter, false)
shell_driver.show("run")
