-- cc.completion: completes what was typed from lists of names.

local include = type((...)) == "function" and (...) or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

--- Completes from a list.
---@param text string what was typed
---@param choices string[]
---@param add_space boolean|nil whether a blank follows what is complete
---@return string[] endings
local function choice(text, choices, add_space)
    expect(1, text, "string")
    expect(2, choices, "table")
    expect(3, add_space, "boolean", "nil")
    local typed, blank = #text, add_space and " " or ""
    local endings = {}
    for index = 1, #choices do
        local name = choices[index]
        local ending = name:sub(typed + 1) .. blank
        -- A name that was typed whole has nothing left to offer.
        if ending ~= "" and name:sub(1, typed) == text then table.insert(endings, ending) end
    end
    return endings
end

--- Makes a function that completes from the names that there are when it is called.
---@param names fun(): string[]
local function from(names)
    return function(text, add_space)
        expect(1, text, "string")
        expect(2, add_space, "boolean", "nil")
        return choice(text, names(), add_space)
    end
end

return {
    choice = choice,
    command = from(function() return commands and commands.list() or {} end),
    peripheral = from(function() return peripheral.getNames() end),
    setting = from(function() return settings.getNames() end),
    side = from(function() return redstone.getSides() end),
}
