-- Events that a program makes up reach the program only.
-- prints: alive
for _, name in ipairs({ "terminate", "timer", "modem_message", "websocket_message", "http_success", "rednet_message", "key", "paste", "" }) do
    os.queueEvent(name, {}, {}, {}, {}, {})
end
for _ = 1, 9 do os.pullEventRaw() end
print("alive")
