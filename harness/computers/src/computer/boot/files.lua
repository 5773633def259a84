-- The harness's own files on a computer. A disk that is full must not keep it from telling how it ended.

local files = {}

-- Deleted when nothing else can be written any more: room for an answer and an exit code.
local RESERVE, RESERVED = "/.harness/reserve", 2048

--- Reads a whole file; nothing where there is none.
---@param path string
---@return string|nil
function files.read(path)
    local file = fs.open(path, "rb")
    if not file then
        return nil
    end
    local text = file.readAll()
    file.close()
    return text
end

--- Writes or appends, and tells whether it could.
---@param path string
---@param mode string
---@param text string
---@return boolean
function files.write(path, mode, text)
    local ok = pcall(function()
        local file = assert(fs.open(path, mode))
        local written, reason = pcall(file.write, text)
        file.close()
        assert(written, reason)
    end)
    return ok
end

--- Makes room for what has to be written later.
function files.reserve()
    if not fs.exists(RESERVE) and not files.write(RESERVE, "wb", (" "):rep(RESERVED)) then
        pcall(fs.delete, RESERVE)
    end
end

--- Writes a file that is seen whole or not at all, also where the disk is full.
---@param path string
---@param text string
function files.publish(path, text)
    local partial = path .. ".partial"
    if not files.write(partial, "wb", text) then
        pcall(fs.delete, RESERVE)
        files.write(partial, "wb", text)
    end
    pcall(fs.delete, path)
    pcall(fs.move, partial, path)
end

return files
