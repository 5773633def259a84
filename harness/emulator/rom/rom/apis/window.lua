-- window: terminals that are parts of others.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

local api = _ENV

-- What a window is made from, in this order; whether it is seen at first may be left out.
local PARTS = { "table", "number", "number", "number", "number" }

--- Makes a window.
---@param parent table the terminal that it is a part of
---@param nX number
---@param nY number
---@param nWidth number
---@param nHeight number
---@param bStartVisible boolean|nil true unless told
---@return table
function api.create(parent, nX, nY, nWidth, nHeight, bStartVisible)
    local given = { parent, nX, nY, nWidth, nHeight }
    for index, kind in ipairs(PARTS) do expect(index, given[index], kind) end
    expect(#PARTS + 1, bStartVisible, "boolean", "nil")
    if parent == term then
        error("term is not a recommended window parent, try term.current() instead", 2)
    end

    -- What booting does not need is read when it is.
    local make = include("rom/modules/main/cc/internal/window.lua")
    return make(parent, nX, nY, nWidth, nHeight, bStartVisible ~= false)
end
