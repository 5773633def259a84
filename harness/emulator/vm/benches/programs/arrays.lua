local n = 3000000
local sieve = {}
for i = 2, n do sieve[i - 1] = true end
for i = 2, math.floor(math.sqrt(n)) do
    if sieve[i - 1] then for j = i * i, n, i do sieve[j - 1] = false end end
end
local count = 0
for i = 2, n do if sieve[i - 1] then count = count + 1 end end
assert(count == 216816)
