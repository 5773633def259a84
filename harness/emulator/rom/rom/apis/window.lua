-- window: terminals that are parts of others.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local api = _ENV

--- Makes a window.
---@param parent table the terminal that it is a part of
---@param nX number
---@param nY number
---@param nWidth number
---@param nHeight number
---@param bStartVisible boolean|nil true unless told
---@return table
function api.create(parent, nX, nY, nWidth, nHeight, bStartVisible)
    expect(1, parent, "table")
    for index = 1, 4 do expect(index + 1, (select(index, nX, nY, nWidth, nHeight)), "number") end
    expect(6, bStartVisible, "boolean", "nil")
    if parent == term then
        error("term is not a recommended window parent, try term.current() instead", 2)
    end

    -- What booting does not need is read when it is.
    local make = include("rom/modules/main/cc/internal/window.lua")
    return make(parent, nX, nY, nWidth, nHeight, bStartVisible ~= false)
end
