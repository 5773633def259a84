-- cc.internal.event: what programs do with events that belong together.

-- What comes after the character of a key was left out, or was never to come.
local follows_key = { char = true, key_up = true, terminate = true }

--- Takes the character that a pressed key typed out of the queue, for programs that act
--- on the key and ask for text next.
local function discard_char()
    local deadline = os.startTimer(0)
    local name, id
    repeat
        name, id = os.pullEvent()
    until follows_key[name] or (id == deadline and name == "timer")
    if name ~= "timer" then os.cancelTimer(deadline) end
end

return { discard_char = discard_char }
