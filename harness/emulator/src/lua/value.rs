//! Lua values as plain data, and the error that a native raises.
//!
//! A [`Value`] owns everything in it and may cross threads; functions and coroutines have no such
//! form and are only named.

use craftos_lua::text::number::NumberText;

use super::Native;

/// A Lua value without its state.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Value {
    #[default]
    Nil,
    Bool(bool),
    Number(f64),
    String(Vec<u8>),
    Table(Table),
    /// A table of methods around something that the host keeps; made when it is pushed.
    Handle(Handle),
    /// A value that cannot leave its state, named by its type.
    Other(&'static str),
}

/// A table's entries, in the order in which they are to be written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub entries: Vec<(Value, Value)>,
}

/// Asks for a table of `methods` that all act on the host's object `id`.
#[derive(Debug, Clone)]
pub struct Handle {
    pub methods: Vec<Native>,
    pub id: u64,
}

impl PartialEq for Handle {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// An error that a native raises in Lua: a text, with the caller's `file:line:` before it unless `bare`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raise {
    pub message: Vec<u8>,
    pub bare: bool,
}

impl Raise {
    pub fn new(message: impl Into<Vec<u8>>) -> Self {
        Self { message: message.into(), bare: false }
    }
}

impl Value {
    pub fn string(text: impl Into<Vec<u8>>) -> Self {
        Self::String(text.into())
    }

    /// An array of the values, from index 1.
    pub fn list(values: impl IntoIterator<Item = Self>) -> Self {
        let entries = values
            .into_iter()
            .zip(1_u32..)
            .map(|(value, index)| (Self::Number(index.into()), value))
            .collect();
        Self::Table(Table { entries })
    }

    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "nil",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Table(_) | Self::Handle(_) => "table",
            Self::Other(name) => name,
        }
    }

    /// About how many bytes it takes.
    pub fn size(&self) -> usize {
        let own = size_of::<Self>();
        match self {
            Self::String(bytes) => own + bytes.len(),
            Self::Table(table) => {
                own + table.entries.iter().map(|(key, value)| key.size() + value.size()).sum::<usize>()
            }
            _ => own,
        }
    }

    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::String(bytes) => Some(bytes),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Self::Number(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::String(value.as_bytes().to_vec())
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::String(value.into_bytes())
    }
}

impl<T: Into<Self>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Nil, Into::into)
    }
}

impl Table {
    /// Sets `key` after whatever is there already.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.entries.push((Value::from(key), value.into()));
    }

    pub fn get(&self, key: &str) -> &Value {
        self.entries
            .iter()
            .rev()
            .find(|(name, _)| name.as_bytes() == Some(key.as_bytes()))
            .map_or(&Value::Nil, |(_, value)| value)
    }
}

/// Writes a number as Lua's `tostring` does.
pub fn format_number(number: f64) -> String {
    String::from_utf8_lossy(NumberText::of(number).as_bytes()).into_owned()
}
