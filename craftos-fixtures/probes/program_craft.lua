-- The program craft, on a turtle that only writes down what it is asked.

local screen = window.create(term.current(), 1, 1, 51, 6, false)

--- Runs craft on a turtle with these functions, and prints what it asked and what it showed.
local function craft(title, functions, ...)
    local asked = {}
    _G.turtle = functions and setmetatable({}, {
        __index = function(_, name)
            local answer = functions[name]
            if answer == nil then return nil end
            return function(...)
                local words = table.pack(...)
                for index = 1, words.n do words[index] = tostring(words[index]) end
                asked[#asked + 1] = name .. "(" .. table.concat(words, ", ") .. ")"
                if type(answer) == "function" then return answer(...) end
                return table.unpack(answer)
            end
        end,
    }) or nil
    screen.clear()
    screen.setCursorPos(1, 1)
    local previous = term.redirect(screen)
    local ok = shell.run("/rom/programs/turtle/craft.lua", ...)
    term.redirect(previous)
    _G.turtle = nil
    print("-- " .. title .. ":", ok, table.concat(asked, " "))
    for row = 1, 6 do
        local text, colour = screen.getLine(row)
        if text:find("%S") then print((text:gsub(" +$", "")), colour:sub(1, 1)) end
    end
end

local works = { craft = { true }, getItemCount = { 3 }, getSelectedSlot = { 1 } }
local fails = { craft = { false, "No matching recipes" }, getItemCount = { 0 }, getSelectedSlot = { 1 } }

craft("no turtle", nil, "1")
craft("no crafting table", { getItemCount = { 0 } }, "1")
craft("no crafting table, no words", { getItemCount = { 0 } })
for _, words in ipairs({ {}, { "all" }, { "ALL" }, { "5" }, { "1" }, { "0" }, { "-1" }, { "1.5" }, { "x" }, { "64" }, { "65" }, { "5", "6" },
    { "" }, { "0x10" }, { " 7 " }, { "1e1" }, { "inf" }, { "nan" } }) do
    craft("works " .. table.concat(words, " "), works, table.unpack(words))
end
craft("fails", fails, "5")
craft("fails all", fails, "all")
craft("fails without a reason", { craft = { false }, getItemCount = { 0 }, getSelectedSlot = { 1 } }, "2")

-- A turtle whose slot has `before` items and gets `made` more.
for _, case in ipairs({ { 0, 1, "1" }, { 0, 8, "8" }, { 10, 4, "2" }, { 10, 1, "1" }, { 10, 0, "2" }, { 2, 2, "2" }, { 2, 8, "2" },
    { 3, 2, "2" }, { 1, 2, "2" }, { 64, -63, "1" }, { 64, -64, "64" }, { 5, 2, "all" }, { 70, 2, "all" }, { 5, -2, "2" } }) do
    local before, made, word = table.unpack(case)
    local count = before
    craft(table.concat(case, " "), {
        craft = function() count = count + made return true end,
        getItemCount = function() return count end,
        getSelectedSlot = { 4 },
    }, word)
end
