-- The tool `write-file`: a whole file, on request only where the one that is there has a certain hash.

local files = require("lib.files")

local CHANGED = "`%s` has changed: its hash is %s, not %s; nothing was written"

---Fails unless the file that is there has the hash; gives what it holds.
local function check_hash(path, wanted)
    if not fs.exists(path) then
        error(("there is no file `%s`, and so none with the hash %s"):format(files.absolute(path), wanted), 0)
    end
    local bytes = files.read(path)
    local hash = files.sha256(bytes)
    if hash ~= wanted then
        error(CHANGED:format(files.absolute(path), hash, wanted), 0)
    end
    return bytes
end

local function call(arguments)
    local path, bytes = arguments.path, files.decode(arguments.data, arguments.encoding)
    if fs.isDir(path) then
        error(("`%s` is a folder"):format(files.absolute(path)), 0)
    end
    local new_hash = files.sha256(bytes)
    if arguments.sha256 then
        local checked = check_hash(path, arguments.sha256)
        -- Hashing yields; from here to the writing nothing does, so that nobody can change the file any more.
        if files.read(path) ~= checked then
            error(CHANGED:format(files.absolute(path), "another by now", arguments.sha256), 0)
        end
    end
    local created = not fs.exists(path)
    -- Opening empties the file: what does not fit is refused before.
    local free = fs.getFreeSpace(files.existing(path))
    if type(free) == "number" and #bytes > free + (created and 0 or fs.getSize(path)) then
        error(
            ("failed to write `%s`: %d bytes are too many for %d that are free"):format(
                files.absolute(path),
                #bytes,
                free
            ),
            0
        )
    end
    local file, problem = fs.open(path, "wb")
    if not file then
        error(("failed to write `%s`: %s"):format(files.absolute(path), tostring(problem)), 0)
    end
    local written, failure = pcall(file.write, bytes)
    file.close()
    if not written then
        error(("failed to write `%s`: %s"):format(files.absolute(path), tostring(failure)), 0)
    end
    return {
        structuredContent = {
            path = files.absolute(path),
            bytes = #bytes,
            sha256 = new_hash,
            created = created,
        },
    }
end

return { call = call }
