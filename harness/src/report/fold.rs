//! Folds rows that are alike and stand together, so that what is rare is seen.

use maud::{Markup, html};

/// Fewer are read faster than unfolded.
const ALIKE: usize = 8;

/// A row of the diagram.
#[derive(Debug)]
pub struct Row {
    /// Equal for rows that are alike; none for one that stands apart.
    key: Option<String>,
    html: Markup,
}

impl Row {
    pub fn with(key: String, html: Markup) -> Self {
        Self { key: Some(key), html }
    }

    pub fn apart(html: Markup) -> Self {
        Self { key: None, html }
    }
}

/// Joins rows; a long run of like ones behind one line that says how many.
pub fn fold(rows: &[Row]) -> Markup {
    let runs = rows.chunk_by(|one, other| one.key.is_some() && one.key == other.key);
    html! {
        @for run in runs {
            @if run.len() < ALIKE {
                @for row in run { (row.html) }
            } @else {
                details.fold {
                    summary { span.at {} div.note { b { (run.len()) " rows" } } }
                    @for row in run { (row.html) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_run_of_like_rows_is_folded() {
        let row = |key: &str, number: usize| Row::with(key.to_owned(), html! { (key) (number) ";" });
        let few: Vec<Row> = (0..ALIKE - 1).map(|number| row("a", number)).collect();
        assert!(!fold(&few).into_string().contains("details"));
        let mut many: Vec<Row> = (0..ALIKE).map(|number| row("a", number)).collect();
        many.push(row("b", 0));
        let folded = fold(&many).into_string();
        assert!(
            folded.contains("<b>8 rows</b>") && folded.contains("a7;") && folded.ends_with("</details>b0;"),
            "{folded}"
        );
        let apart: Vec<Row> = (0..ALIKE).map(|_| Row::apart(html! { "x" })).collect();
        assert_eq!(fold(&apart).into_string(), "x".repeat(ALIKE));
    }
}
