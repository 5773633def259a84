//! `os.queueEvent`: what is queued stays in Lua, so that functions and the identity of tables survive, and so that it
//! counts as the computer's memory.

use craftos_lua::{Outcome, State, TableId, Value as Inner};

use crate::host::Host;

/// The number of an event whose values stayed in Lua.
pub type Packed = u64;

/// The events of one state, in a table of Lua by their numbers. Each is a list with its length at zero.
#[derive(Debug, Clone)]
pub struct Queue {
    events: TableId,
    last: Packed,
}

/// Where a list has its length.
const COUNT: Inner = Inner::Number(0.0);
const NAME: Inner = Inner::Number(1.0);

impl Queue {
    pub fn new(state: &mut State) -> Result<Self, Inner> {
        let events = state.new_table()?;
        state.keep(Inner::Table(events));
        Ok(Self { events, last: 0 })
    }

    /// The native.
    pub fn put(&mut self, host: &mut Host, call: &mut craftos_lua::Call<'_>) -> Result<Outcome, Inner> {
        let strict = host.has_strict_arguments();
        let is_name = match call.arg(1) {
            Inner::String(_) => true,
            Inner::Number(_) => !strict,
            _ => false,
        };
        if !is_name {
            let given = if call.is_empty() && !strict { "no value" } else { call.arg(1).type_name() };
            let reason = if strict { "string expected" } else { "expected string" };
            return Err(call.error(&format!("bad argument #1 ({reason}, got {given})")));
        }
        call.text(1)?;
        let values: Vec<Inner> = (1..=call.len()).map(|index| call.arg(index)).collect();
        self.last += 1;
        if self.store(call.state, &values).is_err() {
            call.state.collect();
            self.store(call.state, &values)?;
        }
        host.queue_packed(self.last);
        Ok(Outcome::NONE)
    }

    fn store(&self, state: &mut State, values: &[Inner]) -> Result<(), Inner> {
        let list = state.new_table()?;
        for (index, value) in (1_u32..).zip(values) {
            state.raw_set(list, Inner::Number(index.into()), *value)?;
        }
        state.raw_set(list, COUNT, Inner::Number(count(values)))?;
        state.raw_set(self.events, number(self.last), Inner::Table(list))
    }

    fn list(&self, state: &State, packed: Packed) -> Option<TableId> {
        if let Inner::Table(list) = state.raw_get(self.events, number(packed)) { Some(list) } else { None }
    }

    pub fn name(&self, state: &State, packed: Packed) -> Option<Vec<u8>> {
        let name = state.raw_get(self.list(state, packed)?, NAME);
        state.bytes(name).map(<[u8]>::to_vec)
    }

    /// The values of an event, which is no longer queued.
    pub fn take(&self, state: &mut State, packed: Packed) -> Vec<Inner> {
        let Some(list) = self.list(state, packed) else { return Vec::new() };
        // The place is there already: to empty it takes no memory.
        let _ = state.raw_set(self.events, number(packed), Inner::Nil);
        let count = state.raw_get(list, COUNT).as_number().unwrap_or(0.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "it was made from a length"
        )]
        let indices = 1..=count as u32;
        indices.map(|index| state.raw_get(list, Inner::Number(index.into()))).collect()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a stack has fewer values than a double can count")]
fn count(values: &[Inner]) -> f64 {
    values.len() as f64
}

#[expect(
    clippy::cast_precision_loss,
    reason = "no computer queues so many that a double could not tell them apart"
)]
fn number(packed: Packed) -> Inner {
    Inner::Number(packed as f64)
}
