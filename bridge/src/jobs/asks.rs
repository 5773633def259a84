//! What jobs ask their clients, as their computers told it last. It is in memory alone: a computer tells it again whenever
//! it is asked about the job, and a job that was interrupted asks nothing any more.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::budget::{Budget, Share};
use crate::limits::{QUESTIONS, QUESTIONS_BYTES};
use crate::link::note::Asked;
use crate::questions::Questions;

/// What all questions of jobs and calls together may take: those of hundreds. A job beyond that waits until others were
/// answered; a call is refused.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// What all jobs ask, by their ids.
#[derive(Debug)]
pub struct Asks {
    /// As JSON: read values take many times the room.
    by_job: Mutex<BTreeMap<String, (String, Share)>>,
    budget: Arc<Budget>,
}

impl Default for Asks {
    fn default() -> Self {
        Self { by_job: Mutex::default(), budget: Budget::new(MOST_BYTES) }
    }
}

impl Asks {
    /// What a call may ask beside them.
    pub fn of_call(&self) -> Questions {
        Questions::new(&self.budget)
    }

    /// What a job asks.
    pub fn of(&self, job: &str) -> Vec<Asked> {
        let asked = self.by_job.lock().get(job).and_then(|(text, _)| serde_json::from_str(text).ok());
        let mut asked: Vec<Asked> = asked.unwrap_or_default();
        asked.truncate(QUESTIONS);
        asked
    }

    /// Takes over what a job asks, as a list in JSON; nothing where it asks nothing. Tells whether that is news.
    pub fn set(&self, job: &str, asked: Option<&str>) -> bool {
        let mut by_job = self.by_job.lock();
        let Some(text) = asked.filter(|text| text.len() <= QUESTIONS_BYTES) else {
            return by_job.remove(job).is_some();
        };
        if by_job.get(job).is_some_and(|(before, _)| before == text) {
            return false;
        }
        by_job.remove(job);
        let mut share = self.budget.share();
        if share.take(text.len()) {
            by_job.insert(job.to_owned(), (text.to_owned(), share));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_kept_until_they_were_answered_and_are_news_once() {
        let asks = Asks::default();
        let one = r#"[{"ask":1,"key":"name","method":"elicitation/create","params":{}}]"#;
        assert!(asks.set("a", Some(one)) && !asks.set("a", Some(one)));
        assert_eq!(asks.of("a")[0].key.as_deref(), Some("name"));
        assert_eq!(asks.of("b"), []);
        assert!(asks.set("a", None) && !asks.set("a", None));
        assert_eq!((asks.of("a"), asks.budget.used()), (Vec::new(), 0));
    }

    #[test]
    fn questions_without_an_end_take_a_bounded_number_of_bytes() {
        let asks = Asks::default();
        let large = format!(r#"[{{"ask":1,"method":"{}"}}]"#, "x".repeat(QUESTIONS_BYTES - 64));
        for job in 0..2 * MOST_BYTES / large.len() {
            asks.set(&job.to_string(), Some(&large));
        }
        let kept: usize = asks.by_job.lock().values().map(|(text, _)| text.len()).sum();
        assert!(kept <= MOST_BYTES && kept > MOST_BYTES / 2, "{kept}");
        let many = format!("[{}]", [r#"{"ask":1,"method":"x"}"#; 1000].join(","));
        asks.set("0", Some(&many));
        assert_eq!(asks.of("0").len(), QUESTIONS);
        let too_large = format!(r#"[{{"ask":1,"method":"{}"}}]"#, "x".repeat(QUESTIONS_BYTES));
        asks.set("0", Some(&too_large));
        assert_eq!(asks.of("0"), []);
    }
}
