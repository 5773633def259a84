//! What a host does with a state besides running it: stops what runs, gives tables their metatables, names values.

use super::names::lossy;
use super::{Call, NO_CLOSURE, State};
use crate::heap::{Event, NO_TABLE};
use crate::library as lib;
use crate::value::{NativeId, TableId, Value};

impl State {
    /// The next run begins with an error in the function that runs, with that message after the position: for a
    /// program that has had its time. The program can catch it.
    pub fn interrupt(&mut self, message: &str) {
        self.interruption = Some(message.into());
    }

    /// The error of an interruption, and nothing of what was about to happen.
    pub(super) fn interrupted(&mut self) -> Option<Value> {
        let message = self.interruption.take()?;
        self.starting = None;
        self.hook_event = None;
        self.incoming = (0, 0);
        let place = Self::frames_of(&self.thread).find(|(_, frame)| frame.closure != NO_CLOSURE);
        let mut text = place.map_or_else(Vec::new, |(_, frame)| self.frame_position(frame));
        text.extend_from_slice(message.as_bytes());
        Some(self.heap.message(&text))
    }

    /// How many bytes may be used in all.
    pub fn limit(&self) -> usize {
        self.heap.account.limit
    }

    /// Where `math.random` goes on from.
    pub fn seed_random(&mut self, seed: u64) {
        self.random = lib::seeded(seed);
    }

    /// A native of the host with values of its own, which it finds with [`Call::bound`].
    pub fn bind_host_native(&mut self, number: u32, values: &[Value]) -> Result<Value, Value> {
        let native = NativeId(lib::count() + number);
        self.heap.bound(native, values).map(Value::Bound).map_err(|_| self.heap.out_of_memory())
    }

    pub fn set_metatable(&mut self, table: TableId, meta: Option<TableId>) {
        self.heap.set_metatable(Value::Table(table), meta.map_or(NO_TABLE, |meta| meta.0));
    }

    /// The type of a value as messages say it: what `__name` of its metatable says, or its type.
    pub fn name_of(&self, value: Value) -> String {
        let meta = self.heap.metatable(value);
        if meta != NO_TABLE
            && let Value::String(name) =
                self.heap.tables.get(meta).get_string(self.heap.events()[Event::Name as usize])
        {
            return lossy(self.heap.bytes(name));
        }
        value.type_name().to_owned()
    }

    /// A text for an error, which has a small reserve of memory.
    pub fn message(&mut self, bytes: &[u8]) -> Value {
        self.heap.message(bytes)
    }
}

impl Call<'_> {
    /// The same call for a while, for a host that wraps it.
    pub fn reborrow(&mut self) -> Call<'_> {
        Call { state: &mut *self.state, function: self.function, count: self.count }
    }
}
