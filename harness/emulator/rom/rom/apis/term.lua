-- term: the terminal that programs draw on, which is the native one or whatever
-- it was redirected to.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local api = _ENV

local native, target = {}, nil

-- Forwards a call to what is drawn on. A native method's error names the line of
-- this call, and programs print that: it stays on line 17.
local function forward(name)
    return function(...)


        return target[name](...)
    end
end

--- Makes a set of words.
local function set(words)
    local members = {}
    for word in words:gmatch("%S+") do members[word] = true end
    return members
end

-- The API before this file replaced it is what the emulator itself offers. Some of
-- it speaks of the computer's own screen, whatever is drawn on.
local native_only = set("nativePaletteColor nativePaletteColour screenshot")

-- Methods that no other terminal has. Where one is missing, the screen's is taken.
local screen_only = set("drawPixels getFrozen getGraphicsMode getPixel getPixels relativeMouse "
    .. "setFrozen setGraphicsMode setPixel showMouse")

-- Where peripherals cannot be emulated there is no emulator to see: the game's screen has no pixels and no mouse.
local is_game = periphemu == nil

for name, method in pairs(term) do
    if is_game and (screen_only[name] or name == "screenshot") then
        native[name] = nil
    elseif native_only[name] then
        api[name] = method
    elseif type(method) == "function" then
        native[name] = method
        api[name] = forward(name)
    end
end
target = native

--- Draws on another terminal from now on.
---@param new_target table
---@return table previous
function api.redirect(new_target)
    expect(1, new_target, "table")
    if new_target == term or new_target == api then
        error("term is not a recommended redirect target, try term.current() instead", 2)
    end
    for name, method in pairs(native) do
        if type(new_target[name]) ~= "function" then
            if screen_only[name] then
                new_target[name] = method
            else
                new_target[name] = function()
                    error("Redirect object is missing method " .. name .. ".", 2)
                end
            end
        end
    end
    local previous = target
    target = new_target
    return previous
end

--- Returns what is drawn on.
---@return table
function api.current()
    return target
end

--- Returns the terminal of the computer itself.
---@return table
function api.native()
    return native
end
