-- The functions of http.

for _, name in ipairs({ "get", "post", "put", "head", "delete", "patch", "options", "trace", "request", "checkURL", "checkURLAsync", "websocket", "websocketAsync" }) do
    print(name, type(http[name]))
end
