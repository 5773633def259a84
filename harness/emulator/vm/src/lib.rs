//! A Lua for ComputerCraft, in safe Rust: Lua 5.2 with what CC:Tweaked takes from later versions.
//!
//! A [`State`] is a program and all that it can reach. It never recurses on the native stack, runs at most as many
//! instructions as it is given, uses at most as many bytes as it is allowed, and does the same thing every time.
//!
//! - **Metered**: [`State::run`] takes a count of instructions and stops at it, in the midst of a sort or of a pattern
//!   too; the next run goes on.
//! - **Accounted**: what does not fit the limit is the error `not enough memory`, which the program can catch. Garbage is
//!   collected in small steps, which count as instructions.
//! - **Stackless**: calls, metamethods, iterators, `pcall`, comparators and callbacks are frames on the heap. Coroutines
//!   can yield in all of them.
//! - **Deterministic**: the order of `pairs`, the text of a table and random numbers depend on the program alone.
//! - **Observable**: [`State::count_lines`] counts how often each line runs; [`State::run_watched`] stops before lines.
//! - **Shared**: a compiled [`Proto`] holds no state; any number of states in any thread use it. A state can be cloned
//!   between two runs, or written to bytes ([`State::save`]) and read again in another process ([`State::restore`]).
//!
//! What a program reaches outside is its [`Host`]: natives that are known to the state by their number only.
//!
//! ```
//! use craftos_lua::{Call, Host, Outcome, Run, State, Value};
//!
//! /// Knows one native: it adds to a total that the host keeps.
//! struct Counter(f64);
//!
//! impl Host for Counter {
//!     fn call(&mut self, native: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Outcome, Value> {
//!         assert_eq!(native, 0, "there is only one");
//!         self.0 += call.number(1)?;
//!         Ok(Outcome::One(Value::Number(self.0)))
//!     }
//! }
//!
//! let mut state = State::new(1024 * 1024);
//! state.set_host_natives(["count".to_owned()]);
//! let count = state.host_native(0);
//! state.set_global("count", count).unwrap();
//!
//! let main = state.load(b"for i = 1, 3 do count(i) end return coroutine.yield('ready')", "=main").unwrap();
//! state.start(main, &[]).unwrap();
//! let mut host = Counter(0.0);
//!
//! // A few instructions at a time, as a scheduler does.
//! let values = loop {
//!     match state.run(&mut host, 10) {
//!         Run::OutOfBudget => {}
//!         Run::Yielded(values) => break values,
//!         other => panic!("{other:?}"),
//!     }
//! };
//! assert_eq!(state.bytes(values[0]), Some(&b"ready"[..]));
//! assert_eq!(host.0, 6.0);
//!
//! // A copy goes on from the same place, on its own.
//! let mut copy = state.clone();
//! copy.resume(&[Value::Bool(true)]).unwrap();
//! assert!(matches!(copy.run(&mut host, 1000), Run::Finished(values) if values[0].is_true()));
//! assert!(state.is_waiting());
//!
//! // So does one that was written and read again.
//! let bytes = state.save();
//! let mut again = State::restore(&bytes, ["count".to_owned()]).unwrap();
//! again.resume(&[Value::Number(7.0)]).unwrap();
//! assert!(matches!(again.run(&mut host, 1000), Run::Finished(values) if values[0].as_number() == Some(7.0)));
//! ```
//!
//! Where to start reading: [`State::run`] in `machine/state.rs`, then `machine/run.rs`, the loop.
//!
//! - [`Dialect`]: whose words messages have.
//! - `compile`: text to instructions.
//! - `value`, `heap`: values, the objects that they name, and their collection.
//! - `machine`: frames, the loop, metamethods, errors, coroutines, hooks.
//! - `library`: the standard libraries.
//! - `saving`: states as bytes.
//! - [`text`]: what the libraries do with numbers as text, formats, patterns, packed values and bytes.

#![forbid(unsafe_code)]
#![expect(
    clippy::cast_precision_loss,
    reason = "lengths and counts become numbers of Lua, which are exact far beyond any memory"
)]
#![expect(clippy::float_cmp, reason = "Lua compares numbers exactly")]
#![expect(clippy::similar_names, reason = "registers and their owners are named alike")]
#![expect(
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    reason = "natives and continuations have one signature, whether they can fail or not"
)]
#![expect(clippy::wrong_self_convention, reason = "code generation evaluates `to` a register")]

mod compile;
mod dialect;
mod heap;
mod library;
mod machine;
mod saving;
pub mod text;
mod value;

pub use compile::{Checked, CompileError, Proto, check, compile, compile_while, pack, unpack};
pub use dialect::Dialect;
pub use machine::{Call, Host, NoHost, Outcome, Place, Run, Standing, State, Watched};
pub use saving::RestoreError;
pub use value::{NativeId, StringId, TableId, ThreadId, Value};
