-- What a handler of errors uses above a full stack is taken back each time.
-- memory: 220 MiB
-- prints: 20	stack overflow, error in error handling
local function deep(a, b, c)
    return 1 + deep(a, b, c)
end
local count, text = 0, nil
for _ = 1, 20 do
    local ok, message = xpcall(deep, function(message)
        return message:match("stack overflow") .. ", " .. select(2, pcall(deep))
    end)
    count, text = count + (ok and 0 or 1), message
    sleep(0)
end
print(count, text)
