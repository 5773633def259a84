//! The standard libraries.
//!
//! Each native is a function of [`Call`]; what has to wait for Lua, or takes long, goes on from a continuation.

mod base;
mod bits;
mod coroutines;
mod debugging;
mod environment;
mod formats;
mod loading;
mod maths;
mod merging;
mod packing;
mod partitioning;
mod patterns;
mod proxies;
mod quick;
mod sorting;
mod strings;
mod tables;
mod unicode;

use crate::dialect::Dialect;
use crate::machine::{Call, Cont, Outcome, State};
use crate::value::{NativeId, Value};

pub use formats::Format;
pub use loading::{Compiling, Reader};
pub use maths::seeded;
pub use merging::Merge;
pub use partitioning::Partition;
pub use patterns::{Gsub, Matchers, Search};
pub use quick::{QUICK, Quick, Scene};

/// Every native finds room for this many values.
pub const SPARE_SLOTS: usize = 16;

type NativeFn = fn(&mut Call<'_>) -> Result<Outcome, Value>;
pub type Ended = Result<Outcome, Value>;

/// All natives. Their positions are their numbers, in this order for ever: a state that is written out names them.
const NATIVES: &[(&str, NativeFn)] = &[
    ("next", base::next),
    ("ipairs.step", base::ipairs_step),
    ("coroutine.wrapped", coroutines::wrapped),
    ("string.gmatch.step", patterns::gmatch_step),
    ("utf8.codes.step", unicode::codes_step),
    ("assert", base::assert),
    ("collectgarbage", base::collectgarbage),
    ("error", base::error),
    ("getmetatable", base::getmetatable),
    ("ipairs", base::ipairs),
    ("pairs", base::pairs),
    ("pcall", base::pcall),
    ("rawequal", base::rawequal),
    ("rawget", base::rawget),
    ("rawlen", base::rawlen),
    ("rawset", base::rawset),
    ("select", base::select),
    ("setmetatable", base::setmetatable),
    ("tonumber", base::tonumber),
    ("tostring", base::tostring),
    ("type", base::type_of),
    ("xpcall", base::xpcall),
    ("load", loading::load),
    ("loadstring", loading::loadstring),
    ("getfenv", environment::getfenv),
    ("setfenv", environment::setfenv),
    ("unpack", tables::unpack),
    ("coroutine.create", coroutines::create),
    ("coroutine.isyieldable", coroutines::isyieldable),
    ("coroutine.resume", coroutines::resume),
    ("coroutine.running", coroutines::running),
    ("coroutine.status", coroutines::status),
    ("coroutine.wrap", coroutines::wrap),
    ("coroutine.yield", coroutines::yield_values),
    ("table.concat", tables::concat),
    ("table.insert", tables::insert),
    ("table.maxn", tables::maxn),
    ("table.move", tables::move_values),
    ("table.pack", tables::pack),
    ("table.remove", tables::remove),
    ("table.sort", sorting::sort),
    ("table.unpack", tables::unpack),
    ("math.abs", maths::abs),
    ("math.acos", maths::acos),
    ("math.asin", maths::asin),
    ("math.atan", maths::atan),
    ("math.atan2", maths::atan2),
    ("math.ceil", maths::ceil),
    ("math.cos", maths::cos),
    ("math.cosh", maths::cosh),
    ("math.deg", maths::deg),
    ("math.exp", maths::exp),
    ("math.floor", maths::floor),
    ("math.fmod", maths::fmod),
    ("math.frexp", maths::frexp),
    ("math.ldexp", maths::ldexp),
    ("math.log", maths::log),
    ("math.log10", maths::log10),
    ("math.max", maths::max),
    ("math.min", maths::min),
    ("math.modf", maths::modf),
    ("math.pow", maths::pow),
    ("math.rad", maths::rad),
    ("math.random", maths::random),
    ("math.randomseed", maths::randomseed),
    ("math.sin", maths::sin),
    ("math.sinh", maths::sinh),
    ("math.sqrt", maths::sqrt),
    ("math.tan", maths::tan),
    ("math.tanh", maths::tanh),
    ("bit32.arshift", bits::arshift),
    ("bit32.band", bits::band),
    ("bit32.bnot", bits::bnot),
    ("bit32.bor", bits::bor),
    ("bit32.btest", bits::btest),
    ("bit32.bxor", bits::bxor),
    ("bit32.extract", bits::extract),
    ("bit32.lrotate", bits::lrotate),
    ("bit32.lshift", bits::lshift),
    ("bit32.replace", bits::replace),
    ("bit32.rrotate", bits::rrotate),
    ("bit32.rshift", bits::rshift),
    ("string.byte", strings::byte),
    ("string.char", strings::char),
    ("string.dump", strings::dump),
    ("string.find", patterns::find),
    ("string.format", formats::format),
    ("string.gmatch", patterns::gmatch),
    ("string.gsub", patterns::gsub),
    ("string.len", strings::len),
    ("string.lower", strings::lower),
    ("string.match", patterns::match_text),
    ("string.pack", packing::pack),
    ("string.packsize", packing::packsize),
    ("string.rep", strings::rep),
    ("string.reverse", strings::reverse),
    ("string.sub", strings::sub),
    ("string.unpack", packing::unpack),
    ("string.upper", strings::upper),
    ("utf8.char", unicode::char),
    ("utf8.codepoint", unicode::codepoint),
    ("utf8.codes", unicode::codes),
    ("utf8.len", unicode::len),
    ("utf8.offset", unicode::offset),
    ("debug.gethook", debugging::gethook),
    ("debug.getinfo", debugging::getinfo),
    ("debug.getlocal", debugging::getlocal),
    ("debug.getmetatable", debugging::getmetatable),
    ("debug.getregistry", debugging::getregistry),
    ("debug.getupvalue", debugging::getupvalue),
    ("debug.getuservalue", debugging::getuservalue),
    ("debug.sethook", debugging::sethook),
    ("debug.setlocal", debugging::setlocal),
    ("debug.setmetatable", debugging::setmetatable),
    ("debug.setupvalue", debugging::setupvalue),
    ("debug.traceback", debugging::traceback),
    ("debug.upvalueid", debugging::upvalueid),
    ("debug.upvaluejoin", debugging::upvaluejoin),
    ("table.foreach", tables::foreach),
    ("table.foreachi", tables::foreachi),
    ("table.getn", tables::getn),
    ("table.setn", tables::setn),
];

/// Functions of Lua 5.1 that CraftOS-PC still has.
const OLD: [&str; 4] = ["table.foreach", "table.foreachi", "table.getn", "table.setn"];

/// Natives that no program finds under a name.
const HIDDEN: u32 = 5;
pub const NEXT: NativeId = NativeId(0);
pub const IPAIRS_STEP: NativeId = NativeId(1);
pub const WRAPPED: NativeId = NativeId(2);
pub const GMATCH_STEP: NativeId = NativeId(3);
pub const CODES_STEP: NativeId = NativeId(4);

/// How many natives the standard libraries have; the host's follow.
pub fn count() -> u32 {
    u32::try_from(NATIVES.len()).expect("the list is short")
}

/// The names of the natives, in the order of their numbers.
pub fn names() -> impl Iterator<Item = &'static str> {
    NATIVES.iter().map(|(name, _)| *name)
}

pub fn native(id: NativeId) -> Option<NativeFn> {
    NATIVES.get(id.0 as usize).map(|(_, function)| *function)
}

/// The name of a native, such as `string.rep`.
pub fn name(id: NativeId, host_names: &[Box<str>]) -> Option<String> {
    if let Some((name, _)) = NATIVES.get(id.0 as usize) {
        return Some((*name).to_owned());
    }
    host_names.get((id.0 - count()) as usize).map(|name| (*name).to_string())
}

/// A native goes on with the first value that arrived.
pub fn go_on(call: &mut Call<'_>, cont: Cont, value: Value) -> Ended {
    match cont {
        Cont::ToText => base::finish_tostring(call, value),
        Cont::Merge(sort) => sort.run(call),
        Cont::Partition(sort) => sort.go_on(call, value),
        Cont::Gsub(gsub) => patterns::go_on_gsub(call, gsub, value),
        Cont::Search(search) => patterns::go_on_search(call, *search),
        Cont::Format(format) => formats::go_on(call, format, value),
        Cont::Load(reader) => loading::go_on(call, reader, value),
        other => unreachable!("{other:?} is handled by the machine"),
    }
}

/// What C makes of a whole number that it keeps as an `int`: its lowest 32 bits.
fn lowest_bits(number: i64) -> i64 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d]).into()
}

/// Puts the libraries into the globals of a new state.
pub fn open(state: &mut State) -> Result<(), Value> {
    let globals = state.globals;
    for (number, (name, _)) in (0..).zip(NATIVES) {
        if (number > 0 && number < HIDDEN) || (state.dialect == Dialect::Stock && OLD.contains(name)) {
            continue;
        }
        let value = Value::Native(NativeId(number));
        let (table, field) = match name.split_once('.') {
            Some((library, field)) => {
                let key = state.string(library.as_bytes())?;
                let table = if let Value::Table(table) = state.raw_get(globals, key) {
                    table
                } else {
                    let table = state.new_table()?;
                    state.raw_set(globals, key, Value::Table(table))?;
                    table
                };
                (table, field)
            }
            None => (globals, *name),
        };
        let key = state.string(field.as_bytes())?;
        state.raw_set(table, key, value)?;
    }
    let version = state.string(b"Lua 5.2")?;
    state.set_global("_VERSION", version)?;
    state.set_global("_G", Value::Table(globals))?;
    let Value::Table(math) = state.global("math") else { return Ok(()) };
    for (name, number) in [("pi", std::f64::consts::PI), ("huge", f64::INFINITY)] {
        let key = state.string(name.as_bytes())?;
        state.raw_set(math, key, Value::Number(number))?;
    }
    if let Value::Table(utf8) = state.global("utf8") {
        let key = state.string(b"charpattern")?;
        let pattern = state.string(crate::text::utf8::CHARPATTERN)?;
        state.raw_set(utf8, key, pattern)?;
    }
    let string = state.global("string");
    let meta = state.new_table()?;
    let key = state.string(b"__index")?;
    state.raw_set(meta, key, string)?;
    state.heap.string_meta = meta.0;
    Ok(())
}
