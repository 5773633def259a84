-- The prompt of Lua: more that may be typed.

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

for _, input in ipairs({
    "=1", "function f() end", "for i = 1, 2 do print(i) end", "return 5", "undefined_name", "nil", "error()", "1, 2, nil",
    "exit", "x = ", "if true", "local function g() end", "'a\\nb'", "{}", "{ {}, { 1 } }", "#'abc'", "print", "(function() error('deep') end)()",
    "t = setmetatable({}, { __tostring = function() return 'shown' end }) ; t", "t", "-1", "not true", "goto x", "break", "...", "  ", "",
    "coroutine.yield()", "string.format('%d', 'x')", "textutils.urlEncode('a b')", "assert(false)", "assert(nil, 'message')", "5 5", "a.b.c",
}) do
    local lua = drive(40, 9, "lua")
    lua:type(input)
    if input ~= "print" then lua.show(input, true) end
end
