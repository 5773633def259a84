//! The table that is printed: figure, both emulators, goal, verdict.

use std::fmt::Write as _;

/// Rows in the order in which they were measured.
#[derive(Default)]
pub struct Table {
    rows: Vec<[String; 5]>,
    missing: Vec<String>,
}

impl Table {
    /// A figure with a goal that it must not pass.
    pub fn goal(&mut self, figure: &str, embedded: &str, reference: &str, goal: &str, met: bool) {
        let verdict = if met { "met" } else { "NOT MET" };
        self.rows.push([figure, embedded, reference, goal, verdict].map(str::to_owned));
    }

    /// A figure that is only shown.
    pub fn shown(&mut self, figure: &str, embedded: &str, reference: &str) {
        self.rows.push([figure, embedded, reference, "", ""].map(str::to_owned));
    }

    /// Something that was not measured, and why.
    pub fn left_out(&mut self, what: &str, why: &str) {
        self.missing.push(format!("{what}: {why}"));
    }

    pub fn print(&self) {
        if self.rows.is_empty() && self.missing.is_empty() {
            return;
        }
        let head = ["embedded-craftos", "embedded", "CraftOS-PC", "goal", ""].map(str::to_owned);
        let width = |column: usize| {
            let cells = std::iter::once(&head).chain(&self.rows);
            cells.map(|row| row[column].chars().count()).max().unwrap_or(0)
        };
        for row in std::iter::once(&head).chain(&self.rows) {
            let mut line = format!("{:<1$}", row[0], width(0));
            for (column, cell) in row.iter().enumerate().skip(1) {
                let width = width(column);
                let _ = write!(line, "  {cell:>width$}");
            }
            println!("{}", line.trim_end());
        }
        for missing in &self.missing {
            println!("left out: {missing}");
        }
    }
}

/// The middle of the values.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The least of the values: what else the machine does only adds.
pub fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}
