//! Literals of every kind, as Lua source.

use crate::random::Random;

/// What a parameter wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Any,
    Number,
    /// A small whole number: a position, or how often.
    Count,
    /// A number that only decides what is returned, so that it may be huge.
    Position,
    Text,
    Pattern,
    Replacement,
    Format,
    PackFormat,
    Table,
    List,
    Function,
    Base,
    /// Source code.
    Code,
}

const NUMBERS: &[&str] = &[
    "0", "1", "2", "3", "7", "10", "-1", "-2", "-7", "0.5", "-0.5", "1.5", "2.5", "-3.75", "1e15", "1e100", "-1e100", "1e-10", "2^31",
    "2^32", "2^53", "-2^53", "2^63", "-2^63", "2^64", "1/0", "-1/0", "255", "256", "65", "0.1", "123456.789", "5e-324", "0x10", "0xA.8p1",
    "-0.0", "1e308", "97", "3.0", "100", "1000", "-100", "4294967295", "4294967296.5", "2^52+0.5", "\"10\"", "\"0x1F\"", "\" 5 \"",
];
const COUNTS: &[&str] = &["0", "1", "2", "3", "4", "5", "-1", "-2", "-3", "7", "1.5", "\"2\"", "-100", "12"];
const BASES: &[&str] = &["2", "8", "10", "16", "36", "3", "1", "37", "0", "-1", "10.5", "\"16\""];
const TEXTS: &[&str] = &[
    r#""""#, r#""a""#, r#""abc""#, r#""hello world""#, r#""aaa""#, r#""x=1, y=22""#, r#""THE (quick) fox""#, r#""10""#, r#"" 0x1F ""#,
    r#""1e2""#, r#""-5.5""#, r#""a\0b""#, r#""\0""#, r#""line\nline2\n""#, r#""\"q\\\r\n\0001""#, r#""\200\255\128""#, r#""äöü€""#,
    r#""ABCdef""#, r#""%d""#, r#""[x]""#, r#""a.b.c""#, r#""()()""#, r#""((a)(b))""#, r#""key = value""#, r#"("ab"):rep(20)"#,
    r#"("x"):rep(120)"#, r#""return 1""#, r#""zz""#, r#""Z""#, r#""nan""#, r#""0x""#, r#""7fffffff""#, r#""true""#,
];
const PATTERNS: &[&str] = &[
    r#""""#, r#""a""#, r#""%a+""#, r#""(%w+)=(%w+)""#, r#""^%s*(.-)%s*$""#, r#""()""#, r#""%b()""#, r#""%f[%a]%a+""#, r#"".""#, r#""[^,]*""#,
    r#""a*""#, r#""a-b""#, r#""(a)(b)?""#, r#""%d+""#, r#""[%w_]+""#, r#""(.)%1""#, r#""%""#, r#""[a""#, r#""(a""#, r#""a)""#, r#""%1""#,
    r#""%f""#, r#""%b""#, r#""^a""#, r#""$""#, r#""l+""#, r#""[a-c]""#, r#""[]]""#, r#""[^%s]""#, r#""(()a())""#, r#""%z""#, r#""x?y""#,
    r#"".-""#, r#""(.*)%.(.*)""#, r#""\0""#, r#""[\128-\255]+""#, r#""%u%l*""#, r#""%p""#, r#""%x+""#, r#""(%()(.-)(%))""#,
];
const REPLACEMENTS: &[&str] = &[
    r#""""#, r#""x""#, r#""%0""#, r#""%1""#, r#""%2 %1""#, r#""<%0>""#, r#""%%""#, "{a = 1, b = \"two\", x = false}", "function(a, b) return b end",
    "function(a) return a .. a end", "function() end", "string.upper", "{}", "function() return {} end", "5", "function() return 1.5 end",
    "function() error(\"oops\") end", "setmetatable({}, {__index = function(_, k) return k .. \"!\" end})",
];
const FORMATS: &[&str] = &[
    r#""%d""#, r#""%5d|""#, r#""%-5d|""#, r#""%05d""#, r#""%+d""#, r#""%x""#, r#""%X %o""#, r#""%5.2f""#, r#""%e""#, r#""%g""#, r#""%.3g""#,
    r#""%a""#, r#""%c""#, r#""%s""#, r#""%10s|""#, r#""%-10s|""#, r#""%.2s""#, r#""%i""#, r#""%u""#, r#""%%""#, r#""%d %s""#, r#""%s %s %s""#,
    r#""%""#, r#""%y""#, r#""%100d""#, r#""%.14g""#, r#""%.0f""#, r##""%#x""##, r#""% d""#, r#""%.20f""#, r#""%5s%5s""#,
];
const PACK_FORMATS: &[&str] = &[
    r#""b""#, r#""B""#, r#""h""#, r#""i4""#, r#"">I2""#, r#""<i8""#, r#""d""#, r#""f""#, r#""s1""#, r#""z""#, r#""c5""#, r#""!4 b i4""#, r#""x""#,
    r#""Xi4""#, r#""i17""#, r#""k""#, r#""j""#, r#""n""#, r#""s""#, r#""i3""#, r#""bbb""#, r#"">d""#, r#""!8 b Xd d""#, r#""I16""#, r#""zs2""#,
];
const LISTS: &[&str] = &[
    "{}", "{1, 2, 3}", "{\"b\", \"a\", \"c\"}", "{3, 1, 2}", "{5}", "{1, \"x\", 2.5}", "{1, nil, 3}", "{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}",
    "{\"x\", {}, 1}", "{n = 2, 1, 2}", "{true, false}", "{2, 2, 1, 1, 3, 3}", "{\"a\", \"B\", \"10\", \"9\"}", "{0.5, -1, 1/0, -1/0}",
];
const TABLES: &[&str] = &[
    "{}", "{a = 1}", "{1, 2, 3}", "{[1.5] = 2}", "setmetatable({}, {__index = {a = 5}})", "setmetatable({1, 2}, {__len = function() return 5 end})",
    "setmetatable({}, {__tostring = function() return \"obj\" end})", "setmetatable({}, {__metatable = \"locked\"})",
    "setmetatable({}, {__call = function(_, ...) return select(\"#\", ...), ... end})", "setmetatable({}, {__eq = function() return true end})",
    "setmetatable({}, {__concat = function() return \"cat\" end, __unm = function() return 1 end})",
    "setmetatable({7}, {__pairs = function(t) return function(_, k) if not k then return 1, 2 end end, t, nil end})",
    "setmetatable({}, {__lt = function() return true end, __le = function() return false end})",
];
const FUNCTIONS: &[&str] = &[
    "function() end", "function(...) return ... end", "function(a, b) return a < b end", "function(a, b) return a > b end", "function(a) return a end",
    "function() error(\"oops\") end", "function() error({}) end", "function() error(\"lvl2\", 2) end", "string.upper", "tostring", "type",
    "function(a) return a + 1 end", "function(x) return x.y.z end", "function() return coroutine.yield(1, 2) end", "function() local t = nil; t.x = 1 end",
    "function(a, b) return #a < #b end", "select", "error", "function() return true end", "math.max",
];
const CODES: &[&str] = &[
    r#""return 1, 2""#, r#""x =""#, r#""return ...""#, r#""local a <const> = 1""#, r#""for""#, r#""return x""#, r#""x = 5 return x""#, r#""goto a; ::a:: return 3""#,
    r#""break""#, r#""return (function() end)()""#, r#""a.b:c = 1""#, r#""return 'unfinished""#, r#""return [[x]]""#, r#""--[[ open""#, r#""return 1e""#, r#""return 0x""#,
    r#""::a:: ::a::""#, r#""goto nowhere""#, r#""return \"\\q\"""#, r#""return '\\300'""#, r#""return '\\x4g'""#, r#""local function f() return f end return f() == f""#, r#""return 3..2""#,
    r#""return {f=1, [2]=3; 4}""#, r#""x = }""#, r#""return @""#, r#""if x then""#, r#""return not nil == true""#, r#""f(""#, r#""return '\\z   x'""#, r#""return -2^2, 2^-1""#,
];
const OTHERS: &[&str] = &["nil", "true", "false", "next", "coroutine.create(function() end)"];

/// A literal of the kind, or now and then of another: what a function says then is compared too.
pub fn literal(kind: Kind, random: &mut Random) -> String {
    if random.once_in(14) {
        let others = [NUMBERS, TEXTS, LISTS, TABLES, OTHERS, OTHERS, FUNCTIONS];
        let other = others[random.below(others.len())];
        return random.pick(other).to_owned();
    }
    let list = match kind {
        Kind::Any => {
            let all = [NUMBERS, TEXTS, LISTS, TABLES, FUNCTIONS, OTHERS];
            all[random.below(all.len())]
        }
        Kind::Number => NUMBERS,
        Kind::Count => COUNTS,
        Kind::Position if random.once_in(3) => NUMBERS,
        Kind::Position => COUNTS,
        Kind::Text => TEXTS,
        Kind::Pattern => return pattern(random),
        Kind::Replacement => REPLACEMENTS,
        Kind::Format => FORMATS,
        Kind::PackFormat => PACK_FORMATS,
        Kind::Table => TABLES,
        Kind::List => LISTS,
        Kind::Function => FUNCTIONS,
        Kind::Base => BASES,
        Kind::Code => CODES,
    };
    random.pick(list).to_owned()
}

/// A pattern from the list, or two after each other.
fn pattern(random: &mut Random) -> String {
    let first = random.pick(PATTERNS);
    if random.once_in(3) {
        return format!("{first} .. {}", random.pick(PATTERNS));
    }
    first.to_owned()
}
