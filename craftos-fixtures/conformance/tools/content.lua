-- Tools that return one kind of content each.

-- A PNG of one red pixel.
local PIXEL =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="

-- A WAV file without a sample: its header.
local SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

local function image()
    return { type = "image", data = PIXEL, mimeType = "image/png" }
end

local function resource(uri, mime_type, text)
    return { type = "resource", resource = { uri = uri, mimeType = mime_type, text = text } }
end

return {
    simple_text = function()
        return "This is a simple text response for testing."
    end,

    image = function()
        return { content = { image() } }
    end,

    audio = function()
        return { content = { { type = "audio", data = SILENCE, mimeType = "audio/wav" } } }
    end,

    embedded_resource = function()
        local text = "This is an embedded resource content."
        return { content = { resource("test://embedded-resource", "text/plain", text) } }
    end,

    mixed = function()
        local json = textutils.serializeJSON({ test = "data", value = 123 })
        return {
            content = {
                { type = "text", text = "Multiple content types test:" },
                image(),
                resource("test://mixed-content-resource", "application/json", json),
            },
        }
    end,

    fail = function()
        error("This tool intentionally returns an error for testing", 0)
    end,
}
