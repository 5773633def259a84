-- Files as the tools see them: whole, in bytes, with a hash.

local base64 = require("lib.base64")
local sha256 = require("lib.sha256")

-- A path as it is shown: from the root on.
local function absolute(path)
    return "/" .. fs.combine(path)
end

---Reads a whole file.
---@param path string
---@return string bytes
local function read(path)
    if not fs.exists(path) then
        error(("there is no file `%s`"):format(absolute(path)), 0)
    elseif fs.isDir(path) then
        error(("`%s` is a folder; `list-files` shows what is in it"):format(absolute(path)), 0)
    end
    local file, problem = fs.open(path, "rb")
    if not file then
        error(("failed to read `%s`: %s"):format(absolute(path), tostring(problem)), 0)
    end
    local bytes = file.readAll() or ""
    file.close()
    return bytes
end

-- Every form that a character beyond ASCII has in UTF-8.
local FORMS = {
    "[\194-\223][\128-\191]",
    "\224[\160-\191][\128-\191]",
    "[\225-\236\238\239][\128-\191][\128-\191]",
    "\237[\128-\159][\128-\191]",
    "\240[\144-\191][\128-\191][\128-\191]",
    "[\241-\243][\128-\191][\128-\191][\128-\191]",
    "\244[\128-\143][\128-\191][\128-\191]",
}

---Gives the nearest folder or file on the way to a path that is there.
---@param path string
---@return string
local function existing(path)
    while path ~= "" and not fs.exists(path) do
        path = fs.getDir(path)
    end
    return path
end

---Says whether bytes are text, which is to say UTF-8 without a zero.
---@param bytes string
---@return boolean
local function is_text(bytes)
    if bytes:find("%z") then
        return false
    end
    for _, form in ipairs(FORMS) do
        -- Something stays in its place: the bytes around it must not become a character.
        bytes = bytes:gsub(form, " ")
    end
    return not bytes:find("[\128-\255]")
end

---Reads what a caller sends as the content of a file.
---@param data string
---@param encoding string|nil `utf-8` or `base64`
---@return string bytes
local function decode(data, encoding)
    if encoding ~= "base64" then
        return data
    end
    local bytes = base64.decode(data)
    if not bytes then
        error("`data` is not base64", 0)
    end
    return bytes
end

return {
    existing = existing,
    absolute = absolute,
    read = read,
    is_text = is_text,
    decode = decode,
    base64 = base64,
    sha256 = sha256,
}
