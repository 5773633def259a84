//! Natives that only compute: the loop runs them without leaving it.
//!
//! Each is the short form of a native for its usual arguments. It answers [`Quick::Slow`] for all others, having changed
//! nothing, and then the native itself is called: messages, texts that are numbers and metamethods are its business alone.
//! The work of each is bounded, so that it counts as the one instruction that called it.

use super::{NATIVES, bits, maths};
use crate::heap::{Event, Heap, NO_TABLE};
use crate::text::bytes;
use crate::text::number::{NumberText, to_integer};
use crate::value::{TableId, Value};

/// How a short form ended.
#[derive(Debug, Clone, Copy)]
pub enum Quick {
    One(Value),
    /// Without a result.
    None,
    /// The native itself has to be called.
    Slow,
}

use Quick::{One, Slow};

/// What a short form sees of a state.
#[derive(Debug)]
pub struct Scene<'a> {
    pub heap: &'a mut Heap,
    pub random: &'a mut [u64; 4],
}

pub type QuickFn = fn(&mut Scene<'_>, &[Value]) -> Quick;

/// Longer texts than this are not copied without being counted.
const SHORT_TEXT: usize = 64;

/// The short forms by the number of their native.
pub static QUICK: [Option<QuickFn>; NATIVES.len()] = forms();

/// The number of a native. It is looked for while the crate is compiled.
const fn number(name: &str) -> usize {
    let mut at = 0;
    while at < NATIVES.len() {
        if equal(NATIVES[at].0.as_bytes(), name.as_bytes()) {
            return at;
        }
        at += 1;
    }
    panic!("there is no such native");
}

const fn equal(one: &[u8], two: &[u8]) -> bool {
    if one.len() != two.len() {
        return false;
    }
    let mut at = 0;
    while at < one.len() {
        if one[at] != two[at] {
            return false;
        }
        at += 1;
    }
    true
}

macro_rules! forms {
    ($($name:literal $form:expr;)*) => {
        const fn forms() -> [Option<QuickFn>; NATIVES.len()] {
            let mut all: [Option<QuickFn>; NATIVES.len()] = [None; NATIVES.len()];
            $(all[number($name)] = Some($form);)*
            all
        }
    };
}

forms! {
    "math.abs" |_, given| of_one(given, f64::abs);
    "math.ceil" |_, given| of_one(given, f64::ceil);
    "math.cos" |_, given| of_one(given, f64::cos);
    "math.exp" |_, given| of_one(given, f64::exp);
    "math.floor" |_, given| of_one(given, f64::floor);
    "math.sin" |_, given| of_one(given, f64::sin);
    "math.sqrt" |_, given| of_one(given, f64::sqrt);
    "math.max" |_, given| extreme(given, |number, best| number > best);
    "math.min" |_, given| extreme(given, |number, best| number < best);
    "math.random" random;
    "bit32.band" |_, given| fold(given, u32::MAX, |one, two| one & two);
    "bit32.bor" |_, given| fold(given, 0, |one, two| one | two);
    "bit32.bxor" |_, given| fold(given, 0, |one, two| one ^ two);
    "bit32.bnot" |_, given| match given {
        [Value::Number(number)] => whole(!bits::unsigned_of(*number)),
        _ => Slow,
    };
    "bit32.lshift" |_, given| shifted(given, bits::shift);
    "bit32.rshift" |_, given| shifted(given, |value, by| bits::shift(value, by.saturating_neg()));
    "bit32.lrotate" |_, given| shifted(given, bits::rotate);
    "bit32.rrotate" |_, given| shifted(given, bits::rotate_right);
    "rawequal" |_, given| match given {
        [one, two] => One(Value::Bool(one.raw_equals(*two))),
        _ => Slow,
    };
    "rawget" |scene, given| match given {
        [Value::Table(table), key] => One(scene.heap.get(*table, *key)),
        _ => Slow,
    };
    "rawlen" |scene, given| match given {
        [Value::Table(table)] => One(length(scene, *table)),
        _ => Slow,
    };
    "type" type_of;
    "tonumber" |_, given| match given {
        [Value::Number(number)] => One(Value::Number(*number)),
        _ => Slow,
    };
    "tostring" tostring;
    "select" |scene, given| match given {
        [Value::String(text), rest @ ..] if scene.heap.bytes(*text) == b"#" => {
            One(Value::Number(rest.len() as f64))
        }
        _ => Slow,
    };
    "getmetatable" getmetatable;
    "setmetatable" setmetatable;
    "string.byte" byte;
    "string.char" char;
    "string.len" |scene, given| match given {
        [Value::String(text)] => One(Value::Number(scene.heap.bytes(*text).len() as f64)),
        _ => Slow,
    };
    "string.sub" sub;
    "table.insert" insert;
}

fn whole(value: u32) -> Quick {
    One(Value::Number(value.into()))
}

fn of_one(given: &[Value], function: impl Fn(f64) -> f64) -> Quick {
    match given {
        [Value::Number(number), ..] => One(Value::Number(function(*number))),
        _ => Slow,
    }
}

fn extreme(given: &[Value], better: impl Fn(f64, f64) -> bool) -> Quick {
    let [Value::Number(first), rest @ ..] = given else { return Slow };
    let mut best = *first;
    for value in rest {
        let Value::Number(number) = *value else { return Slow };
        if better(number, best) {
            best = number;
        }
    }
    One(Value::Number(best))
}

fn random(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    let (low, high) = match given {
        [] => return One(Value::Number(maths::draw(scene.random))),
        [Value::Number(high)] => (1.0, high.floor()),
        [Value::Number(low), Value::Number(high)] => (low.floor(), high.floor()),
        _ => return Slow,
    };
    if low <= high { One(Value::Number(maths::draw_between(scene.random, low, high))) } else { Slow }
}

fn fold(given: &[Value], start: u32, combine: impl Fn(u32, u32) -> u32) -> Quick {
    let mut result = start;
    for value in given {
        let Value::Number(number) = *value else { return Slow };
        result = combine(result, bits::unsigned_of(number));
    }
    whole(result)
}

fn shifted(given: &[Value], shift: impl Fn(u32, i64) -> u32) -> Quick {
    match given {
        [Value::Number(value), Value::Number(by)] => whole(shift(bits::unsigned_of(*value), to_integer(*by))),
        _ => Slow,
    }
}

fn text(scene: &mut Scene<'_>, bytes: &[u8]) -> Quick {
    scene.heap.string(bytes).map_or(Slow, |text| One(Value::String(text)))
}

fn type_of(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    match given {
        [value, ..] => text(scene, value.type_name().as_bytes()),
        [] => Slow,
    }
}

fn tostring(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    match given {
        [Value::String(text), ..] => One(Value::String(*text)),
        [Value::Number(number), ..] => text(scene, NumberText::of(*number).as_bytes()),
        _ => Slow,
    }
}

fn getmetatable(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    let [value @ Value::Table(_)] = given else { return Slow };
    let meta = scene.heap.metatable(*value);
    if meta == NO_TABLE {
        return One(Value::Nil);
    }
    if scene.heap.handler_in(meta, Event::Metatable).is_nil() {
        One(Value::Table(TableId(meta)))
    } else {
        Slow
    }
}

fn setmetatable(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    let [value @ Value::Table(_), Value::Table(meta)] = given else { return Slow };
    if scene.heap.metatable(*value) != NO_TABLE {
        return Slow;
    }
    scene.heap.set_metatable(*value, meta.0);
    One(*value)
}

fn byte(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    let (text, at) = match given {
        [Value::String(text)] => (text, 1),
        [Value::String(text), Value::Number(at)] => (text, to_integer(*at)),
        _ => return Slow,
    };
    let bytes = scene.heap.bytes(*text);
    let range = bytes::range(at, at, bytes.len());
    if range.len() == 1 { One(Value::Number(bytes[range.start].into())) } else { Slow }
}

fn char(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    let [Value::Number(number)] = given else { return Slow };
    match u8::try_from(to_integer(*number)) {
        Ok(byte) => text(scene, &[byte]),
        Err(_) => Slow,
    }
}

fn sub(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    let (text, first, last) = match given {
        [Value::String(text), Value::Number(first)] => (text, first, -1),
        [Value::String(text), Value::Number(first), Value::Number(last)] => (text, first, to_integer(*last)),
        _ => return Slow,
    };
    let range = bytes::range(to_integer(*first), last, scene.heap.bytes(*text).len());
    if range.len() > SHORT_TEXT {
        return Slow;
    }
    scene.heap.substring(*text, range).map_or(Slow, |text| One(Value::String(text)))
}

fn length(scene: &Scene<'_>, table: TableId) -> Value {
    Value::Number(scene.heap.tables.get(table.0).length() as f64)
}

fn insert(scene: &mut Scene<'_>, given: &[Value]) -> Quick {
    let [Value::Table(table), value] = given else { return Slow };
    if scene.heap.metatable(given[0]) != NO_TABLE {
        return Slow;
    }
    let end = scene.heap.tables.get(table.0).length() + 1;
    match scene.heap.set(*table, Value::Number(end as f64), *value) {
        Ok(()) => Quick::None,
        Err(_) => Slow,
    }
}
