-- Keeps the harness's own folder from the tests of a spec. A test that deletes all that it finds would otherwise take
-- away what is told of it, and of the tests before it.

local OWN = ".harness"

local combine, error, ipairs, type = fs.combine, error, ipairs, type
local pcall, pack, unpack, sub = pcall, table.pack, table.unpack, string.sub

local function is_own(path)
    if type(path) ~= "string" then
        return false
    end
    local plain = combine(path)
    return plain == OWN or sub(plain, 1, #OWN + 1) == OWN .. "/"
end

local function denied(path)
    return "/" .. combine(path) .. ": Access denied"
end

---Calls a function of the emulator; its errors are raised where the test called. It is called as a tail call, so that
---the test is the next level.
local function call(body, ...)
    local results = pack(pcall(body, ...))
    if not results[1] then
        error(results[2], 2)
    end
    return unpack(results, 2, results.n)
end

---Puts the guard around the functions that change files.
local function install()
    local native = {}
    for _, name in ipairs({ "copy", "delete", "isReadOnly", "list", "makeDir", "move", "open" }) do
        native[name] = fs[name]
    end

    function fs.delete(path, ...)
        if is_own(path) then
            error(denied(path), 2)
        elseif type(path) == "string" and combine(path) == "" then
            -- All of the disk: what is in it, one by one.
            for _, name in ipairs(native.list("/")) do
                if name ~= OWN and not native.isReadOnly(name) then
                    native.delete(name)
                end
            end
            return
        end
        return call(native.delete, path, ...)
    end

    function fs.move(from, to, ...)
        if is_own(from) or is_own(to) then
            error(denied(is_own(from) and from or to), 2)
        end
        return call(native.move, from, to, ...)
    end

    function fs.copy(from, to, ...)
        if is_own(to) then
            error(denied(to), 2)
        end
        return call(native.copy, from, to, ...)
    end

    function fs.makeDir(path, ...)
        if is_own(path) then
            error(denied(path), 2)
        end
        return call(native.makeDir, path, ...)
    end

    function fs.isReadOnly(path, ...)
        if is_own(path) then
            return true
        end
        return call(native.isReadOnly, path, ...)
    end

    function fs.open(path, mode, ...)
        if is_own(path) and mode ~= "r" and mode ~= "rb" then
            return nil, denied(path)
        end
        return call(native.open, path, mode, ...)
    end
end

return { install = install }
