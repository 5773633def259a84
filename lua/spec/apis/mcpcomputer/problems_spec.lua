-- Specs of apis/mcpcomputer/problems.lua.

local problems = require("/apis/mcpcomputer/problems")

describe("a connection that failed", function()
    it("names the rule to change for a private address", function()
        for _, host in ipairs({ "127.0.0.1", "localhost", "192.168.1.20", "10.0.0.1", "172.20.0.1", "[::1]" }) do
            local message, hopeless =
                problems.cannot_connect("ws://" .. host .. ":3001", "Domain not permitted")
            expect(message).to_contain("cannot connect to ws://" .. host .. ":3001: Domain not permitted")
            expect(message).to_contain("put a rule for host `" .. host .. "`")
            expect(message).to_contain("`$private`")
            expect(hopeless).to_equal(true)
        end
    end)

    it("names the rules for a public one", function()
        local message = problems.cannot_connect("ws://example.com", "Domain not permitted")
        expect(message).to_contain("allow the host `example.com` under `http.rules`")
    end)

    it("is tried again when nobody listens", function()
        for _, reason in ipairs({ "Connection refused", "Could not connect", "Timed out" }) do
            local message, hopeless = problems.cannot_connect("ws://h", reason)
            expect(message).to_contain(reason)
            expect(hopeless).to_equal(false)
        end
    end)

    it("asks for a token where it was forbidden", function()
        local reason = "WebSocket Exception: Cannot upgrade to WebSocket connection: Forbidden"
        local message, hopeless = problems.cannot_connect("ws://h", reason)
        expect(message).to_contain("--token")
        expect(hopeless).to_equal(true)
    end)
end)

describe("a close", function()
    it("with code 4000 means replaced", function()
        expect(problems.is_replaced("replaced", 4000)).to_equal(true)
        expect(problems.is_replaced("replaced", nil)).to_equal(true)
        expect(problems.is_replaced("replaced", 1001)).to_equal(false)
        expect(problems.is_replaced("silent", 4001)).to_equal(false)
    end)
end)
