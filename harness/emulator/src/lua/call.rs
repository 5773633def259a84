//! One call of a native, as the native sees it: arguments to read, results to leave.
//!
//! Results are only collected here; they become values of Lua when the native has returned.

use craftos_lua::Value as Inner;

use super::convert;
use super::value::{Raise, Value, format_number};
use super::watchdog::Watchdog;

/// Arguments and results of a native that is being called.
#[derive(Debug)]
pub struct Call<'a> {
    inner: craftos_lua::Call<'a>,
    watchdog: &'a Watchdog,
    /// How many arguments were left out.
    shifted: usize,
    /// What was kept while the native waited, once it is called again.
    resumed: Option<f64>,
    results: &'a mut Vec<Value>,
    waiting: Option<f64>,
    collection: Collection,
    strict: bool,
}

/// This share of the memory a copy may take whatever else is in it: less than the tenth by which the process may differ.
pub(super) const LEAST_SHARE: usize = 16;

/// Whether a native may ask for a collection before it does anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collection {
    Possible,
    Wanted,
    /// It was done, for this call.
    Done,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        inner: craftos_lua::Call<'a>,
        watchdog: &'a Watchdog,
        resumed: Option<f64>,
        results: &'a mut Vec<Value>,
        collection: Collection,
    ) -> Self {
        Self { inner, watchdog, shifted: 0, resumed, results, waiting: None, collection, strict: false }
    }

    pub(super) fn set_strict(&mut self, strict: bool) {
        self.strict = strict;
    }

    /// Whether a number is no text and a text is no number.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// How many arguments there are.
    pub fn len(&self) -> usize {
        self.inner.len() - self.shifted
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Leaves out the first arguments: what follows is counted from 1.
    pub fn shift(&mut self, count: usize) {
        self.shifted += count.min(self.len());
    }

    /// The host's object that the called method belongs to.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it was made from a whole number"
    )]
    pub fn handle(&self) -> u64 {
        self.inner.bound(0).as_number().map_or(0, |id| id as u64)
    }

    /// Whether the native waited for an event: the arguments are now that event.
    pub fn resumed(&self) -> bool {
        self.resumed.is_some()
    }

    /// The number that was given to [`Call::wait`].
    pub fn kept(&self) -> f64 {
        self.resumed.unwrap_or(0.0)
    }

    /// Whether Lua has just looked for what nobody uses any more. Where it has not, it does so once the native has returned,
    /// whose results are nothing then, and the native is called again: it must have done nothing so far.
    pub fn has_collected(&mut self) -> bool {
        if self.collection == Collection::Possible {
            self.collection = Collection::Wanted;
        }
        self.collection == Collection::Done
    }

    pub(super) fn collects(&self) -> bool {
        self.collection == Collection::Wanted
    }

    pub(super) fn waiting(&self) -> Option<f64> {
        self.waiting
    }

    fn arg(&self, index: usize) -> Inner {
        if index == 0 { Inner::Nil } else { self.inner.arg(self.shifted + index) }
    }

    /// The name of the argument's type, `no value` past the last one.
    pub fn type_name(&self, index: usize) -> &'static str {
        if index > self.len() { "no value" } else { self.arg(index).type_name() }
    }

    /// The same, or what the value's metatable calls it with `__name`.
    pub fn type_text(&self, index: usize) -> String {
        if index > self.len() { "no value".to_owned() } else { self.inner.state.name_of(self.arg(index)) }
    }

    pub fn is_nil(&self, index: usize) -> bool {
        self.arg(index).is_nil()
    }

    /// The bytes of a string, or of a number as Lua writes it.
    pub fn bytes(&self, index: usize) -> Option<Vec<u8>> {
        match self.arg(index) {
            Inner::String(text) => Some(self.inner.bytes(text).to_vec()),
            Inner::Number(number) => Some(format_number(number).into_bytes()),
            _ => None,
        }
    }

    /// Only a number: strings that look like one do not count.
    pub fn number(&self, index: usize) -> Option<f64> {
        self.arg(index).as_number()
    }

    pub fn boolean(&self, index: usize) -> Option<bool> {
        if let Inner::Bool(value) = self.arg(index) { Some(value) } else { None }
    }

    pub fn truthy(&self, index: usize) -> bool {
        self.arg(index).is_true()
    }

    /// A deep copy of the argument; an error for tables that are too deep or contain themselves, and for a copy that is
    /// larger than the computer's memory: a text may be in it many times.
    pub fn value(&self, index: usize) -> Result<Value, Raise> {
        // A little of it in any case: what lies around may be garbage.
        let (room, limit) = (self.inner.state.room(), self.inner.state.limit());
        let mut room = room.max(limit / LEAST_SHARE);
        convert::read(self.inner.state, self.arg(index), 0, &mut room)
    }

    /// How large such a copy is.
    pub fn size(&self, index: usize) -> Result<usize, Raise> {
        let limit = self.inner.state.limit();
        let mut room = limit;
        convert::measure(self.inner.state, self.arg(index), 0, &mut room)?;
        Ok(limit - room)
    }

    /// How many bytes the computer's memory has left.
    pub fn room(&self) -> usize {
        self.inner.state.room()
    }

    /// Whether the computer has to stop what it does: its time is up, or it is to be turned off. For natives that may take
    /// long.
    pub fn time_is_up(&self) -> bool {
        self.watchdog.is_due()
    }

    /// Adds a result.
    pub fn push(&mut self, value: impl Into<Value>) {
        self.results.push(value.into());
    }

    /// Yields with what was pushed; the native is called again with the event as its arguments, and finds the
    /// number as [`Call::kept`].
    pub fn wait(&mut self, keep: f64) {
        self.waiting = Some(keep);
    }
}
