-- textutils.unserializeJSON: the messages about malformed text.

for _, text in ipairs({
    "", " ", "{", "[", "[1", "[1,", "[1,]", '{"a"', '{"a":', '{"a":1', '{"a":1,', '{"a":1,}', "{a:1}", "{1:2}", "nul", "tru", "True", '"abc', '"a\\x"', '"\\u12"', '"\\',
    "1 2", "[1 2]", "-", "+1", ".5", "1e", "[1]]", "'a'", '{"a" 1}', "[,1]", "{,}", "nan", "0x10", "1b", '{"a":1 "b":2}', "// comment", "undefined", "[1}", '{"a":1]', "1-2", "--1",
}) do
    print(text, textutils.unserializeJSON(text))
end
