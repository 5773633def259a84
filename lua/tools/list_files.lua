-- The tool `list-files`: a folder, on request with all folders below it.

-- Entries of one answer; the rest is counted.
local MOST = 2000

local function absolute(path)
    return "/" .. fs.combine(path)
end

local function describe(path)
    local is_folder = fs.isDir(path)
    return {
        path = absolute(path),
        type = is_folder and "folder" or "file",
        bytes = not is_folder and fs.getSize(path) or nil,
        readOnly = fs.isReadOnly(path),
    }
end

local function call(arguments)
    local root = arguments.path or "/"
    if not fs.exists(root) then
        error(("there is no folder `%s`"):format(absolute(root)), 0)
    elseif not fs.isDir(root) then
        error(("`%s` is a file; `read-file` reads it"):format(absolute(root)), 0)
    end
    local entries, more = {}, 0

    local function visit(folder)
        local names = fs.list(folder)
        table.sort(names)
        for _, name in ipairs(names) do
            local path = fs.combine(folder, name)
            if #entries < MOST then
                entries[#entries + 1] = describe(path)
            else
                more = more + 1
            end
            -- The ROM is the same everywhere, and long; whoever wants it asks for it.
            if arguments.recursive and fs.isDir(path) and path ~= "rom" then
                visit(path)
            end
        end
    end

    visit(root)
    if #entries == 0 then
        entries = textutils.empty_json_array
    end
    return { structuredContent = { path = absolute(root), entries = entries, more = more } }
end

return { call = call }
