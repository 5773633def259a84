-- What guards the host cannot be set.
-- prints: 0
local set = 0
for _, name in ipairs({
    "computerSpaceLimit", "http_blacklist", "http_whitelist", "http_enable", "http_max_download", "http_max_upload",
    "http_max_requests", "http_max_websocket_message", "http_max_websockets", "maximumFilesOpen", "maxOpenPorts", "memoryLimit",
}) do
    if pcall(config.set, name, config.get(name)) then set = set + 1 end
end
print(set)
