//! A state as bytes, to go on with in another process.
//!
//! What is written is the state as it is, between two instructions: objects under their numbers, coroutines with their
//! frames, natives that wait, a collection that runs. So a state that was read does the same as the one that was written,
//! to the instruction. Compiled functions are written with it. Natives are written by name: a host that has the same ones
//! under other numbers goes on with them. Counters of lines are the host's and are left out.
//!
//! The bytes have a checksum against damage. They are no place for bytes from strangers: forged ones can make a state
//! panic later, though nothing worse.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::compile::op::Op;
use crate::compile::{Body, ChunkName, Constant, Head, Notes, Proto, UpvalueSource};
use crate::library as lib;
use crate::machine::State;
use crate::value::NativeId;

/// The first bytes of a state.
const MAGIC: &[u8; 8] = b"craftlua";
/// Changes with what is written: the parts of the machine are written as they are.
const VERSION: u32 = 3;
/// Magic, version and checksum.
const HEADER: usize = 8 + 4 + 8;
/// The native is known to nobody here.
const UNKNOWN: u32 = u32::MAX;

/// Why bytes are not read as a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RestoreError {
    /// They do not begin as a state does.
    Foreign,
    /// Another version of this crate has written them.
    Version(u32),
    /// They are not all there, or not what was written.
    Damaged,
    /// The state uses a native that the host does not have.
    UnknownNative(String),
}

impl fmt::Display for RestoreError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => formatter.write_str("these bytes are no state"),
            Self::Version(version) => {
                write!(formatter, "the state was written in version {version}, and version {VERSION} is read")
            }
            Self::Damaged => formatter.write_str("the state is damaged"),
            Self::UnknownNative(name) => {
                write!(formatter, "the state uses the native `{name}`, which is not there")
            }
        }
    }
}

impl std::error::Error for RestoreError {}

/// What stands before the state itself.
#[derive(Serialize, Deserialize)]
struct Outline {
    /// The names of the natives, by their numbers.
    library: Vec<String>,
    host: Vec<String>,
    chunks: Vec<ChunkName>,
    /// Compiled functions; the children of each stand before it.
    protos: Vec<Function>,
    /// Which compiled function each loaded one is, and whether it was called before.
    loaded: Vec<(u32, u32, bool)>,
}

/// A compiled function, with the numbers of its children and of its chunk's name.
#[derive(Serialize, Deserialize)]
struct Function {
    head: Head,
    upvalues: Box<[UpvalueSource]>,
    size: usize,
    code: Box<[Op]>,
    constants: Box<[Constant]>,
    notes: Notes,
    children: Vec<u32>,
    chunk: u32,
}

impl Function {
    fn new(proto: &Proto, children: Vec<u32>, chunk: u32) -> Self {
        let constants = proto.constants().iter().map(|constant| match constant {
            Constant::Static(text) => Constant::String((*text).into()),
            other => other.clone(),
        });
        Self {
            head: proto.head,
            upvalues: proto.upvalues.clone(),
            size: proto.size(),
            code: proto.code().into(),
            constants: constants.collect(),
            notes: proto.notes().clone(),
            children,
            chunk,
        }
    }

    fn into_proto(self, children: Box<[Arc<Proto>]>, name: Arc<ChunkName>) -> Proto {
        let Self { head, upvalues, size, code, constants, notes, .. } = self;
        let Head { parameters, is_vararg, .. } = head;
        let body = Body { code, constants, children, parameters, is_vararg };
        Proto::new(head, upvalues, name, body, notes).with_size(size)
    }
}

/// The functions that a state uses, each once.
#[derive(Default)]
struct Protos {
    numbers: HashMap<*const Proto, u32>,
    chunks: HashMap<*const ChunkName, u32>,
    names: Vec<ChunkName>,
    all: Vec<Function>,
}

impl Protos {
    /// The number of a function. Functions nest no deeper than the compiler allows, and so does this.
    fn number(&mut self, proto: &Arc<Proto>) -> u32 {
        if let Some(number) = self.numbers.get(&Arc::as_ptr(proto)) {
            return *number;
        }
        let children = proto.children().iter().map(|child| self.number(child)).collect();
        let chunk = *self.chunks.entry(Arc::as_ptr(&proto.name)).or_insert_with(|| {
            self.names.push(ChunkName::clone(&proto.name));
            index(self.names.len() - 1)
        });
        self.all.push(Function::new(proto, children, chunk));
        let number = index(self.all.len() - 1);
        self.numbers.insert(Arc::as_ptr(proto), number);
        number
    }
}

fn index(position: usize) -> u32 {
    u32::try_from(position).expect("handles have 32 bits")
}

impl State {
    /// The state as bytes, for [`State::restore`]. It can be written at any time between two runs, and goes on as if it had
    /// not been.
    pub fn save(&self) -> Vec<u8> {
        let mut protos = Protos::default();
        let mut loaded = Vec::new();
        for (number, code) in self.loaded.iter_used() {
            let proto = code.proto.as_ref().expect("a function that exists is loaded");
            loaded.push((number, protos.number(proto), code.is_ready()));
        }
        let outline = Outline {
            library: lib::names().map(str::to_owned).collect(),
            host: self.host_names.iter().map(ToString::to_string).collect(),
            chunks: protos.names,
            protos: protos.all,
            loaded,
        };
        let written = "every part of a state can be written";
        let mut bytes = vec![0; HEADER];
        bytes = postcard::to_extend(&outline, bytes).expect(written);
        bytes = postcard::to_extend(self, bytes).expect(written);
        let sum = checksum(&bytes[HEADER..]);
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..HEADER].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// A state from the bytes that [`State::save`] gave, for a host with these natives: the number of each is its position.
    pub fn restore(
        bytes: &[u8],
        host_natives: impl IntoIterator<Item = String>,
    ) -> Result<Self, RestoreError> {
        let (header, body) = bytes.split_at_checked(HEADER).ok_or(RestoreError::Foreign)?;
        if header[..8] != *MAGIC {
            return Err(RestoreError::Foreign);
        }
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
        let version = number(&header[8..12]);
        if version != u64::from(VERSION) {
            return Err(RestoreError::Version(u32::try_from(version).unwrap_or(UNKNOWN)));
        }
        if number(&header[12..]) != checksum(body) {
            return Err(RestoreError::Damaged);
        }
        let (outline, rest) =
            postcard::take_from_bytes::<Outline>(body).map_err(|_| RestoreError::Damaged)?;
        let names: Arc<[Box<str>]> = host_natives.into_iter().map(String::into_boxed_str).collect();
        let translation = Translation::new(&outline, &names);
        let is_same = translation.is_same();
        let mut state: Self = translation.during(|| postcard::from_bytes(rest)).map_err(|missing| {
            missing
                .and_then(|number| outline.name(number))
                .map_or(RestoreError::Damaged, RestoreError::UnknownNative)
        })?;
        state.host_names = names;
        outline.give_code(&mut state)?;
        if !is_same {
            state.heap.natives_have_moved();
        }
        Ok(state)
    }
}

impl Outline {
    fn name(&self, native: u32) -> Option<String> {
        self.library.iter().chain(&self.host).nth(native as usize).cloned()
    }

    /// Gives each loaded function its code.
    fn give_code(self, state: &mut State) -> Result<(), RestoreError> {
        let mut protos: Vec<Arc<Proto>> = Vec::with_capacity(self.protos.len());
        let names: Vec<Arc<ChunkName>> = self.chunks.into_iter().map(Arc::new).collect();
        for function in self.protos {
            let children = function.children.iter().map(|&child| protos.get(child as usize).cloned());
            let children = children.collect::<Option<_>>().ok_or(RestoreError::Damaged)?;
            let name = names.get(function.chunk as usize).cloned().ok_or(RestoreError::Damaged)?;
            protos.push(Arc::new(function.into_proto(children, name)));
        }
        let mut codes: HashMap<u32, (u32, bool)> =
            self.loaded.into_iter().map(|(index, number, ready)| (index, (number, ready))).collect();
        let used: Vec<u32> = state.loaded.iter_used().map(|(index, _)| index).collect();
        for index in used {
            let (number, ready) = codes.remove(&index).ok_or(RestoreError::Damaged)?;
            let proto = protos.get(number as usize).cloned().ok_or(RestoreError::Damaged)?;
            let loaded = state.loaded.quiet_mut(index);
            loaded.body = ready.then(|| proto.body().clone());
            state.heap.long_names.add(&proto.name);
            loaded.proto = Some(proto);
        }
        Ok(())
    }
}

/// A sum that changes when any byte does (FNV-1a).
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// The numbers that natives have here, by those that they have in the state that is read.
#[derive(Debug, Default)]
struct Translation {
    numbers: Vec<u32>,
    /// One that nobody here knows and that the state uses.
    missing: Option<u32>,
}

thread_local! {
    /// Natives stand deep within a state; what reads them is not given anything.
    static TRANSLATION: RefCell<Translation> = RefCell::default();
}

impl Translation {
    fn new(outline: &Outline, host: &[Box<str>]) -> Self {
        let find = |position: Option<usize>, first: u32| position.map_or(UNKNOWN, |at| first + index(at));
        let library =
            outline.library.iter().map(|name| find(lib::names().position(|known| known == name), 0));
        let own = outline.host.iter();
        let own = own.map(|name| find(host.iter().position(|known| **known == **name), lib::count()));
        Self { numbers: library.chain(own).collect(), missing: None }
    }

    fn is_same(&self) -> bool {
        self.numbers.iter().enumerate().all(|(old, new)| index(old) == *new)
    }

    /// Reads something with natives in it. An error has the number of a native that is not known, where that is why.
    fn during<T, E>(self, read: impl FnOnce() -> Result<T, E>) -> Result<T, Option<u32>> {
        TRANSLATION.set(self);
        let result = read();
        let translation = TRANSLATION.take();
        result.map_err(|_| translation.missing)
    }
}

impl Serialize for NativeId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for NativeId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let old = u32::deserialize(deserializer)?;
        TRANSLATION.with_borrow_mut(|translation| match translation.numbers.get(old as usize) {
            Some(&number) if number != UNKNOWN => Ok(Self(number)),
            _ => {
                translation.missing = Some(old);
                Err(serde::de::Error::custom("an unknown native"))
            }
        })
    }
}

/// Lists whose room is counted keep it.
pub mod room {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// More than any list has; the rest is damage.
    const MOST: usize = 1 << 28;

    pub fn serialize<S: Serializer, T: Serialize>(list: &Vec<T>, serializer: S) -> Result<S::Ok, S::Error> {
        (list.capacity(), list).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        let (capacity, mut read) = <(usize, Vec<T>)>::deserialize(deserializer)?;
        if capacity < read.len() || capacity > MOST {
            return Err(serde::de::Error::custom("a list has no such room"));
        }
        let mut list = Vec::with_capacity(capacity);
        list.append(&mut read);
        Ok(list)
    }
}
