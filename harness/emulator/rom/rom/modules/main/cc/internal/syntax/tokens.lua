-- cc.internal.syntax.tokens: the kinds of tokens of Lua and how messages name them.

local keywords = {
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
    "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
}

local symbols = {
    ADD = "+", SUB = "-", MUL = "*", DIV = "/", MOD = "%", POW = "^", LEN = "#",
    EQ = "==", NE = "~=", LE = "<=", GE = ">=", LT = "<", GT = ">", EQUALS = "=",
    OPAREN = "(", CPAREN = ")", OBRACE = "{", CBRACE = "}", OSQUARE = "[", CSQUARE = "]",
    DOUBLE_COLON = "::", SEMICOLON = ";", COLON = ":", COMMA = ",", DOT = ".", CONCAT = "..", DOTS = "...",
}

local tokens, display = {}, {}
local by_keyword, by_symbol = {}, {}
local count = 0

local function add(name, text)
    count = count + 1
    tokens[name] = count
    display[count] = text
    return count
end

add("EOF", "end of file")
add("IDENT", "identifier")
add("NUMBER", "number")
add("STRING", "string")
for _, word in ipairs(keywords) do by_keyword[word] = add(word:upper(), word) end

local symbol_names = {}
for name in pairs(symbols) do symbol_names[#symbol_names + 1] = name end
table.sort(symbol_names)
for _, name in ipairs(symbol_names) do by_symbol[symbols[name]] = add(name, symbols[name]) end

-- What follows here is never given to the parser.
add("COMMENT", "comment")
add("ERROR", "error")

return {
    tokens = tokens,
    display = display,
    keywords = by_keyword,
    symbols = by_symbol,
}
