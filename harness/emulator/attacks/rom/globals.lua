-- A program that destroys its globals destroys its own.
-- error: attempt to
local keep = _G
for name in pairs(keep) do if name ~= "_G" then keep[name] = nil end end
local x = nil
x.y = 1
