//! Stdout of the commands.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write as _};

use anyhow::Context as _;

/// Prints a text to stdout, or returns why it cannot.
macro_rules! out {
    ($($argument:tt)*) => {
        $crate::commands::out::write(format_args!($($argument)*))?
    };
}

/// Prints a line to stdout, or returns why it cannot.
macro_rules! outln {
    ($($argument:tt)*) => {
        $crate::commands::out::write(format_args!("{}\n", format_args!($($argument)*)))?
    };
}

pub(crate) use {out, outln};

/// Prints a text as it is. A reader that has seen enough and left, as `head` does, is no error.
pub fn write(text: Arguments<'_>) -> anyhow::Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_fmt(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("failed to write to stdout")
        }
        _ => Ok(()),
    }
}
