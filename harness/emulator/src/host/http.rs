//! `http`: requests and `WebSockets`.

use crate::lua::Native;

pub const NATIVES: &[Native] = &[];
