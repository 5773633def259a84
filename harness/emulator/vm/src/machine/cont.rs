//! How a native goes on when what it called has returned, or when its time was up.
//!
//! Each is plain data, so that a state can be copied while natives wait in it.

use serde::{Deserialize, Serialize};

use crate::library::{Compiling, Format, Gsub, Merge, Partition, Reader, Search};
use crate::value::{NativeId, Value};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub enum Cont {
    Pcall,
    /// Its handler lies in the frame's first slot.
    Xpcall,
    /// An error handler runs; what it returns goes to the `xpcall` whose frame has that index.
    Handler {
        catcher: u32,
        depth: u32,
    },
    /// Joins what is left of the values from the frame's base on; the result goes into a register of the frame below.
    Concat {
        a: u8,
        left: u32,
    },
    /// Gives the results of what it called, as many as there are or exactly so many.
    Pass {
        results: Option<u32>,
    },
    /// `tostring`: the result has to be a text.
    ToText,
    /// One step of `ipairs` that `__index` answers: the index goes before the value.
    Step {
        index: f64,
    },
    Merge(Box<Merge>),
    Partition(Box<Partition>),
    Gsub(Box<Gsub>),
    Search(Box<Search>),
    Format(Box<Format>),
    Load(Box<Reader>),
    /// A large text that is to be compiled: the machine does that, as the host is asked whether it may go on.
    Compile(Box<Compiling>),
    /// A native that waits for the hook that is told of its call; its arguments lie above its base.
    Enter {
        native: NativeId,
    },
    /// A native that has ended and waits for the hook that is told of it, with where its results are.
    Leave {
        first: u32,
        count: u32,
    },
    /// A native that does not go on: it has raised an error, and shows where that came from.
    #[default]
    Raised,
    /// A native of the host that waits, with the number that it keeps.
    Host {
        native: NativeId,
        number: f64,
    },
}

impl Cont {
    /// How many bytes it holds that were charged as a buffer.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Merge(sort) => sort.bytes(),
            Self::Gsub(gsub) => gsub.bytes(),
            Self::Format(format) => format.bytes(),
            Self::Load(reader) => reader.bytes(),
            Self::Compile(source) => source.bytes(),
            _ => 0,
        }
    }

    /// Calls back with each value that it keeps.
    pub fn values(&self, each: &mut dyn FnMut(Value)) {
        match self {
            Self::Merge(sort) => sort.values(each),
            Self::Partition(sort) => sort.values(each),
            Self::Gsub(gsub) => gsub.values(each),
            Self::Search(search) => search.values(each),
            Self::Format(format) => format.values(each),
            Self::Load(reader) => reader.values(each),
            Self::Compile(source) => source.values(each),
            Self::Pcall
            | Self::Xpcall
            | Self::Host { .. }
            | Self::Enter { .. }
            | Self::Leave { .. }
            | Self::Raised
            | Self::Handler { .. }
            | Self::Concat { .. }
            | Self::Pass { .. }
            | Self::ToText
            | Self::Step { .. } => {}
        }
    }
}

const _: () = assert!(size_of::<Cont>() == 16, "frames are pushed and popped with every call");
