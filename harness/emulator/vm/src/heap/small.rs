//! Short lists that need no memory of their own: most texts are words, most functions share few variables.

use std::ops::{Deref, DerefMut};

use serde::{Deserialize, Serialize};

use super::objects::block;

/// As many bytes as fit besides the length and the tag where a long text has its address and length.
const SHORT: usize = 22;

/// The bytes of a text.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Bytes {
    Short(u8, [u8; SHORT]),
    Long(Box<[u8]>),
}

const _: () = assert!(size_of::<Bytes>() <= 24, "a short text fills the place of a long one");

impl Bytes {
    pub fn copy(bytes: &[u8]) -> Self {
        match u8::try_from(bytes.len()) {
            Ok(length) if bytes.len() <= SHORT => {
                let mut short = [0; SHORT];
                short[..bytes.len()].copy_from_slice(bytes);
                Self::Short(length, short)
            }
            _ => Self::Long(bytes.into()),
        }
    }

    /// What a text of that length takes beside its slot.
    pub fn size(length: usize) -> usize {
        if length <= SHORT { 0 } else { block(length) }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        if bytes.len() <= SHORT { Self::copy(&bytes) } else { Self::Long(bytes.into_boxed_slice()) }
    }
}

impl Default for Bytes {
    fn default() -> Self {
        Self::Short(0, [0; SHORT])
    }
}

impl Deref for Bytes {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Self::Short(length, bytes) => &bytes[..usize::from(*length)],
            Self::Long(bytes) => bytes,
        }
    }
}

/// As many as fit where a long list has its address and length.
const FEW: usize = 4;

/// Handles of the cells of a function.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Upvalues {
    Few(u8, [u32; FEW]),
    Many(Box<[u32]>),
}

const _: () = assert!(size_of::<Upvalues>() <= 24, "a short list fills the place of a long one");

impl Upvalues {
    pub fn collect(count: usize, cells: impl Iterator<Item = u32>) -> Self {
        match u8::try_from(count) {
            Ok(length) if count <= FEW => {
                let mut few = [0; FEW];
                for (place, cell) in few.iter_mut().zip(cells) {
                    *place = cell;
                }
                Self::Few(length, few)
            }
            _ => Self::Many(cells.collect()),
        }
    }

    /// What they take beside the slot of their function.
    pub fn bytes(&self) -> usize {
        if let Self::Many(cells) = self { block(size_of_val(&**cells)) } else { 0 }
    }
}

impl Default for Upvalues {
    fn default() -> Self {
        Self::Few(0, [0; FEW])
    }
}

impl Deref for Upvalues {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        match self {
            Self::Few(count, cells) => &cells[..usize::from(*count)],
            Self::Many(cells) => cells,
        }
    }
}

impl DerefMut for Upvalues {
    fn deref_mut(&mut self) -> &mut [u32] {
        match self {
            Self::Few(count, cells) => &mut cells[..usize::from(*count)],
            Self::Many(cells) => cells,
        }
    }
}
