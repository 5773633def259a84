//! A Lua value: sixteen bytes, copied freely. Everything larger is a handle into the heap.

use serde::{Deserialize, Serialize};

/// A table in the heap of its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TableId(pub(crate) u32);

/// A text in the heap of its state, with the hash of its bytes. Equal texts have equal handles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StringId {
    pub(crate) index: u32,
    pub(crate) hash: u32,
}

/// A Lua function in the heap of its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ClosureId(pub(crate) u32);

/// A native with values of its own, in the heap of its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BoundId(pub(crate) u32);

/// A coroutine of its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadId(pub(crate) u32);

/// A native function by its number: those of the standard libraries come first, the host's follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NativeId(pub(crate) u32);

/// A Lua value. Handles mean something only in the state that they came from.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub enum Value {
    #[default]
    Nil,
    Bool(bool),
    Number(f64),
    String(StringId),
    Table(TableId),
    Closure(ClosureId),
    Native(NativeId),
    Bound(BoundId),
    Thread(ThreadId),
    /// Where a local that inner functions share lives. It stands only in registers; no program sees one.
    #[doc(hidden)]
    Cell(u32),
}

const _: () = assert!(size_of::<Value>() == 16, "a value is sixteen bytes");

impl Value {
    pub fn is_nil(self) -> bool {
        matches!(self, Self::Nil)
    }

    /// Everything but nil and false.
    pub fn is_true(self) -> bool {
        !matches!(self, Self::Nil | Self::Bool(false))
    }

    pub fn is_function(self) -> bool {
        matches!(self, Self::Closure(_) | Self::Native(_) | Self::Bound(_))
    }

    /// Equality without metamethods.
    #[inline]
    pub fn raw_equals(self, other: Self) -> bool {
        match (self, other) {
            (Self::Number(one), Self::Number(two)) => one == two,
            (Self::String(one), Self::String(two)) => one.index == two.index,
            (Self::Nil, Self::Nil) => true,
            (Self::Bool(one), Self::Bool(two)) => one == two,
            (Self::Table(one), Self::Table(two)) => one == two,
            (Self::Closure(one), Self::Closure(two)) => one == two,
            (Self::Native(one), Self::Native(two)) => one == two,
            (Self::Bound(one), Self::Bound(two)) => one == two,
            (Self::Thread(one), Self::Thread(two)) => one == two,
            _ => false,
        }
    }

    /// The name of its type.
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Table(_) => "table",
            Self::Closure(_) | Self::Native(_) | Self::Bound(_) => "function",
            Self::Thread(_) => "thread",
            Self::Cell(_) => "cell",
        }
    }

    pub fn as_number(self) -> Option<f64> {
        if let Self::Number(number) = self { Some(number) } else { None }
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}
