-- A reader that resumes the coroutine that `load` runs in, or that gives what is no text, gets no chunk.
-- prints: nil	reader function must return a string
-- prints: nil	reader function must return a string
local thread
thread = coroutine.create(function()
    return load(function() return coroutine.resume(thread) end)
end)
local _, chunk, message = coroutine.resume(thread)
print(chunk, (message:gsub("^.*: ", "")))
chunk, message = load(function() return {} end)
print(chunk, (message:gsub("^.*: ", "")))
