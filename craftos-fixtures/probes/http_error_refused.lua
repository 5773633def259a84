-- http: nobody listens.

local address = "http://127.0.0.1:1/"
print(http.get(address))
print(http.post(address, "body"))
print(http.put(address, "body"))
print(http.get({ url = address, method = "DELETE" }))
print(http.request(address))
print(os.pullEvent("http_failure"))
print(http.request({ url = address, method = "PATCH", body = "x" }))
print(os.pullEvent("http_failure"))
print(http.websocket("ws://127.0.0.1:1/"))
print(http.websocketAsync("ws://127.0.0.1:1/"))
print(os.pullEvent("websocket_failure"))
for _, url in ipairs({ "http://x", "foo" }) do print(url, http.websocket(url)) end
print(http.checkURLAsync("http://127.0.0.1/"))
print(os.pullEvent("http_check"))
