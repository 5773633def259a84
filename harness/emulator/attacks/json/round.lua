-- A table that contains itself is refused.
-- prints: false	false
local round = {}
round.round = round
print((pcall(textutils.serialiseJSON, round)), (pcall(textutils.serialise, round)))
