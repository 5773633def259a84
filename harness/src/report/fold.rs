//! Folds rows that are alike and stand together, so that what is rare is seen.

use std::fmt::Write as _;

/// Fewer are read faster than unfolded.
const ALIKE: usize = 8;

/// A row of the diagram.
#[derive(Debug)]
pub struct Row {
    /// Equal for rows that are alike; none for one that stands apart.
    key: Option<String>,
    html: String,
}

impl Row {
    pub fn with(key: String, html: String) -> Self {
        Self { key: Some(key), html }
    }

    pub fn apart(html: String) -> Self {
        Self { key: None, html }
    }
}

/// Joins rows; a long run of like ones behind one line that says how many.
pub fn fold(rows: &[Row]) -> String {
    let mut html = String::new();
    for run in rows.chunk_by(|one, other| one.key.is_some() && one.key == other.key) {
        let body: String = run.iter().map(|row| row.html.as_str()).collect();
        if run.len() < ALIKE {
            html.push_str(&body);
            continue;
        }
        let _ = write!(
            html,
            "<details class=\"fold\"><summary><span class=\"at\"></span><div class=\"note\"><b>{} rows</b></div></summary>\n{body}</details>\n",
            run.len()
        );
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_run_of_like_rows_is_folded() {
        let row = |key: &str, number: usize| Row::with(key.to_owned(), format!("<{key}{number}>"));
        let few: Vec<Row> = (0..ALIKE - 1).map(|number| row("a", number)).collect();
        assert!(!fold(&few).contains("details"));
        let mut many: Vec<Row> = (0..ALIKE).map(|number| row("a", number)).collect();
        many.push(row("b", 0));
        let html = fold(&many);
        assert!(
            html.contains("<b>8 rows</b>") && html.contains("<a7>") && html.ends_with("</details>\n<b0>"),
            "{html}"
        );
        let apart: Vec<Row> = (0..ALIKE).map(|_| Row::apart("x".to_owned())).collect();
        assert_eq!(fold(&apart), "x".repeat(ALIKE));
    }
}
