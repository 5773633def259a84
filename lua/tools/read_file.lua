-- The tool `read-file`: a whole file, as text or base64, with its hash.

local files = require("lib.files")

local function call(arguments)
    local bytes = files.read(arguments.path)
    local as_text = arguments.encoding ~= "base64" and files.is_text(bytes)
    local data = as_text and bytes or files.base64.encode(bytes)
    return {
        content = { { type = "text", text = data } },
        structuredContent = {
            path = files.absolute(arguments.path),
            bytes = #bytes,
            sha256 = files.sha256(bytes),
            encoding = as_text and "utf-8" or "base64",
            data = data,
        },
    }
end

return { call = call }
