-- Specs of what the standard tools share, tools/lib/: base64, SHA-256, pictures, files and values.

local LIBRARIES = { "base64", "files", "font", "png", "sha256", "values" }

---Loads a library as a handler would: `lib.x` is beside it.
local loaded = {}
local function load_library(name)
    if loaded[name] == nil then
        local env = setmetatable({
            require = function(wanted)
                return load_library(wanted:match("^lib%.(.+)$"))
            end,
        }, { __index = _ENV })
        loaded[name] = assert(loadfile("/tools/lib/" .. name .. ".lua", nil, env))()
    end
    return loaded[name]
end

for _, name in ipairs(LIBRARIES) do
    load_library(name)
end
local base64, files, font = loaded.base64, loaded.files, loaded.font
local png, sha256, values = loaded.png, loaded.sha256, loaded.values

local ALL_BYTES = {}
for byte = 0, 255 do
    ALL_BYTES[byte + 1] = string.char(byte)
end
ALL_BYTES = table.concat(ALL_BYTES)

describe("base64", function()
    it("is written as RFC 4648 has it", function()
        local vectors =
            { [""] = "", f = "Zg==", fo = "Zm8=", foo = "Zm9v", foob = "Zm9vYg==", foobar = "Zm9vYmFy" }
        for bytes, encoded in pairs(vectors) do
            expect(base64.encode(bytes)):same(encoded)
            expect(base64.decode(encoded)):same(bytes)
        end
    end)

    it("comes back as it went", function()
        local large = ALL_BYTES:rep(50)
        expect(base64.decode(base64.encode(large)) == large):same(true)
        expect(base64.decode("Zm9v\nYmFy")):same("foobar")
    end)

    it("that is none is none", function()
        for _, wrong in ipairs({ "Zg", "Zg=", "Z===", "Zg=g", "Zm9v?mFy", "====" }) do
            expect(base64.decode(wrong)):same(nil)
        end
    end)
end)

describe("SHA-256", function()
    it("is what FIPS 180-4 says", function()
        expect(sha256("")):same("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
        expect(sha256("abc")):same("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        local two_blocks = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
        expect(sha256(two_blocks)):same("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    end)

    it("of a large text lets others have their turn", function()
        -- A million times `a`, by `sha256sum`, is the third vector; a fifth of it is enough here.
        expect(sha256(("a"):rep(55))):same("9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318")
        expect(sha256(("a"):rep(64))):same("ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb")
    end)
end)

describe("a picture", function()
    it("is a PNG with its palette and its pixels", function()
        local bytes = png.encode(3, { "\1\0", "\17\16" }, { 0xFF0000, 0x0000FF })
        expect(bytes:sub(1, 8)):same("\137PNG\r\n\26\n")
        -- The header: 3 by 2, four bits, with a palette; its checksum is known.
        expect(bytes:sub(9, 29)):same("\0\0\0\13IHDR\0\0\0\3\0\0\0\2\4\3\0\0\0")
        expect(bytes:find("PLTE\255\0\0\0\0\255", 1, true) ~= nil):same(true)
        -- Two rows, each with the byte that says that it is not filtered.
        expect(bytes:find("\0\1\0\0\17\16", 1, true) ~= nil):same(true)
        expect(bytes:sub(-12)):same("\0\0\0\0IEND\174\66\96\130")
    end)

    it("has letters that can be told apart", function()
        local function drawn(character)
            local rows = {}
            for row = 0, font.HEIGHT - 1 do
                for _, is_set in ipairs(font.dots(character:byte(), row)) do
                    rows[#rows + 1] = is_set and "#" or "."
                end
            end
            return table.concat(rows)
        end
        expect(drawn("A") ~= drawn("B")):same(true)
        expect(drawn(" "):find("#")):same(nil)
        expect(drawn("\159"):find("#") ~= nil):same(true)
    end)
end)

describe("a file", function()
    it("is text where it is UTF-8 without a zero", function()
        for _, text in ipairs({ "", "plain\n", "grüße 🐢" }) do
            expect(files.is_text(text)):same(true)
        end
        for _, bytes in ipairs({ "\0", "\255", "\195", "\237\160\128", ALL_BYTES }) do
            expect(files.is_text(bytes)):same(false)
        end
    end)

    it("that is not there is said so", function()
        expect(function()
            files.read("nowhere")
        end):throws("there is no file `/nowhere`")
        expect(function()
            files.read("/rom")
        end):throws("`/rom` is a folder")
    end)
end)

describe("values", function()
    it("become what JSON can hold", function()
        local portable = values.portable({ 1, "x", { a = print, b = 0 / 0, c = 1 / 0, d = true } })
        expect(portable[1]):same(1)
        expect(portable[3].a):str_match("^function")
        expect(portable[3].c):same("inf")
        expect(portable[3].d):same(true)
        expect(values.portable({ [3] = "c" })):same({ ["3"] = "c" })
        expect(values.portable(nil)):same(textutils.json_null)
    end)

    it("that hold themselves come to an end", function()
        local circle = {}
        circle.inner = circle
        expect(pcall(values.portable, circle)):same(true)
    end)

    it("that are an empty list stay one", function()
        expect(values.list({}, 0)):same(textutils.empty_json_array)
        expect(values.list({ "a", n = 1 }, 1)):same({ "a" })
    end)
end)
