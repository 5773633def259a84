-- Every metamethod that calls itself ends with an error.
-- prints: 0
local survived = 0
local t
local actions = {
    __index = function() return t.x end, __newindex = function() t.x = 1 end, __call = function() return t() end,
    __add = function() return t + t end, __unm = function() return -t end, __len = function() return #t end,
    __eq = function() return t == setmetatable({}, getmetatable(t)) end, __lt = function() return t < t end,
    __le = function() return t <= t end, __concat = function() return t .. t end,
}
for name, action in pairs(actions) do
    t = setmetatable({}, { [name] = function() return (action() or 0) end })
    if pcall(action) then survived = survived + 1 end
end
print(survived)
