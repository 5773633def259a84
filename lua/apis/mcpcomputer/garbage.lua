-- Keeps CraftOS-PC's garbage collector from running at every allocation.
--
-- It waits with its next cycle until there is twice of what it has traversed, and what it traverses leaves out the
-- records of substrings and of joined strings. Where these outweigh the rest, from some 25,000 such strings on, the
-- wait is over before it begins: every allocation runs a whole cycle, milliseconds each, and a chunk that takes a
-- tenth of a second is stopped for running too long. So the wait is made longer, and bounded here instead.

local host = tostring(_HOST)
local collect = collectgarbage
local NEEDED = type(collect) == "function"
    and host:find("CraftOS%-PC") ~= nil
    and not host:find("embedded", 1, true)

-- The wait, in percent of what was traversed. A string in a list takes 16 to 32 bytes that are counted, and mostly 100
-- to 250 that are not.
local PAUSE = 1000

-- No cycle is forced below this; above it, at twice of what the last one left.
local LEAST_KIB = 64 * 1024

local limit = LEAST_KIB
local usual_pause
local holders = 0

---Makes the wait longer, until `restore` was called as often as this.
local function ease()
    holders = holders + 1
    if NEEDED and holders == 1 then
        usual_pause = collect("setpause", PAUSE)
    end
end

---Collects where the longer wait would let too much pile up. To be called now and then; it is quick.
local function check()
    if NEEDED and holders > 0 and collect("count") > limit then
        collect("collect")
        limit = math.max(LEAST_KIB, collect("count") * 2)
    end
end

---Makes the wait what it was.
local function restore()
    holders = holders - 1
    if NEEDED and holders == 0 then
        collect("setpause", usual_pause)
    end
end

return { ease = ease, check = check, restore = restore }
