-- packman against a server of the test's own: it fetches its lists, installs a package and removes it.
local test = require("craftos.test")

local LIST = [[
name = hello
	type = raw
		url = https://packages.example/hello.lua
		filename = hello
	category = utility
	dependencies = none
	version = 1.0
	size = 20
end
]]

local function packman(...)
    return test.start("/packman", ...):finish(20):screen()
end

describe("packman", function()
    before_each(function()
        test.http("*/cc-packman/master/repolist", { body = "demo https://packages.example/list\n" })
        test.http("https://packages.example/list", { body = LIST })
        test.http("https://packages.example/hello.lua", { body = "print('hello')" })
    end)

    it("says how it is used", function()
        expect(packman()):contains("install-help <package name[s]>")
    end)

    it("fetches the lists", function()
        expect(packman("fetch")):contains("Fetching Repository: demo")
        expect(fs.exists("/etc/repositories/demo")):eq(true)
        expect(packman("search", "hello")):contains("hello")
    end)

    it("installs a package and removes it", function()
        packman("fetch")
        packman("auto", "install", "hello")
        expect(fs.exists("/usr/bin/hello")):eq(true)
        expect(test.start("/usr/bin/hello"):finish():screen()):eq("hello")
        packman("auto", "remove", "hello")
        expect(fs.exists("/usr/bin/hello")):eq(false)
    end)

    it("says what cannot be had", function()
        test.http("https://packages.example/list", { status = 404 })
        expect(packman("fetch")):contains("Could not retrieve remote file: demo")
    end)
end)
