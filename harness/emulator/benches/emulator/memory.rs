//! Memory for each computer: a thousand at their prompts in one process, and one process of the reference.

use crate::emulators::{Data, Emulators};
use crate::process::{Process, until};
use crate::table::Table;

const COMPUTERS: usize = 1000;
/// KiB for each computer.
const GOAL: f64 = 200.0;
/// Each computer leaves a file and goes on to its prompt.
const EXEC: &str = "fs.open('/first', 'w').close()";

pub fn measure(emulators: &Emulators, table: &mut Table) -> anyhow::Result<()> {
    let data = Data::new("")?;
    let mut command = data.command(&emulators.embedded);
    let process = Process::spawn(command.args(["-i", &format!("0-{}", COMPUTERS - 1), "--exec", EXEC]))?;
    let mut waiting = 0;
    until("a thousand computers to start", || {
        while waiting < COMPUTERS && data.path().join(format!("computer/{waiting}/first")).exists() {
            waiting += 1;
        }
        Ok((waiting == COMPUTERS).then_some(()))
    })?;
    settle(&process)?;
    let embedded = process.proportional_kib();
    drop(process);
    let reference = match &emulators.reference {
        None => {
            table.left_out("the memory of CraftOS-PC", "it is not installed (`CRAFTOS_PC`, PATH)");
            None
        }
        Some(path) => {
            let data = Data::new(EXEC)?;
            let process = Process::spawn(data.command(path).args(["-i", "0"]))?;
            let first = data.path().join("computer/0/first");
            until("CraftOS-PC to start", || Ok(first.exists().then_some(())))?;
            settle(&process)?;
            process.proportional_kib()
        }
    };
    let Some(embedded) = embedded else {
        table.left_out("memory", "this system has no `/proc/PID/smaps_rollup`");
        return Ok(());
    };
    #[expect(clippy::cast_precision_loss, reason = "a thousand")]
    let each = embedded / COMPUTERS as f64;
    let reference = reference.map_or_else(|| "-".to_owned(), |kib| format!("{kib:.0} KiB"));
    let goal = format!("< {GOAL:.0} KiB");
    table.goal(
        "memory for each of 1000 computers (proportional)",
        &format!("{each:.0} KiB"),
        &reference,
        &goal,
        each < GOAL,
    );
    Ok(())
}

/// Waits until the process has nothing more to do: its CPU time stands still.
fn settle(process: &Process) -> anyhow::Result<()> {
    let mut last = (process.cpu_seconds(), 0);
    until("the emulator to be idle", || {
        let now = process.cpu_seconds();
        last = if now == last.0 { (now, last.1 + 1) } else { (now, 0) };
        // A tenth of a second without a tick of the clock.
        Ok((last.1 > 500).then_some(()))
    })
}
