//! From the start of the process to the first line of the computer's own startup file.

use std::path::Path;
use std::time::Instant;

use crate::emulators::{Data, Emulators};
use crate::process::{Process, cpu_of_children, until};
use crate::table::{Table, median};

/// What part of the reference's time is the goal.
const GOAL: f64 = 0.2;

const STARTUP: &str = "fs.open('/first', 'w').close() os.shutdown()";

#[derive(Default)]
struct Times {
    first_line: Vec<f64>,
    whole: Vec<f64>,
    cpu: Vec<f64>,
}

impl Times {
    fn take(&mut self, emulator: &Path) -> anyhow::Result<()> {
        let data = Data::new(STARTUP)?;
        let first = data.path().join("computer/0/first");
        let before = cpu_of_children();
        let start = Instant::now();
        let process = Process::spawn(data.command(emulator).args(["-i", "0"]))?;
        until("the first line of Lua", || Ok(first.exists().then_some(())))?;
        self.first_line.push(start.elapsed().as_secs_f64() * 1e3);
        process.finish()?;
        self.whole.push(start.elapsed().as_secs_f64() * 1e3);
        if let (Some(before), Some(after)) = (before, cpu_of_children()) {
            self.cpu.push((after - before) * 1e3);
        }
        Ok(())
    }

    fn rows(&self) -> [f64; 3] {
        [median(&self.first_line), median(&self.whole), median(&self.cpu)]
    }
}

pub fn measure(emulators: &Emulators, rounds: usize, table: &mut Table) -> anyhow::Result<()> {
    let (mut embedded, mut reference) = (Times::default(), Times::default());
    for _ in 0..rounds {
        embedded.take(&emulators.embedded)?;
        if let Some(path) = &emulators.reference {
            reference.take(path)?;
        }
    }
    let names = ["spawn to the first Lua line", "a whole run", "CPU of a whole run"];
    let (own, theirs) = (embedded.rows(), reference.rows());
    for (index, name) in names.into_iter().enumerate() {
        let name = format!("{name}, median of {rounds}");
        let shown = |value: f64| if value.is_nan() { "-".to_owned() } else { format!("{value:.1} ms") };
        let ratio = own[index] / theirs[index];
        if index == 0 && !ratio.is_nan() {
            let goal = format!("{ratio:.2} of {GOAL}");
            table.goal(&name, &shown(own[index]), &shown(theirs[index]), &goal, ratio <= GOAL);
        } else {
            table.shown(&name, &shown(own[index]), &shown(theirs[index]));
        }
    }
    if emulators.reference.is_none() {
        table.left_out("the start of CraftOS-PC, and the ratio", "it is not installed (`CRAFTOS_PC`, PATH)");
    }
    Ok(())
}
