-- A computer opens no port.
-- prints: true	true
print(not http.addListener or not pcall(http.addListener, 8080), not http.websocketServer or not pcall(http.websocketServer, 8080))
