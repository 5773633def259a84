//! What is told on stderr. Nobody may read it, and the disk behind it may be full: that ends nothing, and no verdict changes.

/// Prints to stderr where that works. It takes the place of the standard library's, which panics where it does not.
macro_rules! eprint {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = write!(std::io::stderr(), $($argument)*);
    }};
}

/// The same with the end of a line.
macro_rules! eprintln {
    ($($argument:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($argument)*);
    }};
}
