-- term: the terminal that programs see, which is whichever they redirect to.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect
local type, ipairs = type, ipairs
-- The computer's own screen; this file may be loaded again when `term` is an API already.
local screen = term.native and term.native() or term
local target = screen

-- What belongs to the computer and to no terminal: it stays with `term`.
local OF_THE_COMPUTER = { "nativePaletteColor", "nativePaletteColour", "screenshot" }

--- Makes the function of `term` that asks whichever terminal is the target. Natives name the
--- line that called them, and programs compare such messages: the call has to be on the 17th
--- line of this file.
local function forward(method)
    return function(...) return target[method](...) end
end

--- Makes what stands for a method that a terminal does not have.
local function missing(method)
    return function() error("Redirect object is missing method " .. method .. ".", 2) end
end

-- The game has neither graphics nor a window of the host.
if not periphemu then
    for name in ("drawPixels getFrozen getGraphicsMode getPixel getPixels relativeMouse screenshot setFrozen "
        .. "setGraphicsMode setPixel showMouse"):gmatch("%a+") do
        screen[name] = nil
    end
end

for _, name in ipairs(OF_THE_COMPUTER) do
    _ENV[name], screen[name] = term[name], nil
end
local methods = {}
for method in pairs(screen) do
    methods[#methods + 1] = method
    _ENV[method] = forward(method)
end

--- Returns the terminal of the computer.
---@return table
function _ENV.native() return screen end

--- Returns the terminal that is drawn on.
---@return table
function _ENV.current() return target end

--- Makes another terminal the one that is drawn on. Methods that it lacks are filled in, so
--- that a program learns which one it called.
---@param chosen table
---@return table previous
function _ENV.redirect(chosen)
    expect(1, chosen, "table")
    -- Both would be asked in turn for ever.
    if chosen == term or chosen == _ENV then
        error("term is not a recommended redirect target, try term.current() instead", 2)
    end
    for _, method in ipairs(methods) do
        if type(chosen[method]) ~= "function" then chosen[method] = missing(method) end
    end
    local previous = target
    target = chosen
    return previous
end
