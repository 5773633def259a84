-- drive: says which drive a folder is on, and how much fits on it.

local program = require("cc.internal.program")(arg, shell, ...)
local folder = program:path(1) or shell.dir()
if not fs.exists(folder) then return print("No such path") end

-- From the largest; what is smaller than all of them is told in bytes.
local units = { { 1e6, "MB" }, { 1e3, "KB" } }

local function readable(space)
    for _, unit in ipairs(units) do
        if space >= unit[1] then return ("%.1f"):format(math.floor(space / unit[1] * 10) / 10):gsub("%.0$", "") .. unit[2] end
    end
    return space .. "B"
end

local space = fs.getFreeSpace(folder)
local shown = type(space) == "number" and readable(space) or tostring(space)
print(fs.getDrive(folder) .. " (" .. shown .. " remaining)")
