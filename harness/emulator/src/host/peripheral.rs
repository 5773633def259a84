//! `peripheral`: calls to what is attached.

use crate::lua::Native;

pub const NATIVES: &[Native] = &[];
