-- Specs of apis/libversion.lua, and of the package's descriptor.

local json = require("/apis/mcpcomputer/json")
local library = require("/apis/libmcpcomputer")
local versions = require("/apis/libversion")

local function read(path)
    local file = fs.open(path, "r")
    local source = file.readAll()
    file.close()
    return json.decode(source)
end

describe("the version", function()
    it("is the one that the package's descriptor names", function()
        local descriptor = read("/packages/trapos-sandbox/ccpm.json")
        expect(versions().forFile("programs/mcp-computer.lua")):same(descriptor.version)
        expect(versions().forFile("/apis/libmcpcomputer.lua")):same(descriptor.version)
    end)

    it("is the same everywhere", function()
        local descriptor = read("/packages/trapos-sandbox/ccpm.json")
        expect(read("/packages/index.json").packages["trapos-sandbox"].version):same(descriptor.version)
        expect(library.VERSION):same(descriptor.version)
    end)

    it("of the program that runs is that of its package", function()
        local running = shell.getRunningProgram()
        fs.makeDir("/elsewhere/packages/own")
        local file = fs.open("/elsewhere/packages/own/ccpm.json", "w")
        file.write(json.encode({ version = "7.8.9", files = { running } }))
        file.close()
        local version = versions("/elsewhere").forSelf()
        fs.delete("/elsewhere")
        expect(version):same("7.8.9")
    end)

    it("of a program that no package has is unknown", function()
        expect(versions().forFile("no/such.lua")):same("unknown")
        expect(versions("/no/such/root").forFile("programs/mcp-computer.lua")):same("unknown")
    end)
end)

describe("the package", function()
    it("names every file of the library, and only files that are there", function()
        local named = {}
        for _, path in ipairs(read("/packages/trapos-sandbox/ccpm.json").files) do
            named[path] = true
            expect(path .. (fs.exists(path) and " is there" or " is missing")):same(path .. " is there")
        end
        for _, name in ipairs(fs.list("/apis/mcpcomputer")) do
            expect(named["apis/mcpcomputer/" .. name]):same(true)
        end
    end)
end)
