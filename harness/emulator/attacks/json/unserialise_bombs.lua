-- Texts for `textutils` that are deep, long, code, or refer to themselves.
-- settings: {"memoryLimit": 67108864}
-- memory: 110 MiB
-- prints: alive
local bombs = {
    ("{"):rep(1e5), ("{"):rep(150) .. ("}"):rep(150), ("["):rep(1e5), "[" .. ("[],"):rep(1e5), '{"a":' .. ("["):rep(5000), ("-"):rep(1e5), "{" .. ("x=1,"):rep(3e4) .. "}",
    "{[{}]=1}", "0x" .. ("f"):rep(1e5), "1e999", '"' .. ("\\u12"):rep(1e4), '"\\ud800\\ud800"', "[" .. ("1e5,"):rep(1e5) .. "1]", "\0", ("/*"):rep(1e4), "nan", "{\"a\":1,}",
}
for _, bomb in ipairs(bombs) do
    for _, name in ipairs({ "unserialize", "unserializeJSON", "serialize", "serializeJSON", "urlEncode" }) do
        pcall(textutils[name], bomb)
        pcall(textutils.unserializeJSON, bomb, { nbt_style = true, parse_null = true, parse_empty_array = false })
    end
    sleep(0)
end
local deep = {}
for _ = 1, 1e5 do deep = { deep } end
pcall(textutils.serialize, deep)
pcall(textutils.serializeJSON, deep)
deep = nil
print("alive")
