//! Frames of the `WebSocket` protocol, as bytes.
//!
//! Text need not be UTF-8 here: computers send and receive any bytes, as in the reference.

use super::connect::NetError;

/// A control frame may not be longer.
pub const LARGEST_CONTROL: usize = 125;

/// Room that is kept between two frames, for each socket: most frames are smaller.
pub const KEPT_ROOM: usize = 1024;

/// What a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opcode {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

impl Opcode {
    fn parse(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Continuation,
            1 => Self::Text,
            2 => Self::Binary,
            8 => Self::Close,
            9 => Self::Ping,
            10 => Self::Pong,
            _ => return None,
        })
    }

    fn code(self) -> u8 {
        match self {
            Self::Continuation => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    pub fn is_control(self) -> bool {
        self.code() >= 8
    }
}

/// One frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub opcode: Opcode,
    pub last: bool,
    pub payload: Vec<u8>,
}

/// Takes a whole frame from the front of `bytes`; none if it has not all arrived.
pub fn decode(bytes: &mut Vec<u8>, largest: usize) -> Result<Option<Frame>, NetError> {
    let broken = |what: &str| NetError::WebSocket(what.to_owned());
    let [first, second, ..] = bytes[..] else {
        return Ok(None);
    };
    if first & 0x70 != 0 {
        return Err(broken("reserved bits are set"));
    }
    let opcode = Opcode::parse(first & 0x0F).ok_or_else(|| broken("unknown kind of frame"))?;
    let field = |range: std::ops::Range<usize>| -> Option<u64> {
        Some(bytes.get(range)?.iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    };
    let (length, mut start) = match second & 0x7F {
        126 => (field(2..4), 4),
        127 => (field(2..10), 10),
        short => (Some(u64::from(short)), 2),
    };
    let Some(length) = length else { return Ok(None) };
    if length > largest as u64 || (opcode.is_control() && length > LARGEST_CONTROL as u64) {
        return Err(NetError::TooLarge);
    }
    let length = usize::try_from(length).map_err(|_| NetError::TooLarge)?;
    let masked = second & 0x80 != 0;
    if masked {
        start += 4;
    }
    if bytes.len() < start + length {
        return Ok(None);
    }
    let mut payload = bytes[start..start + length].to_vec();
    if masked {
        apply_mask(&mut payload, &bytes[start - 4..start]);
    }
    // Its room is kept for the next one, unless it is much.
    bytes.drain(..start + length);
    bytes.shrink_to(KEPT_ROOM);
    Ok(Some(Frame { opcode, last: first & 0x80 != 0, payload }))
}

/// Writes a whole message as one frame; what a client sends must be masked.
pub fn encode(opcode: Opcode, payload: &[u8], mask: [u8; 4]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(payload.len() + 14);
    bytes.push(0x80 | opcode.code());
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(short), _) if short < 126 => bytes.push(0x80 | short),
        (_, Ok(medium)) => {
            bytes.push(0x80 | 0x7E);
            bytes.extend(medium.to_be_bytes());
        }
        _ => {
            bytes.push(0x80 | 0x7F);
            bytes.extend((payload.len() as u64).to_be_bytes());
        }
    }
    bytes.extend(mask);
    let start = bytes.len();
    bytes.extend_from_slice(payload);
    apply_mask(&mut bytes[start..], &mask);
    bytes
}

fn apply_mask(payload: &mut [u8], mask: &[u8]) {
    for (byte, key) in payload.iter_mut().zip(mask.iter().cycle()) {
        *byte ^= key;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_message_comes_back_however_it_is_cut(
            payload in proptest::collection::vec(proptest::num::u8::ANY, 0..70_000),
            mask: [u8; 4],
            cut in 0_usize..70_000,
        ) {
            let whole = encode(Opcode::Text, &payload, mask);
            let cut = cut.min(whole.len() - 1);
            let mut bytes = whole[..cut].to_vec();
            proptest::prop_assert!(decode(&mut bytes, 70_000).expect("a part is no error").is_none());
            bytes.extend_from_slice(&whole[cut..]);
            bytes.push(0x8A);
            let frame = decode(&mut bytes, 70_000).expect("it is well formed").expect("it is whole");
            proptest::prop_assert_eq!(frame, Frame { opcode: Opcode::Text, last: true, payload });
            proptest::prop_assert_eq!(bytes, vec![0x8A]);
        }

        #[test]
        fn any_bytes_are_a_frame_or_an_error_or_too_few(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64)) {
            let mut bytes = bytes;
            while let Ok(Some(frame)) = decode(&mut bytes, 32) {
                proptest::prop_assert!(frame.payload.len() <= 32 || frame.opcode.is_control());
            }
        }
    }

    #[test]
    fn too_large_is_known_from_the_head_alone() {
        let mut bytes = vec![0x81, 127, 0, 0, 0, 0, 0, 2, 0, 1];
        assert!(matches!(decode(&mut bytes, 131_072), Err(NetError::TooLarge)));
        let mut bytes = vec![0x89, 126, 1, 0];
        assert!(matches!(decode(&mut bytes, 131_072), Err(NetError::TooLarge)));
    }
}
