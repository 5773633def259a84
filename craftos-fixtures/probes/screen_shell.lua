-- The shell on a screen: the prompt, commands, errors, history.

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

local shell_driver = drive(30, 8, "shell")
shell_driver.show("start", true)
shell_driver:type("id")
shell_driver.show("id")
shell_driver:type("nonsense")
shell_driver.show("no such program", true)
shell_driver:type("cd rom")
shell_driver.show("cd", true)
shell_driver.send("key", keys.up, false)
shell_driver.show("history")
shell_driver.send("key", keys.up, false)
shell_driver.show("history")
shell_driver.send("key", keys.enter, false)
shell_driver.show("again")
shell_driver:type("exit")
shell_driver.show("exit")
