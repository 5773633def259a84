-- Specs of apis/mcpcomputer/link.lua.

local links = require("/apis/mcpcomputer/link")

---Opens a link whose connection never comes to be, and gives the address that it asked for.
local function address_of(url)
    local real, asked = http.websocketAsync, nil
    http.websocketAsync = function(address)
        asked = address
        return true
    end
    links.open(url, {})
    http.websocketAsync = real
    return asked
end

describe("the address of a connection", function()
    it("leads where the URL leads, and is like no other", function()
        local first, second = address_of("ws://h:1/path?a=b"), address_of("ws://h:1/path?a=b")
        expect(first):str_match("^ws://h:1/path%?a=b#mcp%-computer%-%d+%-%d+$")
        expect(first == second):same(false)
    end)

    it("has a path before the query", function()
        expect(address_of("ws://h:1?token=t")):str_match("^ws://h:1/%?token=t#mcp")
        expect(address_of("ws://h:1#old")):str_match("^ws://h:1#mcp%-computer")
    end)

    it("is known for an event of this program", function()
        expect(links.is_link_event({ "websocket_closed", address_of("ws://h") })):same(true)
        expect(links.is_link_event({ "websocket_closed", "ws://h" })):same(false)
        expect(links.is_link_event({ "timer", 5 })):same(false)
        expect(links.is_link_event({ "key", "#mcp-computer-" })):same(false)
    end)
end)
