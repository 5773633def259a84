//! Scenarios: the file, the steps, the play, and the transcript that it leaves.

mod check;
mod disk;
mod faulty;
mod file;
mod foreign;
mod given;
mod load;
mod marks;
mod must_fail;
mod names;
mod play;
mod shown;
mod snapshot;
pub mod steps;
mod transcript;
mod world;

pub use file::{BridgeSection, ComputerSection, FaultsSection, FrameOrder, Greetings, Ready, ScenarioFile};
pub use load::{LoadError, Scenario, all, load};
pub use must_fail::{MustFail, is_only_named};
pub use play::{PlayError, Played, play};
pub(crate) use shown::hash;
pub use snapshot::{Comparison, SnapshotError, accept, compare, difference, leftovers};
