//! Scenarios: the file, the steps, the play, and the transcript that it leaves.

mod file;
mod load;
mod names;
mod play;
mod snapshot;
mod steps;
mod transcript;

pub use file::{BridgeSection, ComputerSection, FrameOrder, Ready, ScenarioFile};
pub use load::{LoadError, Scenario, all, load};
pub use play::{PlayError, Played, play};
pub use snapshot::{Comparison, SnapshotError, accept, compare, difference, leftovers};
pub use steps::{Step, Wait};
