-- cc.audio.dfpwm: encoding and decoding, with state.

--- Prints what a call returns, or the error that it raises.
local function try(label, f, ...)
    local results = table.pack(pcall(f, ...))
    for index = 1, results.n do
        results[index] = tostring(results[index]):gsub("^/rom/[^:]+:%d+: ", "")
    end
    print(label .. ": " .. table.concat(results, ", ", 1, results.n))
end

local dfpwm = require("cc.audio.dfpwm")
local samples = {}
for index = 1, 64 do samples[index] = math.floor(100 * math.sin(index / 5)) end
local encoded = dfpwm.encode(samples)
print(#encoded, (encoded:gsub(".", function(c) return ("%02x"):format(c:byte()) end)))
print(table.concat(dfpwm.decode(encoded), " "))
local encode, decode = dfpwm.make_encoder(), dfpwm.make_decoder()
local first = encode({ table.unpack(samples, 1, 32) })
local second = encode({ table.unpack(samples, 33, 64) })
print(first .. second == encoded)
print(#decode(first), #decode(second), #dfpwm.decode(""), #dfpwm.encode({}))
print(#dfpwm.encode({ 1, 2, 3 }))
try("decode", dfpwm.decode, 5)
try("encode", dfpwm.encode, "x")
