-- The locals of the emulator's functions are not shown, nor can they be set.
-- prints: 0
local found = 0
table.sort({ 3, 1, 2 }, function(left, right)
    for level = 2, 4 do
        local info = debug.getinfo(level, "S")
        if info and (info.what == "C" or info.source == "=[C]") then
            for index = -3, 20 do
                if debug.getlocal(level, index) then found = found + 1 end
                if debug.setlocal(level, index, 1) then found = found + 1 end
            end
        end
    end
    return left < right
end)
print(found)
