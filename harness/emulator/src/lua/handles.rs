//! Tables of methods around objects of the host, and which of these objects Lua has no more use for.
//!
//! All methods of an object hold one token, a table. A table with weak values knows the tokens: where one is gone from
//! it, nothing can call the object's methods any more.

use craftos_lua::{State, TableId, Value as Inner};

use super::natives;
use super::value::Handle;

/// The objects that Lua has methods of.
#[derive(Debug, Clone)]
pub struct Handles {
    /// The tokens by the objects' numbers, weakly.
    tokens: TableId,
    alive: Vec<u64>,
}

impl Handles {
    pub fn new(state: &mut State) -> Result<Self, Inner> {
        let (tokens, meta) = (state.new_table()?, state.new_table()?);
        state.keep(Inner::Table(tokens));
        let (mode, values) = (state.string(b"__mode")?, state.string(b"v")?);
        state.raw_set(meta, mode, values)?;
        state.set_metatable(tokens, Some(meta));
        Ok(Self { tokens, alive: Vec::new() })
    }

    /// Makes the table of methods.
    pub fn make(&mut self, state: &mut State, handle: &Handle) -> Result<Inner, Inner> {
        let (token, methods) = (state.new_table()?, state.new_table()?);
        state.raw_set(self.tokens, key(handle.id), Inner::Table(token))?;
        if self.alive.last() != Some(&handle.id) {
            self.alive.push(handle.id);
        }
        for native in &handle.methods {
            let name = state.string(native.name.as_bytes())?;
            let values = [key(handle.id), Inner::Table(token)];
            let method = state.bind_host_native(natives::number_of(native), &values)?;
            state.raw_set(methods, name, method)?;
        }
        Ok(Inner::Table(methods))
    }

    /// The objects that Lua can no longer reach, each once.
    pub fn take_released(&mut self, state: &State) -> Vec<u64> {
        let gone = |id: &u64| state.raw_get(self.tokens, key(*id)).is_nil();
        if !self.alive.iter().any(gone) {
            return Vec::new();
        }
        let (released, alive) = self.alive.iter().partition(|id| gone(id));
        self.alive = alive;
        released
    }
}

/// The number of an object as Lua holds it; there are never so many that a double could not tell them apart.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn key(id: u64) -> Inner {
    Inner::Number(id as f64)
}
