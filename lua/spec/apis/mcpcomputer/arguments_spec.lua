-- Specs of apis/mcpcomputer/arguments.lua.

local arguments_of = require("/apis/mcpcomputer/arguments")

describe("the command line", function()
    local function action(...)
        local arguments, problem = arguments_of.parse({ ... })
        return arguments and arguments.action or problem
    end

    it("takes a URL in both ways", function()
        for _, words in ipairs({ { "ws://h:1" }, { "-url", "ws://h:1" }, { "--url", "ws://h:1" } }) do
            expect(arguments_of.parse(words)):same({ action = "link", url = "ws://h:1", once = false })
        end
    end)

    it("takes options before and after the URL", function()
        local expected = { action = "link", url = "ws://h:1", once = true, token = "t" }
        expect(arguments_of.parse({ "--once", "--token", "t", "ws://h:1" })):same(expected)
        expect(arguments_of.parse({ "ws://h:1", "--token", "t", "--once" })):same(expected)
        expect(arguments_of.parse({ "ws://h:1", "--token=t", "--once" })):same(expected)
        expect(arguments_of.parse({ "ws://h:1", "--token=-t" }).token):same("-t")
    end)

    it("shows the usage without a URL", function()
        expect(action()):same("usage")
        expect(action("--once")):same("usage")
    end)

    it("knows help and version in every spelling", function()
        for _, word in ipairs({ "help", "-help", "--help" }) do
            expect(action(word)):same("help")
        end
        for _, word in ipairs({ "version", "-version", "--version" }) do
            expect(action(word)):same("version")
        end
    end)

    it("takes install with and without a URL", function()
        expect(arguments_of.parse({ "--install" })):same({ action = "install", once = false })
        expect(arguments_of.parse({ "--install", "ws://h" })):same({
            action = "install",
            url = "ws://h",
            once = false,
        })
        expect(action("--uninstall")):same("uninstall")
    end)

    it("says what is wrong", function()
        expect(action("--fly")):contains("unknown option `--fly`")
        expect(action("-url")):same("`-url` needs a value")
        expect(action("ws://h", "--token")):same("`--token` needs a value")
        expect(action("ws://h", "--token", "-t")):contains("is given as `--token=T`")
        expect(action("ws://h", "--token=")):contains("unknown option `--token=`")
        expect(action("ws://a", "ws://b")):contains("one URL is enough")
        expect(action("http://h:1/x")):contains("use `ws://h:1/x`")
        expect(action("https://h")):contains("use `wss://h`")
        expect(action("h:3001")):contains("begins with `ws://` or `wss://`")
        expect(action("ws://")):contains("names no host")
        expect(action("ws://h:0")):contains("wrong port")
        expect(action("ws://h:70000")):contains("wrong port")
        expect(action("ws://h:x")):contains("wrong port")
        expect(action("ws://h h")):contains("has a space")
    end)

    it("takes every URL that is right", function()
        for _, url in ipairs({
            "ws://h",
            "wss://h.example:443/a?b=c",
            "ws://127.0.0.1:3001/",
            "WS://h",
            "ws://[::1]:3001",
        }) do
            expect(arguments_of.url_problem(url)):same(nil)
        end
    end)
end)
