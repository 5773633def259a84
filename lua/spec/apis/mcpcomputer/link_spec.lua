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

describe("a frame", function()
    ---Sends a frame on a computer of this kind, and says how often the program looked for events before it.
    local function turns_before_a_frame(host)
        local own = setmetatable({ _HOST = host, require = require }, { __index = _G })
        local links_there = assert(loadfile("/apis/mcpcomputer/link.lua", nil, own))()
        local turns, sent = 0, {}
        own.http = {
            websocketAsync = function()
                return true
            end,
        }
        local link = links_there.open("ws://h", {
            turn = function()
                turns = turns + 1
            end,
        })
        local socket = {
            send = function(message)
                sent[#sent + 1] = message
            end,
        }
        link:peek({ "websocket_success", link.address, socket })
        link:send("frame")
        link:flush()
        expect(sent):same({ "frame" })
        return turns
    end

    it("is sent at once where a lost connection does no harm", function()
        expect(turns_before_a_frame("ComputerCraft 1.113.1 (Minecraft 1.20.1)")):same(0)
        local embedded = "ComputerCraft 1.112.0 (CraftOS-PC v2.8.3, embedded-craftos 0.2.0)"
        expect(turns_before_a_frame(embedded)):same(0)
    end)

    it("is sent after a look at the events where that would end the process", function()
        expect(turns_before_a_frame("ComputerCraft 1.112.0 (CraftOS-PC v2.8.3)")):same(1)
    end)
end)
