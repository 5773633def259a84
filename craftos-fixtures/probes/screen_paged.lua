-- Tables and texts that are longer than the screen.

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

local cells = {}
for index = 1, 30 do cells[index] = "cell" .. index end
local function paged(label, height, start, action)
    local screen = window.create(term.current(), 1, 1, 30, height, false)
    local previous = term.redirect(screen)
    local current = screen
    term.setCursorPos(1, start)
    local task = coroutine.create(action)
    local result
    repeat
        term.redirect(current)
        result = table.pack(coroutine.resume(task, "key", keys.space, false))
        current = term.redirect(previous)
        local rows = {}
        for y = 1, height do rows[y] = screen.getLine(y):gsub(" +$", "") end
        print(label, coroutine.status(task), table.concat(rows, " | "))
    until coroutine.status(task) == "dead"
    print(tostring(result[2]))
end
paged("cells", 5, 1, function() textutils.pagedTabulate(cells) end)
paged("cells lower", 5, 4, function() textutils.pagedTabulate(cells) end)
paged("rows", 5, 1, function() textutils.pagedTabulate({ "a" }, { "b" }, { "c" }, { "d" }, { "e" }, { "f" }) end)
paged("mixed", 5, 1, function() textutils.pagedTabulate(colors.red, { "a" }, cells, { "z" }) end)
paged("text", 4, 1, function() return textutils.pagedPrint("1\n2\n3\n4\n5\n6\n7") end)
paged("text lower", 4, 3, function() return textutils.pagedPrint("1\n2\n3\n4\n5\n6\n7", 2) end)
