//! Whose words a state has where machines that run Lua 5.2 differ.

use serde::{Deserialize, Serialize};

/// Whose messages, names and small choices a state has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum Dialect {
    /// Stock Lua 5.2: `bad argument #1 to 'rep' (string expected, got nil)`.
    #[default]
    Stock,
    /// CraftOS-PC: `bad argument #1 (expected string, got nil)`.
    CraftosPc,
}

impl Dialect {
    /// How long the name of a chunk in a message may be (`LUA_IDSIZE`, without the zero at its end).
    fn longest_name(self) -> usize {
        match self {
            Self::Stock => 59,
            Self::CraftosPc => 29,
        }
    }

    /// The name of a chunk as messages show it.
    pub fn chunk_name(self, source: &[u8]) -> Vec<u8> {
        let room = self.longest_name();
        match source.first() {
            Some(b'=') => source[1..].iter().copied().take(room).collect(),
            Some(b'@') => {
                let name = &source[1..];
                if name.len() <= room {
                    name.to_vec()
                } else {
                    let mut text = b"...".to_vec();
                    text.extend_from_slice(&name[name.len() - (room - 3)..]);
                    text
                }
            }
            _ => {
                let line = source.split(|&byte| byte == b'\n').next().unwrap_or_default();
                let mut text = b"[string \"".to_vec();
                let available = room - b"[string \"...\"]".len();
                if line.len() == source.len() && source.len() < available {
                    text.extend_from_slice(source);
                } else {
                    text.extend_from_slice(&line[..line.len().min(available)]);
                    text.extend_from_slice(b"...");
                }
                text.extend_from_slice(b"\"]");
                text
            }
        }
    }
}
