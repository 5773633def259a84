//! What a chunk has printed while it runs, kept for the case that it has no end of its own: a timeout, a lost link.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::budget::{Budget, Share};
use crate::text::Stranger;

/// Bytes that are kept of one chunk, the last ones: what came last says most about why it did not end.
const KEPT: usize = 64 * 1024;

/// The end of what was printed.
#[derive(Debug)]
pub struct Printed(Mutex<Inner>);

#[derive(Debug)]
struct Inner {
    text: String,
    /// Something was printed that is not kept.
    is_cut: bool,
    share: Share,
}

impl Printed {
    pub fn new(budget: &Arc<Budget>) -> Arc<Self> {
        Arc::new(Self(Mutex::new(Inner { text: String::new(), is_cut: false, share: budget.share() })))
    }

    /// Adds what was printed next. Where there is no room for it, in all that is kept together, it is lost.
    pub fn add(&self, text: &Stranger) {
        let mut inner = self.0.lock();
        let wanted = text.bytes().min(KEPT.saturating_sub(inner.text.len()));
        if wanted > 0 && !inner.share.take(wanted) {
            inner.is_cut = true;
            return;
        }
        text.append_to(&mut inner.text);
        let surplus = inner.text.len().saturating_sub(KEPT);
        if surplus > 0 {
            let length = inner.text.len();
            let from = (surplus..length).find(|at| inner.text.is_char_boundary(*at)).unwrap_or(length);
            inner.text.drain(..from);
            inner.is_cut = true;
        }
    }

    /// What is kept; nothing where nothing was printed.
    pub fn text(&self) -> Option<Stranger> {
        let inner = self.0.lock();
        match (inner.text.is_empty(), inner.is_cut) {
            (true, false) => None,
            (_, false) => Some(Stranger::new(&inner.text)),
            (_, true) => Some(Stranger::new(&format!("[cut]{}", inner.text))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_what_was_printed_is_kept() {
        let budget = Budget::new(10 * KEPT);
        let printed = Printed::new(&budget);
        assert_eq!(printed.text(), None);
        for piece in ["a\n", "ü"] {
            printed.add(&Stranger::new(piece));
        }
        assert_eq!(printed.text(), Some(Stranger::new("a\nü")));
        for _ in 0..100 {
            printed.add(&Stranger::new(&"ü".repeat(1000)));
        }
        printed.add(&Stranger::new("end"));
        let text = serde_json::to_string(&printed.text()).expect("JSON");
        assert!(text.starts_with("\"[cut]ü") && text.ends_with("üend\""), "{text:.20}");
        assert!(text.len() <= KEPT + 10 && budget.used() <= KEPT + 10, "{}", text.len());
        drop(printed);
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn what_there_is_no_room_for_is_lost_and_said_to_be() {
        let printed = Printed::new(&Budget::new(3));
        printed.add(&Stranger::new("abc"));
        printed.add(&Stranger::new("def"));
        assert_eq!(printed.text(), Some(Stranger::new("[cut]abc")));
    }
}
