-- http: how responses are read.

local file = fs.open("/server", "r")
local base = "http://" .. file.readAll() .. "/"
file.close()

local function keys_of(tbl)
    local names = {}
    for name in pairs(tbl) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return table.concat(names, " ")
end

local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do results[index] = ("%q"):format(tostring(results[index])) end
    print(label, results.n, table.concat(results, " "))
end

for _, binary in ipairs({ false, true }) do
    local response = http.get(base .. "lines", nil, binary)
    print(binary, keys_of(response))
    try("line", response.readLine)
    try("line and its end", response.readLine, true)
    try("two", response.read, 2)
    try("all", response.readAll)
    try("all again", response.readAll)
    try("line at the end", response.readLine)
    try("two at the end", response.read, 2)
    response.close()
    try("closed", response.readAll)
    try("closed again", response.close)
    try("code", response.getResponseCode)
    try("headers", response.getResponseHeaders)
end

for _, method in ipairs({ "readLine", "readAll" }) do
    local response = http.get(base .. "empty")
    try("empty " .. method, response[method])
    response.close()
end
