//! Calls of library functions with made-up arguments.

use crate::random::Random;
use crate::values::{Kind, literal};

/// Which machines have a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    Everywhere,
    /// Not in stock Lua 5.2.
    Craftos,
}

use Kind::{
    Any, Base, Code, Count, Format, Function, List, Number, PackFormat, Pattern, Position, Replacement,
    Table, Text,
};
use Where::{Craftos, Everywhere};

/// Functions whose results depend on nothing but their arguments.
const FUNCTIONS: &[(&str, &[Kind], Where)] = &[
    ("assert", &[Any, Any], Everywhere),
    ("error", &[Any, Count], Everywhere),
    ("getmetatable", &[Any], Everywhere),
    ("ipairs", &[List], Everywhere),
    ("load", &[Code], Everywhere),
    ("pcall", &[Function, Any, Any], Everywhere),
    ("rawequal", &[Any, Any], Everywhere),
    ("rawget", &[Table, Any], Everywhere),
    ("rawlen", &[List], Everywhere),
    ("rawset", &[Table, Any, Any], Everywhere),
    ("select", &[Position, Any, Any, Any], Everywhere),
    ("setmetatable", &[Table, Table], Everywhere),
    ("tonumber", &[Text, Base], Everywhere),
    ("tonumber", &[Any], Everywhere),
    ("tostring", &[Any], Everywhere),
    ("type", &[Any], Everywhere),
    ("xpcall", &[Function, Function, Any], Everywhere),
    ("string.byte", &[Text, Position, Position], Everywhere),
    ("string.char", &[Number, Number, Number], Everywhere),
    ("string.find", &[Text, Pattern, Position], Everywhere),
    ("string.find", &[Text, Text, Position, Any], Everywhere),
    ("string.format", &[Format, Number, Number, Any], Everywhere),
    ("string.format", &[Format, Text, Any, Any], Everywhere),
    ("string.gsub", &[Text, Pattern, Replacement, Position], Everywhere),
    ("string.len", &[Text], Everywhere),
    ("string.lower", &[Text], Everywhere),
    ("string.match", &[Text, Pattern, Position], Everywhere),
    ("string.rep", &[Text, Count, Text], Everywhere),
    ("string.reverse", &[Text], Everywhere),
    ("string.sub", &[Text, Position, Position], Everywhere),
    ("string.upper", &[Text], Everywhere),
    ("string.pack", &[PackFormat, Any, Any], Craftos),
    ("string.pack", &[PackFormat, Number, Number], Craftos),
    ("string.packsize", &[PackFormat], Craftos),
    ("string.unpack", &[PackFormat, Text, Position], Craftos),
    ("table.concat", &[List, Text, Count, Count], Everywhere),
    ("table.insert", &[List, Count, Any], Everywhere),
    ("table.insert", &[List, Any], Everywhere),
    ("table.pack", &[Any, Any], Everywhere),
    ("table.remove", &[List, Count], Everywhere),
    ("table.sort", &[List, Function], Everywhere),
    ("table.unpack", &[List, Count, Count], Everywhere),
    ("math.abs", &[Number], Everywhere),
    ("math.ceil", &[Number], Everywhere),
    ("math.floor", &[Number], Everywhere),
    ("math.fmod", &[Number, Number], Everywhere),
    ("math.frexp", &[Number], Everywhere),
    ("math.ldexp", &[Number, Count], Everywhere),
    ("math.max", &[Number, Number, Number], Everywhere),
    ("math.min", &[Number, Number, Number], Everywhere),
    ("math.modf", &[Number], Everywhere),
    ("math.sqrt", &[Number], Everywhere),
    ("math.pow", &[Number, Number], Everywhere),
    ("math.deg", &[Number], Everywhere),
    ("math.rad", &[Number], Everywhere),
    ("math.exp", &[Number], Everywhere),
    ("math.log", &[Number, Number], Everywhere),
    ("math.sin", &[Number], Everywhere),
    ("math.atan2", &[Number, Number], Everywhere),
    ("bit32.arshift", &[Number, Count], Everywhere),
    ("bit32.band", &[Number, Number, Number], Everywhere),
    ("bit32.bnot", &[Number], Everywhere),
    ("bit32.bor", &[Number, Number], Everywhere),
    ("bit32.btest", &[Number, Number], Everywhere),
    ("bit32.bxor", &[Number, Number], Everywhere),
    ("bit32.extract", &[Number, Count, Count], Everywhere),
    ("bit32.replace", &[Number, Number, Count, Count], Everywhere),
    ("bit32.lrotate", &[Number, Count], Everywhere),
    ("bit32.lshift", &[Number, Count], Everywhere),
    ("bit32.rrotate", &[Number, Count], Everywhere),
    ("bit32.rshift", &[Number, Count], Everywhere),
    ("coroutine.wrap", &[Function], Everywhere),
    ("coroutine.status", &[Any], Everywhere),
    ("coroutine.resume", &[Any, Any], Everywhere),
    ("utf8.char", &[Number, Number], Craftos),
    ("utf8.codepoint", &[Text, Position, Position], Craftos),
    ("utf8.len", &[Text, Position, Position], Craftos),
    ("utf8.offset", &[Text, Count, Position], Craftos),
];

/// Operators with operands of every kind.
const OPERATORS: &[&str] =
    &["+", "-", "*", "/", "%", "^", "..", "==", "~=", "<", "<=", ">", ">=", "and", "or"];

/// One call or operation, as an expression. `all` also takes functions that stock Lua does not have.
pub fn call(random: &mut Random, all: bool) -> String {
    if random.once_in(6) {
        let kinds = [Any, Number, Number, Text, Table];
        let [left, right] = [(); 2].map(|()| {
            let kind = kinds[random.below(kinds.len())];
            literal(kind, random)
        });
        return match random.below(OPERATORS.len() + 3) {
            0 => format!("-({left})"),
            1 => format!("#({left})"),
            2 => format!("not ({left})"),
            other => format!("({left}) {} ({right})", OPERATORS[other - 3]),
        };
    }
    loop {
        let (name, kinds, place) = FUNCTIONS[random.below(FUNCTIONS.len())];
        if place == Craftos && !all {
            continue;
        }
        // Mostly all arguments, sometimes fewer, now and then one more.
        let count = match random.below(8) {
            0 => random.below(kinds.len() + 1),
            1 => kinds.len() + 1,
            _ => kinds.len(),
        };
        let arguments: Vec<String> =
            (0..count).map(|at| literal(kinds.get(at).copied().unwrap_or(Any), random)).collect();
        return format!("{name}({})", arguments.join(", "));
    }
}
