-- wget: downloads a file, or runs one without saving it.

local program = require("cc.internal.program")(arg, shell, ...)

--- Prints the forms of use; the optional name stands in brackets.
local function usage()
    local name = program.name
    print(("Usage:\n%s <url> [filename]\n%s run <url>"):format(name, name))
end

--- Finds the name that a file has in its address.
---@return string
local function name_in(address)
    local without_query = address:gsub("[#?].*", ""):gsub("/+$", "")
    return without_query:match("[^/]*$")
end

--- Fetches an address.
---@return string|nil content nil if that failed, which was said
local function download(address)
    -- Blanks from copying do no harm.
    local allowed, problem = http.checkURL(address)
    if not allowed then return printError(problem or "Invalid URL.") end
    local response = program.connect(address, function() return http.get(address) end)
    local content = response and (response.readAll() or "")
    if response then response.close() end
    return content
end

local words = program.words
local runs = words[1] == "run"
local address = words[runs and 2 or 1]
if not address then return usage() end
if not program.has_network("wget") then return end

if runs then
    local content = download(address)
    if content then program.run_text(content, name_in(address), _ENV, table.unpack(words, 3)) end
    return
end

local name = words[2] or name_in(address)
local path = shell.resolve(name)
if fs.exists(path) then return print("File already exists") end
local content = download(address)
if content and program.save(path, content) then print("Downloaded as " .. name) end
