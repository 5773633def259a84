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

-- Samples are whole numbers within a range.
local function bytes(...)
    return (dfpwm.encode(...):gsub(".", function(c) return ("%02x"):format(c:byte()) end))
end
print(bytes({ 0.5, 0, 0, 0, 0, 0, 0, 0 }), bytes({ -0.5, -0.5, 1, 1, 1, 1, 1, 1 }), bytes({ "5", 0, 0, 0, 0, 0, 0, 0 }))
print(bytes({ 127.9, 127, -128, 127, 127, 127, 127, 127, 127 }))
try("too high", dfpwm.encode, { 200, 0 })
try("too low", dfpwm.encode, { -129.5, 0 })
try("in the second byte", dfpwm.make_encoder(), { 1, 2, 3, 4, 5, 6, 7, 8, 9, 300 })
try("from a line", function()
    local text = dfpwm.encode({ 200 })
    return text
end)
print((pcall(dfpwm.encode, { "a" })), (pcall(dfpwm.encode, { true })), (pcall(dfpwm.encode, { {} })))
