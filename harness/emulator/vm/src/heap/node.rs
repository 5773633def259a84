//! One node of a table: a key, its value and the next node of the chain.

use serde::{Deserialize, Serialize};

use crate::value::{BoundId, ClosureId, NativeId, StringId, TableId, ThreadId, Value};

/// No further node in a chain.
pub(super) const LAST: u32 = u32::MAX;

/// A key and its value. The key is taken apart, so that it shares its place with the link to the next node.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(from = "(Value, Value, u32)", into = "(Value, Value, u32)")]
pub(super) struct Node {
    pub(super) key: Key,
    pub(super) next: u32,
    pub(super) bits: u64,
    pub(super) value: Value,
}

const _: () = assert!(size_of::<Node>() == 32, "the link takes no place of its own");

/// The kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Key {
    /// The node is free.
    None,
    False,
    True,
    Number,
    String,
    Table,
    Closure,
    Native,
    Bound,
    Thread,
    Cell,
}

pub(super) const EMPTY: Node = Node { key: Key::None, next: LAST, bits: 0, value: Value::Nil };

/// A key as it stands in a node: equal keys have equal parts.
#[inline]
pub(super) fn parts(key: Value) -> (Key, u64) {
    match key {
        Value::Nil => (Key::None, 0),
        Value::Bool(false) => (Key::False, 0),
        Value::Bool(true) => (Key::True, 0),
        // Zero and minus zero are one key.
        Value::Number(number) => (Key::Number, (number + 0.0).to_bits()),
        Value::String(id) => (Key::String, u64::from(id.index) | u64::from(id.hash) << 32),
        Value::Table(id) => (Key::Table, id.0.into()),
        Value::Closure(id) => (Key::Closure, id.0.into()),
        Value::Native(id) => (Key::Native, id.0.into()),
        Value::Bound(id) => (Key::Bound, id.0.into()),
        Value::Thread(id) => (Key::Thread, id.0.into()),
        Value::Cell(id) => (Key::Cell, id.into()),
    }
}

impl Node {
    #[inline]
    pub(super) fn new((key, bits): (Key, u64), value: Value, next: u32) -> Self {
        Self { key, next, bits, value }
    }

    #[expect(clippy::cast_possible_truncation, reason = "handles and hashes are halves of the bits")]
    pub(super) fn key(&self) -> Value {
        let low = self.bits as u32;
        match self.key {
            Key::None => Value::Nil,
            Key::False => Value::Bool(false),
            Key::True => Value::Bool(true),
            Key::Number => Value::Number(f64::from_bits(self.bits)),
            Key::String => Value::String(StringId { index: low, hash: (self.bits >> 32) as u32 }),
            Key::Table => Value::Table(TableId(low)),
            Key::Closure => Value::Closure(ClosureId(low)),
            Key::Native => Value::Native(NativeId(low)),
            Key::Bound => Value::Bound(BoundId(low)),
            Key::Thread => Value::Thread(ThreadId(low)),
            Key::Cell => Value::Cell(low),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "the handle is the lower half of the bits")]
    #[inline]
    pub(super) fn is_string(&self, key: StringId) -> bool {
        self.key == Key::String && self.bits as u32 == key.index
    }

    #[inline]
    pub(super) fn parts(&self) -> (Key, u64) {
        (self.key, self.bits)
    }
}

impl From<(Value, Value, u32)> for Node {
    fn from((key, value, next): (Value, Value, u32)) -> Self {
        Self::new(parts(key), value, next)
    }
}

impl From<Node> for (Value, Value, u32) {
    fn from(node: Node) -> Self {
        (node.key(), node.value, node.next)
    }
}

#[inline]
fn scatter(number: u32) -> u32 {
    let product = number.wrapping_mul(0x9e37_79b1);
    product ^ (product >> 15)
}

#[expect(clippy::cast_possible_truncation, reason = "the halves of the bits are folded into the hash")]
#[inline]
pub(super) fn hash((key, bits): (Key, u64)) -> u32 {
    let (low, high) = (bits as u32, (bits >> 32) as u32);
    match key {
        Key::String => high,
        Key::Number => scatter(low ^ high.wrapping_mul(31)),
        Key::None => 0,
        Key::False => 1,
        Key::True => 2,
        Key::Table | Key::Cell => scatter(low),
        Key::Closure => scatter(low ^ 0x1000_0000),
        Key::Native => scatter(low ^ 0x2000_0000),
        Key::Bound => scatter(low ^ 0x3000_0000),
        Key::Thread => scatter(low ^ 0x4000_0000),
    }
}
