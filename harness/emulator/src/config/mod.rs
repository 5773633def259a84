//! Configuration: the files of the data folder, and the profile that the computers run with.

mod computer;
mod profile;
mod settings;

pub use computer::{ComputerConfig, LabelError};
pub use profile::Profile;
pub use settings::{Settings, SettingsError, type_of};
