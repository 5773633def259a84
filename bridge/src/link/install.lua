-- Puts mcp-computer onto this computer: wget run http://HOST:PORT/install.lua [--install] [--token T]
-- Nothing is written before every file was fetched and has the hash that the bridge names.

local BASE = "http://HOST:PORT"
local PROGRAM = "/programs/mcp-computer.lua"

local FILES = {
--[[FILES]]}

local sha256 = (function()
--[[SHA256]]
end)()

local function fail(message)
    error(message, 0)
end

local function fetch(path)
    local response, problem = http.get(BASE .. "/files/" .. path, nil, true)
    if not response then
        fail(("failed to fetch `%s`: %s"):format(path, tostring(problem)))
    end
    local text = response.readAll() or ""
    response.close()
    return text
end

local function checked(file)
    local text = fetch(file.path)
    if sha256(text) ~= file.sha256 then
        fail(("`%s` is not what the bridge has\nhint: run the installer again"):format(file.path))
    end
    return text
end

local function write(path, text)
    local handle, problem = fs.open(path, "wb")
    if not handle then
        fail(("failed to write `%s`: %s"):format(path, tostring(problem)))
    end
    handle.write(text)
    handle.close()
end

local texts = {}
for index, file in ipairs(FILES) do
    texts[index] = checked(file)
end
for index, file in ipairs(FILES) do
    write("/" .. file.path, texts[index])
end
print(("mcp-computer is installed: %d files, from %s"):format(#FILES, BASE))

local url = BASE:gsub("^http", "ws")
local words, starts_at_boot = {}, false
for _, word in ipairs({ ... }) do
    if word == "--install" then
        starts_at_boot = true
    else
        words[#words + 1] = word
    end
end
if starts_at_boot then
    shell.run(PROGRAM, "--install", url, table.unpack(words))
else
    print(("run it with `%s %s`"):format(PROGRAM, url))
end
