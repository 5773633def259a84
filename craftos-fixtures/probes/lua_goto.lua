-- goto, labels, integer loops, closures in loops.

for i = 1, 3 do
    for j = 1, 3 do
        if j == 2 then goto continue end
        print(i, j)
        ::continue::
    end
end
local fns = {}
for i = 1, 3 do fns[i] = function() i = i + 10 return i end end
print(fns[1](), fns[1](), fns[2](), fns[3]())
for i = 1, 0 do print("never") end
for i = 0.1, 0.35, 0.1 do print(("%.1f"):format(i)) end
local total = 0
for i = 1, 3 do local x = i; total = total + x; i = 100 end
print(total)
local function recurse(n) if n == 0 then return "deep" end return recurse(n - 1) end
print(recurse(100000))
print(pcall(function() local function grow() return 1 + grow() end return grow() end))
