-- Specs of apis/mcpcomputer/problems.lua.

local problems = require("/apis/mcpcomputer/problems")

describe("a connection that failed", function()
    it("names the rule to change for a private address", function()
        for _, host in ipairs({ "127.0.0.1", "localhost", "192.168.1.20", "10.0.0.1", "172.20.0.1", "[::1]" }) do
            local message, hopeless =
                problems.cannot_connect("ws://" .. host .. ":3001", "Domain not permitted")
            expect(message):contains("cannot connect to ws://" .. host .. ":3001: Domain not permitted")
            expect(message):contains("put a rule for host `" .. host .. "`")
            expect(message):contains("`$private`")
            expect(hopeless):same(true)
        end
    end)

    it("names the rules for a public one", function()
        local message = problems.cannot_connect("ws://example.com", "Domain not permitted")
        expect(message):contains("allow the host `example.com` under `http.rules`")
    end)

    it("is tried again when nobody listens", function()
        for _, reason in ipairs({ "Connection refused", "Could not connect", "Timed out" }) do
            local message, hopeless = problems.cannot_connect("ws://h", reason)
            expect(message):contains(reason)
            expect(hopeless):same(false)
        end
    end)

    it("says which port was probably meant", function()
        local not_found = "WebSocket Exception: Cannot upgrade to WebSocket connection: Not Found"
        for _, url in ipairs({ "ws://h:3000", "ws://h:3000/mcp", "ws://h/mcp" }) do
            local message, hopeless = problems.cannot_connect(url, not_found)
            expect(message):contains("probably `ws://h:3001`")
            expect(hopeless):same(false)
        end
        local message = problems.cannot_connect("ws://h:8080", "Invalid handshake response: 404")
        expect(message):contains("that has port 3001")
        expect(problems.silence("ws://h:3000", true, 15000)):contains("probably `ws://h:3001`")
    end)

    it("says that the bridge is full", function()
        local reason = "WebSocket Exception: Cannot upgrade to WebSocket connection: Service Unavailable"
        local message, hopeless = problems.cannot_connect("ws://h:3001", reason)
        expect(message):contains("the bridge is full")
        expect(hopeless):same(false)
    end)

    it("shows no token", function()
        local url = "ws://user:s3cret@h:3001/?a=b&token=s3cret&c=d"
        expect(problems.shown_url(url)):same("ws://h:3001/?a=b&token=...&c=d")
        expect(problems.cannot_connect(url, "Connection refused"):find("s3cret")):same(nil)
        expect(problems.shown_url("ws://h:3001")):same("ws://h:3001")
    end)

    it("asks for a token where it was forbidden", function()
        local reason = "WebSocket Exception: Cannot upgrade to WebSocket connection: Forbidden"
        local message, hopeless = problems.cannot_connect("ws://h", reason)
        expect(message):contains("--token")
        expect(hopeless):same(true)
    end)
end)

describe("a close", function()
    it("with code 4000 means replaced", function()
        expect(problems.is_replaced("replaced", 4000)):same(true)
        expect(problems.is_replaced("replaced", nil)):same(true)
        expect(problems.is_replaced("replaced", 1001)):same(false)
        expect(problems.is_replaced("silent", 4001)):same(false)
    end)
end)
