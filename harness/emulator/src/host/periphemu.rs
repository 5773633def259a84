//! `periphemu`: attaching peripherals.

use crate::lua::Native;

pub const NATIVES: &[Native] = &[];
