-- cc.internal.import: saves files that were dropped onto the computer.

--- Reads the whole of a dropped file.
local function read_all(file)
    local parts = {}
    while true do
        local part = file.read(16 * 1024)
        if not part then break end
        parts[#parts + 1] = part
    end
    return table.concat(parts)
end

--- Asks whether files may be replaced.
local function may_replace(names)
    print("The following files will be overwritten:")
    textutils.pagedTabulate(colors.cyan, names)
    write("Overwrite? (yes/no) ")
    local answer = read(nil, { "yes", "no" }):lower():gsub("%s+", "")
    return answer == "yes" or answer == "y"
end

--- Saves dropped files into a folder.
---@param files table[]
---@param folder string
---@return boolean ok
---@return string|nil message
return function(files, folder)
    if #files == 0 then return true end

    local existing = {}
    for _, file in ipairs(files) do
        local path = fs.combine(folder, file.getName())
        if fs.isDir(path) then return false, file.getName() .. " is already a directory." end
        if fs.exists(path) then existing[#existing + 1] = file.getName() end
    end
    if #existing > 0 and not may_replace(existing) then return false end

    local ok, message = true, nil
    for _, file in ipairs(files) do
        print("Transferring " .. file.getName())
        local handle, problem = fs.open(fs.combine(folder, file.getName()), "wb")
        if not handle then
            ok, message = false, problem
            break
        end
        handle.write(read_all(file))
        handle.close()
    end
    for _, file in ipairs(files) do file.close() end
    return ok, message
end
