-- window: terminals that own a part of another terminal and remember what stands there.

local include = ... or dofile
local expect = include("rom/modules/main/cc/expect.lua").expect

--- Makes a terminal inside of another one.
---@param parent table
---@param nX number
---@param nY number
---@param nWidth number
---@param nHeight number
---@param bStartVisible boolean|nil
---@return table
local function create(parent, nX, nY, nWidth, nHeight, bStartVisible)
    expect(1, parent, "table")
    local numbers = { nX, nY, nWidth, nHeight }
    for index = 1, 4 do expect(index + 1, numbers[index], "number") end
    expect(6, bStartVisible, "boolean", "nil")
    if parent == term then error("term is not a recommended window parent, try term.current() instead", 2) end
    local open = include("rom/modules/main/cc/internal/window.lua")
    return open(parent, { x = nX, y = nY, width = nWidth, height = nHeight }, bStartVisible ~= false)
end

_ENV.create = create
