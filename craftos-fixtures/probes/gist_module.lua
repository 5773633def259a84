-- cc.http.gist against a server that is not there: what it asks for, and what it makes of the answers.

local files = {
    ["b.lua"] = { filename = "b.lua", content = "return 'b', ..." },
    ["init.lua"] = { filename = "init.lua", content = "return 'init', ..." },
}
local answer = textutils.serialiseJSON({
    id = "abc",
    description = "text",
    html_url = "https://gist.github.com/abc",
    owner = { login = "bob" },
    history = { { version = "1" } },
    files = files,
})

local function response(code)
    return {
        readAll = function() return answer end,
        close = function() end,
        getResponseCode = function() return code end,
    }
end

local code = 201
local api = http
function api.get(url)
    print("get", url)
    return response(200)
end
function api.post(url, body, headers)
    if type(url) == "table" then url, body, headers = url.url .. " " .. url.method, url.body, url.headers end
    local sent = body and textutils.unserialiseJSON(body) or {}
    print("post", url, headers.Authorization, headers["Content-Type"], sent.description, sent.public)
    for name, file in pairs(sent.files or {}) do print(name, file.content) end
    return response(code)
end

local gist = require("cc.http.gist")
print(gist.get("abc"))
print(gist.get("abc/b.lua", function(text) print("told", text) end))
for name, content in pairs(gist.getAll("abc/b.lua")) do
    if name == "b.lua" then print(content) end
end
local info = gist.info("abc")
print(info.author, info.description, info.revisionCount, table.concat(info.files, ","))
print(gist.run("abc", 1, 2))
print(gist.run("abc/b.lua"))

settings.set("gist.id", "TOKEN")
print(gist.put({ ["x.lua"] = "text" }))
print(gist.put({ ["x.lua"] = "text" }, "words", "abc"))
print(gist.delete("abc"))
code = 204
print(gist.delete("abc"))
print(gist.put({ ["x.lua"] = "text" }))

answer = "not JSON"
print(gist.get("abc"))
print(gist.info("abc"))
function api.get() return nil, "Not Found" end
print(gist.get("abc", function(text) print("told", text) end))
print(gist.getAll("abc"))

for _, call in ipairs({
    function() gist.get() end,
    function() gist.get("abc", 5) end,
    function() gist.info(5) end,
    function() gist.run({}) end,
    function() gist.put("x") end,
    function() gist.put({}, 5) end,
    function() gist.put({}, nil, 5) end,
    function() gist.put({}, nil, nil, 5) end,
    function() gist.delete("abc", 5) end,
}) do
    print(pcall(call))
end
