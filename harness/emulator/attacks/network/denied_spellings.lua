-- However it is spelt.
-- settings: {"http_blacklist": ["127.0.0.0/8", "::1"]}
-- prints: 0
local port = fs.open("/port", "r").readAll()
local reached = 0
for _, host in ipairs({ "127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "[::ffff:127.0.0.1]", "localhost", "127.0.0.1." }) do
    local ok, response = pcall(http.get, "http://" .. host .. ":" .. port .. "/")
    if ok and response then reached = reached + 1 end
end
print(reached)
