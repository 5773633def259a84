//! A host that collects what a program writes, and states with it.

use craftos_lua::{Call, Dialect, Host, Outcome, Run, State, Value};

/// More than any of the programs needs.
pub const MEMORY: usize = 64 * 1024 * 1024;

/// What a program wrote.
#[derive(Debug, Default, Clone)]
pub struct Console(pub Vec<u8>);

impl Host for Console {
    fn call(&mut self, native: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Outcome, Value> {
        for index in 1..=call.len() {
            let text = call.text(index)?;
            self.0.extend_from_slice(call.bytes(text));
        }
        if native == 0 {
            self.0.push(b'\n');
        }
        Ok(Outcome::NONE)
    }
}

impl Console {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

/// `write` ends its line, `raw` does not.
pub const NATIVES: [&str; 2] = ["write", "raw"];

/// A state that knows `write` and `raw` and begins with that program.
pub fn state_of(program: &str, dialect: Dialect) -> State {
    state_named(program, "@program", dialect)
}

pub fn state_named(program: &str, name: &str, dialect: Dialect) -> State {
    let mut state = State::with_dialect(MEMORY, dialect);
    state.set_host_natives(NATIVES.map(str::to_owned));
    for (number, name) in (0..).zip(NATIVES) {
        let native = state.host_native(number);
        state.set_global(name, native).expect("there is room");
    }
    let main = state.load(program.as_bytes(), name).expect("the program is Lua");
    state.start(main, &[]).expect("there is room");
    state
}

pub fn state(program: &str) -> State {
    state_of(program, Dialect::Stock)
}

/// Runs a program to its end, so many instructions at a time.
pub fn finish(state: &mut State, console: &mut Console, slice: u64) {
    loop {
        match state.run(console, slice) {
            Run::OutOfBudget => {}
            Run::Finished(_) => return,
            Run::Error(error) => {
                let text = state.bytes(error).map(String::from_utf8_lossy);
                panic!("{text:?} after:\n{}", console.text());
            }
            Run::Yielded(_) => state.resume(&[]).expect("there is room"),
        }
    }
}
