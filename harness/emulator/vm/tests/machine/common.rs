//! A host that collects what a program writes, and states with it.

use craftos_lua::{Call, Dialect, Host, Outcome, Run, State, Value};

/// More than any of the programs needs.
pub const MEMORY: usize = 64 * 1024 * 1024;

/// What a program wrote.
#[derive(Debug, Default, Clone)]
pub struct Console(pub Vec<u8>);

impl Host for Console {
    fn call(&mut self, _: u32, call: &mut Call<'_>, _: Option<f64>) -> Result<Outcome, Value> {
        for index in 1..=call.len() {
            let text = call.text(index)?;
            self.0.extend_from_slice(call.bytes(text));
        }
        self.0.push(b'\n');
        Ok(Outcome::NONE)
    }
}

impl Console {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

/// A state that knows `write` and begins with that program.
pub fn state_of(program: &str, dialect: Dialect) -> State {
    let mut state = State::with_dialect(MEMORY, dialect);
    state.set_host_natives(["write".to_owned()]);
    let write = state.host_native(0);
    state.set_global("write", write).expect("there is room");
    let main = state.load(program.as_bytes(), "@program").expect("the program is Lua");
    state.start(main, &[]).expect("there is room");
    state
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
