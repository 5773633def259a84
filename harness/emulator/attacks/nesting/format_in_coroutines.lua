-- Each coroutine resumes another while a text is being formatted.
-- prints: alive
local function deeper()
    return coroutine.wrap(function()
        return ("%s"):format(setmetatable({}, { __tostring = function() return deeper() end }))
    end)()
end
pcall(deeper)
print("alive")
