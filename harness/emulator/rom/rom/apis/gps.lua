-- gps: finds the computer's position from what other computers, whose positions
-- are known, answer over wireless modems.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local gps = _ENV

gps.CHANNEL_GPS = 65534

local DEFAULT_SECONDS = 2

--- Finds the position of this computer.
---@param timeout number|nil seconds, by default 2
---@param verbose boolean|nil prints what happens
---@return number|nil x, number|nil y, number|nil z
function gps.locate(timeout, verbose)
    expect(1, timeout, "number", "nil")
    expect(2, verbose, "boolean", "nil")
    local locate = include("rom/modules/main/cc/internal/gps_locate.lua")
    local function say(text)
        if verbose then print(text) end
    end
    return locate(timeout or DEFAULT_SECONDS, say, gps.CHANNEL_GPS)
end
