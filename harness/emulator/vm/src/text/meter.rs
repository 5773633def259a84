//! Counting work. A budget says how many units may be spent until a slice of work must pause.

use serde::{Deserialize, Serialize};

/// Work that was done in one piece and that no budget has paid for yet. It is paid before anything else is done, so that
/// the sum does not depend on how the work was sliced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debt(u64);

impl Debt {
    pub fn add(&mut self, units: u64) {
        self.0 = self.0.saturating_add(units);
    }

    /// Pays what the budget allows. Returns whether nothing is left to pay.
    pub fn settle(&mut self, budget: &mut u64) -> bool {
        let paid = self.0.min(*budget);
        self.0 -= paid;
        *budget -= paid;
        self.0 == 0
    }

    /// The same, and returns whether the budget also has something left for more work.
    pub fn pay(&mut self, budget: &mut u64) -> bool {
        self.settle(budget) && *budget > 0
    }
}
