-- The handle of an answer to a request, as `http` gives it: readable once, from the beginning to the end.

local tostring, error, pairs, type, byte = tostring, error, pairs, type, string.byte

-- The words that a status stands for, where programs meet them.
local REASONS = {
    [200] = "OK",
    [201] = "Created",
    [202] = "Accepted",
    [204] = "No Content",
    [301] = "Moved Permanently",
    [302] = "Found",
    [304] = "Not Modified",
    [400] = "Bad Request",
    [401] = "Unauthorized",
    [403] = "Forbidden",
    [404] = "Not Found",
    [409] = "Conflict",
    [410] = "Gone",
    [418] = "I'm a teapot",
    [429] = "Too Many Requests",
    [500] = "Internal Server Error",
    [502] = "Bad Gateway",
    [503] = "Service Unavailable",
}

---Gives the words of a status.
local function reason(status)
    return REASONS[status] or "Unknown status " .. tostring(status)
end

---Makes a handle.
---@param body string
---@param status number
---@param headers table<string, string>
---@param is_binary boolean|nil
local function new(body, status, headers, is_binary)
    local position, is_open = 1, true
    local handle = {}

    local function check()
        if not is_open then
            error("attempt to use a closed file", 3)
        end
    end

    function handle.readAll()
        check()
        if position > #body and #body > 0 then
            return nil
        end
        local rest = body:sub(position)
        position = #body + 1
        return rest
    end

    function handle.readLine(with_newline)
        check()
        if position > #body then
            return nil
        end
        local ending = body:find("\n", position, true)
        local line = body:sub(position, (ending or #body + 1) - 1)
        position = (ending or #body) + 1
        return ending and with_newline and line .. "\n" or line
    end

    function handle.read(count)
        check()
        if position > #body then
            return nil
        end
        local piece = body:sub(position, position + (count or 1) - 1)
        position = position + #piece
        if is_binary and count == nil then
            return byte(piece)
        end
        return piece
    end

    function handle.seek(whence, offset)
        check()
        local base = whence == "set" and 1 or whence == "end" and #body + 1 or position
        local to = base + (offset or 0)
        if to < 1 then
            return nil, "Position is negative"
        end
        position = to
        return position - 1
    end

    function handle.getResponseCode()
        return status, reason(status)
    end

    function handle.getResponseHeaders()
        local copied = {}
        for name, value in pairs(headers) do
            copied[name] = type(value) == "string" and value or tostring(value)
        end
        return copied
    end

    function handle.close()
        check()
        is_open = false
    end

    return handle
end

return { new = new, reason = reason }
