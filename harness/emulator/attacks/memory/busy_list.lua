-- A long list whose entries are replaced all the time: what it no longer holds is found, although a collection that looks at
-- it as a whole is never done with it.
-- memory: 110 MiB
-- prints: done
local list, at = {}, 0
for i = 1, 50000 do list[i] = 0 end
for round = 1, 2000 do
    for i = 1, 1000 do
        at = at % 50000 + 1
        list[at] = { round }
    end
    if round % 100 == 0 then sleep(0) end
end
print("done")
