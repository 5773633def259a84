//! Long names of chunks: a chunk without a name is named after its text, which all of its functions keep.
//!
//! Each is counted once, as long as a function of its chunk is there.

use std::collections::HashMap;
use std::sync::Arc;

use crate::compile::ChunkName;

/// Shorter names are counted with each function: they are paths.
pub const LONG: usize = 256;

/// How many functions have each long name, by where the name lies: they keep it, so that nothing else lies there.
#[derive(Debug, Clone, Default)]
pub struct LongNames {
    users: HashMap<usize, usize>,
}

fn place(name: &Arc<ChunkName>) -> usize {
    Arc::as_ptr(name) as usize
}

impl LongNames {
    /// How many bytes another function with that name would take.
    pub fn cost(&self, name: &Arc<ChunkName>) -> usize {
        let size = name.size();
        if size <= LONG || self.users.contains_key(&place(name)) { 0 } else { size }
    }

    pub fn add(&mut self, name: &Arc<ChunkName>) {
        if name.size() > LONG {
            *self.users.entry(place(name)).or_default() += 1;
        }
    }

    /// A function with that name is gone; tells how many bytes went with it.
    pub fn remove(&mut self, name: &Arc<ChunkName>) -> usize {
        let Some(users) = self.users.get_mut(&place(name)) else { return 0 };
        *users -= 1;
        if *users > 0 {
            return 0;
        }
        self.users.remove(&place(name));
        name.size()
    }
}
