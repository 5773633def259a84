-- http: requests to a web server, what it is told and what it answers.

local file = fs.open("/server", "r")
local host = file.readAll()
file.close()
local base = "http://" .. host .. "/"

local function sorted_keys(tbl)
    local names = {}
    for name in pairs(tbl) do names[#names + 1] = tostring(name) end
    table.sort(names)
    return names
end

--- Prints a result: a response with all that it has.
local function show(value)
    if type(value) ~= "table" then return print(value) end
    local code, message = value.getResponseCode()
    print("response", code, message)
    local headers = value.getResponseHeaders()
    for _, name in ipairs(sorted_keys(headers)) do print("header", name, headers[name]) end
    print(("%q"):format(tostring(value.readAll())))
    value.close()
end

local function try(label, f, ...)
    print("--", label)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        if index == 2 and not results[1] then results[2] = tostring(results[2]):gsub("^/rom/[^:]+:%d+: ", "") end
        show(results[index])
    end
end

for _, path in ipairs({ "lines", "empty", "chunked", "status/201", "status/204", "status/404", "status/500", "nothing", "" }) do
    try(path, http.get, base .. path)
end
try("bytes", http.get, base .. "bytes", nil, true)
for _, status in ipairs({ 301, 302, 303, 307, 308 }) do
    try("moved " .. status, http.get, { url = base .. "moved/" .. status .. "/lines", redirect = false })
end
try("headers", http.get, base .. "echo", { ["X-One"] = "1", ["x-two"] = "a b", ["X-Three"] = 3 })
try("body", http.post, base .. "echo", "some body")
try("kind", http.post, base .. "echo", "body", { ["Content-Type"] = "text/x-test" })
try("blanks and marks", http.get, base .. "echo/a b")
try("part", http.get, base .. "echo#part")
for _, verb in ipairs({ "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "HEAD" }) do
    local name = verb:lower()
    try(name, http[name], base .. "echo", "body", { ["X-Name"] = name })
    try(name .. " as an option", http.get, { url = base .. "echo", method = verb })
    try(name .. " with a body", http.post, { url = base .. "echo", method = verb, body = "body" })
end
try("get", http.get, { url = base .. "echo", method = "GET", headers = { a = "b" }, timeout = 5, binary = 1 })

for _, options in ipairs({ base .. "lines", { url = base .. "status/404" }, { url = base .. "echo", body = "x" } }) do
    print("--", "request", http.request(options))
    local event = table.pack(os.pullEvent())
    for index = 1, event.n do show(event[index]) end
end
