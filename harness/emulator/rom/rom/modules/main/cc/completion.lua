-- cc.completion: completes text from lists: choices, peripherals, sides, settings.

local expect = dofile("rom/modules/main/cc/expect.lua").expect

--- Gives the endings of the choices that begin with a text.
---@param text string
---@param choices string[]
---@param add_space boolean|nil
---@return string[]
local function endings_of(text, choices, add_space)
    local endings = {}
    for _, choice in ipairs(choices) do
        if #choice + (add_space and 1 or 0) > #text and choice:sub(1, #text) == text then
            local ending = choice:sub(#text + 1)
            endings[#endings + 1] = add_space and ending .. " " or ending
        end
    end
    return endings
end

--- Completes from a list.
---@param text string
---@param choices string[]
---@param add_space boolean|nil
---@return string[]
local function choice(text, choices, add_space)
    expect(1, text, "string")
    expect(2, choices, "table")
    expect(3, add_space, "boolean", "nil")
    return endings_of(text, choices, add_space)
end

--- Completes the name of a peripheral.
local function peripheral_(text, add_space)
    expect(1, text, "string")
    expect(2, add_space, "boolean", "nil")
    return endings_of(text, peripheral.getNames(), add_space)
end

--- Completes a side of the computer.
local function side(text, add_space)
    expect(1, text, "string")
    expect(2, add_space, "boolean", "nil")
    return endings_of(text, redstone.getSides(), add_space)
end

--- Completes the name of a setting.
local function setting(text, add_space)
    expect(1, text, "string")
    expect(2, add_space, "boolean", "nil")
    return endings_of(text, settings.getNames(), add_space)
end

--- Completes the name of a command of the world.
local function command(text, add_space)
    expect(1, text, "string")
    expect(2, add_space, "boolean", "nil")
    if commands == nil then return {} end
    return endings_of(text, commands.list(), add_space)
end

return {
    choice = choice,
    peripheral = peripheral_,
    side = side,
    setting = setting,
    command = command,
}
