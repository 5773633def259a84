//! A small buffer on the stack that numbers are printed into: no allocation for what is copied at once anyway.

use std::fmt;

/// Holds up to `N` bytes of ASCII.
#[derive(Clone, Copy)]
pub(super) struct Scratch<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Scratch<N> {
    pub(super) fn new() -> Self {
        Self { bytes: [0; N], length: 0 }
    }

    /// Appends a byte. What does not fit is a mistake in the size that the caller chose.
    pub(super) fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes[self.length..self.length + bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    pub(super) fn repeat(&mut self, byte: u8, count: usize) {
        self.bytes[self.length..self.length + count].fill(byte);
        self.length += count;
    }

    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub(super) fn as_mut_bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.length]
    }
}

impl<const N: usize> fmt::Write for Scratch<N> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.length + text.len() > N {
            return Err(fmt::Error);
        }
        self.extend(text.as_bytes());
        Ok(())
    }
}
