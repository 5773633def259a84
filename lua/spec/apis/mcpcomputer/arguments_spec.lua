-- Specs of apis/mcpcomputer/arguments.lua.

local arguments_of = require("/apis/mcpcomputer/arguments")

describe("the command line", function()
    local function action(...)
        local arguments, problem = arguments_of.parse({ ... })
        return arguments and arguments.action or problem
    end

    it("takes a URL in both ways", function()
        for _, words in ipairs({ { "ws://h:1" }, { "-url", "ws://h:1" }, { "--url", "ws://h:1" } }) do
            expect(arguments_of.parse(words)).to_equal({ action = "link", url = "ws://h:1", once = false })
        end
    end)

    it("takes options before and after the URL", function()
        local expected = { action = "link", url = "ws://h:1", once = true, token = "t" }
        expect(arguments_of.parse({ "--once", "--token", "t", "ws://h:1" })).to_equal(expected)
        expect(arguments_of.parse({ "ws://h:1", "--token", "t", "--once" })).to_equal(expected)
        expect(arguments_of.parse({ "ws://h:1", "--token=t", "--once" })).to_equal(expected)
        expect(arguments_of.parse({ "ws://h:1", "--token=-t" }).token).to_equal("-t")
    end)

    it("shows the usage without a URL", function()
        expect(action()).to_equal("usage")
        expect(action("--once")).to_equal("usage")
    end)

    it("knows help and version in every spelling", function()
        for _, word in ipairs({ "help", "-help", "--help" }) do
            expect(action(word)).to_equal("help")
        end
        for _, word in ipairs({ "version", "-version", "--version" }) do
            expect(action(word)).to_equal("version")
        end
    end)

    it("takes install with and without a URL", function()
        expect(arguments_of.parse({ "--install" })).to_equal({ action = "install", once = false })
        expect(arguments_of.parse({ "--install", "ws://h" })).to_equal({
            action = "install",
            url = "ws://h",
            once = false,
        })
        expect(action("--uninstall")).to_equal("uninstall")
    end)

    it("says what is wrong", function()
        expect(action("--fly")).to_contain("unknown option `--fly`")
        expect(action("-url")).to_equal("`-url` needs a value")
        expect(action("ws://h", "--token")).to_equal("`--token` needs a value")
        expect(action("ws://h", "--token", "-t")).to_contain("is given as `--token=T`")
        expect(action("ws://h", "--token=")).to_contain("unknown option `--token=`")
        expect(action("ws://a", "ws://b")).to_contain("one URL is enough")
        expect(action("http://h:1/x")).to_contain("use `ws://h:1/x`")
        expect(action("https://h")).to_contain("use `wss://h`")
        expect(action("h:3001")).to_contain("begins with `ws://` or `wss://`")
        expect(action("ws://")).to_contain("names no host")
        expect(action("ws://h:0")).to_contain("wrong port")
        expect(action("ws://h:70000")).to_contain("wrong port")
        expect(action("ws://h:x")).to_contain("wrong port")
        expect(action("ws://h h")).to_contain("has a space")
    end)

    it("takes every URL that is right", function()
        for _, url in ipairs({
            "ws://h",
            "wss://h.example:443/a?b=c",
            "ws://127.0.0.1:3001/",
            "WS://h",
            "ws://[::1]:3001",
        }) do
            expect(arguments_of.url_problem(url)).to_equal(nil)
        end
    end)
end)
