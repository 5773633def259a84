//! Where a state's objects live: arenas by type, every byte counted, collected when the machine asks for it.

mod arena;
mod clearing;
mod collect;
mod ephemerons;
mod mark;
mod names;
mod node;
mod objects;
mod small;
mod strings;
mod table;

pub use arena::{Arena, clone_with_room};
pub use collect::{Phase, Roots};
pub use names::{LONG, LongNames};
pub use objects::{Event, Heap, Loaded, NO_TABLE, OutOfMemory, block};
pub use small::Upvalues;
pub use table::Set;
