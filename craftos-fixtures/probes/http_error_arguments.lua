-- http: what its functions say about wrong arguments.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local address = "http://127.0.0.1:1/"
try("get", http.get)
try("get number", http.get, 5)
try("headers", http.get, address, 5)
try("binary", http.get, address, {}, 5)
try("table", http.get, {})
try("table url", http.get, { url = 5 })
try("table method", http.get, { url = address, method = 5 })
try("table headers", http.get, { url = address, headers = 5 })
try("table redirect", http.get, { url = address, redirect = 5 })
try("unsupported", http.get, { url = address, method = "NOPE" })
try("post", http.post)
try("post body", http.post, address)
try("post number", http.post, address, 5)
try("post table", http.post, { url = address })
try("put", http.put, 5)
try("request", http.request)
try("request body", http.request, address, 5)
try("check", http.checkURL)
try("websocket", http.websocket)
try("websocket headers", http.websocket, "ws://127.0.0.1:1/", 5)
try("websocketAsync", http.websocketAsync)
