-- A program that goes on after it has turned its computer off does not.
-- prints: before
print("before")
local co = coroutine.create(os.shutdown)
coroutine.resume(co, 0)
sleep(0)
print("after")
