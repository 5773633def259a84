-- A handler that runs while `load` fails does not reach into it.
-- prints: nothing
local found = "nothing"
getmetatable("").__tostring = error
xpcall(function() load("return 1", "name") end, function()
    for level = 1, 12 do
        for index = 1, 20 do
            local ok, name, value = pcall(debug.getlocal, level, index)
            if ok and type(value) == "function" and name and name:find("load") then found = name end
        end
    end
end)
getmetatable("").__tostring = nil
print(found)
