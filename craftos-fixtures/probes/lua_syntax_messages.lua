-- What the compiler says about wrong programs.

for _, source in ipairs({
    "x = ", "local 1 = 2", "if true", "for i = 1 do end", "return return", "x = {", "f(", "goto missing",
    "break", "local x <const> = 1", "x = 'unfinished", "x = [[unfinished", "--[[unfinished", "x = 1 2", "end",
    "::a:: ::a::", "x += 1", "x = 0x", "x = 1..2", "x = '\\q'", "x = '\\300'", "function f(a,) end",
    "local function f.x() end", "x = }", "a.b:c = 1", "f() = 1", "x = @", "return 1,", "x = ... ; function g() return ... end",
    "local a = 5 // 2", "local a = 5 & 2", "while true do", "repeat until", "x = a ? b : c", "if x = 1 then end",
}) do
    local chunk, message = load(source, "=src")
    print(chunk and "loads" or message)
end
