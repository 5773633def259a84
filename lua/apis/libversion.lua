-- The version of the package that a program belongs to, read from the package's descriptor.
-- `require("/apis/libversion")().forSelf()` is the version of the program that runs.

-- What is said where no descriptor names the program.
local UNKNOWN = "unknown"

---Reads a package descriptor; nothing where there is none that can be read.
local function read_descriptor(path)
    local file = fs.open(path, "r")
    if not file then
        return nil
    end
    local source = file.readAll()
    file.close()
    local ok, descriptor = pcall(textutils.unserializeJSON, source or "")
    return ok and type(descriptor) == "table" and descriptor or nil
end

local function names(descriptor, path)
    for _, file in ipairs(type(descriptor.files) == "table" and descriptor.files or {}) do
        if type(file) == "string" and fs.combine(file, "") == path then
            return true
        end
    end
    return false
end

---Finds the version of the package that holds a file.
---@param path string the file, as it stands below `root`
---@param root string the directory that `packages` is in
---@return string
local function version_of(path, root)
    local packages = fs.combine(root, "packages")
    for _, package_name in ipairs(fs.isDir(packages) and fs.list(packages) or {}) do
        local descriptor = read_descriptor(fs.combine(packages, package_name, "ccpm.json"))
        if descriptor and type(descriptor.version) == "string" and names(descriptor, path) then
            return descriptor.version
        end
    end
    return UNKNOWN
end

---Makes the versions of what is installed below a directory.
---@param root string|nil the computer's own, when left out
return function(root)
    root = root or "/"

    local function for_file(path)
        return version_of(fs.combine(path, ""), root)
    end

    local function for_self()
        local running = shell and shell.getRunningProgram()
        return running and for_file(running) or UNKNOWN
    end

    return { forSelf = for_self, forFile = for_file }
end
