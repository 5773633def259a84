-- window: terminals that are a part of another one. What they are stands in a module
-- that is loaded with the first window.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local window = _ENV

--- Makes a terminal inside another one.
---@param parent table
---@param nX number
---@param nY number
---@param nWidth number
---@param nHeight number
---@param bStartVisible boolean|nil
---@return table
function window.create(parent, nX, nY, nWidth, nHeight, bStartVisible)
    expect(1, parent, "table")
    expect(2, nX, "number")
    expect(3, nY, "number")
    expect(4, nWidth, "number")
    expect(5, nHeight, "number")
    expect(6, bStartVisible, "boolean", "nil")
    if parent == term then
        error("term is not a recommended window parent, try term.current() instead", 2)
    end
    local create = include("rom/modules/main/cc/internal/window.lua")
    return create(parent, nX, nY, nWidth, nHeight, bStartVisible ~= false)
end
