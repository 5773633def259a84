//! What goes on only when its client comes back: a client of the stateless era goes away with questions, and comes back with
//! the answers and a name that nobody can guess.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

/// Calls that may wait at once; each holds a place at its computer, or is a job.
const MOST: usize = 1000;

/// Calls whose clients are away, by the `requestState` that the client has, each with its end.
#[derive(Debug)]
pub struct Away<T>(Arc<Mutex<BTreeMap<String, (Instant, T)>>>);

impl<T> Default for Away<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Send + 'static> Away<T> {
    /// Puts a call aside until then; `late` gets it where its client does not come back. False where there is no room.
    pub fn put<F>(
        &self,
        name: String,
        until: Instant,
        call: T,
        late: impl FnOnce(T) -> F + Send + 'static,
    ) -> bool
    where
        F: Future<Output = ()> + Send,
    {
        let mut calls = self.0.lock();
        if calls.len() >= MOST {
            return false;
        }
        calls.insert(name.clone(), (until, call));
        drop(calls);
        let calls = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            sleep_until(until).await;
            let Some(calls) = calls.upgrade() else { return };
            // It may have come back, and gone away once more.
            let call = take(&calls, &name, |(other, _)| *other == until);
            if let Some(call) = call {
                late(call).await;
            }
        });
        true
    }

    /// Takes a call back up, where it is the one that is meant.
    pub fn take(&self, name: &str, is_meant: impl FnOnce(&T) -> bool) -> Option<T> {
        take(&self.0, name, |(_, call)| is_meant(call))
    }
}

fn take<T>(
    calls: &Mutex<BTreeMap<String, (Instant, T)>>,
    name: &str,
    is_meant: impl FnOnce(&(Instant, T)) -> bool,
) -> Option<T> {
    let mut calls = calls.lock();
    is_meant(calls.get(name)?).then(|| calls.remove(name))?.map(|(_, call)| call)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tokio::sync::mpsc;
    use tokio::time::sleep;

    #[tokio::test(start_paused = true)]
    async fn a_call_that_was_put_aside_twice_is_late_when_the_second_time_is_over() {
        let (away, (sender, mut late)) = (Away::default(), mpsc::channel(2));
        let put = |seconds: u64| {
            let sender = sender.clone();
            let until = Instant::now() + Duration::from_secs(seconds);
            away.put("a".to_owned(), until, seconds, async move |call| {
                let _ = sender.send(call).await;
            })
        };
        assert!(put(10));
        assert_eq!(away.take("a", |_| false), None, "it is not meant");
        assert_eq!(away.take("a", |_| true), Some(10));
        assert!(put(20));
        sleep(Duration::from_secs(15)).await;
        assert!(late.try_recv().is_err(), "the first time is nobody's any more");
        assert_eq!(late.recv().await, Some(20));
        assert_eq!(away.take("a", |_| true), None);
    }
}
