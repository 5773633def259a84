-- Iterators without end are stopped.
-- prints: Too long without yielding
config.set("abortTimeout", 300)
sleep(0)
local ok, message = pcall(function() for _ in function() return 1 end do end end)
sleep(0)
print((message:gsub("^.*: ", "")))
