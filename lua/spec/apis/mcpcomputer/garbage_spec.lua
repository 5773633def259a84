-- Specs of apis/mcpcomputer/garbage.lua.

local FILE = "/apis/mcpcomputer/garbage.lua"

-- Substrings that are held at once. On CraftOS-PC, half of them bring its collector to run at every allocation, which
-- makes the rest take minutes.
local HELD = 100000

---Gives the module anew, as if nobody had used it: the runner does.
local function fresh()
    return assert(loadfile(FILE, nil, setmetatable({ require = require }, { __index = _G })))()
end

describe("the garbage collector", function()
    it("lets a chunk hold many substrings", function()
        local garbage = fresh()
        garbage.ease()
        local letters, held = "abcdefghijklmnopqrstuvwxyz0123456789", {}
        for index = 1, HELD do
            held[index] = letters:sub(index % 10 + 1, index % 10 + 6)
        end
        garbage.restore()
        expect(#held):same(HELD)
    end)

    it("is as it was afterwards", function()
        -- The game has none that programs could ask.
        if not collectgarbage or not tostring(_HOST):find("CraftOS%-PC") then
            return
        end
        local before = collectgarbage("setpause", 200)
        collectgarbage("setpause", before)
        local garbage = fresh()
        garbage.ease()
        garbage.ease()
        garbage.restore()
        garbage.restore()
        local after = collectgarbage("setpause", before)
        expect(after):same(before)
    end)
end)
