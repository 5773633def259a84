//! A speaker that nobody hears: it takes everything and says when it wants more.

use super::super::Arguments;
use super::{Attachment, Peripheral};
use crate::lua::{Call, NativeResult, Raise};

const METHODS: &[&str] = &["playAudio", "playNote", "playSound", "stop"];

/// The notes that the game knows.
const INSTRUMENTS: &[&str] = &[
    "harp",
    "basedrum",
    "snare",
    "hat",
    "bass",
    "flute",
    "bell",
    "guitar",
    "chime",
    "xylophone",
    "iron_xylophone",
    "cow_bell",
    "didgeridoo",
    "bit",
    "banjo",
    "pling",
];

#[derive(Debug, Default)]
pub struct Speaker;

impl Peripheral for Speaker {
    fn types(&self) -> Vec<&str> {
        vec!["speaker"]
    }

    fn methods(&self) -> Vec<&str> {
        METHODS.to_vec()
    }

    fn call(&mut self, at: &Attachment, method: &str, call: &mut Call<'_>) -> NativeResult {
        match method {
            "playNote" => {
                let instrument = call.text(1)?;
                if !INSTRUMENTS.iter().any(|known| known.as_bytes() == instrument) {
                    let shown = String::from_utf8_lossy(&instrument);
                    return Err(Raise::new(format!("Invalid instrument, \"{shown}\"!")));
                }
                call.float_or(2, 1.0)?;
                call.float_or(3, 1.0)?;
                call.push(true);
            }
            "playSound" => {
                call.text(1)?;
                call.float_or(2, 1.0)?;
                call.float_or(3, 1.0)?;
                call.push(true);
            }
            "playAudio" => {
                if call.type_name(1) != "table" {
                    return Err(call.unexpected(1, "table"));
                }
                at.queue_event("speaker_audio_empty", []);
                call.push(true);
            }
            _ => {}
        }
        Ok(())
    }
}
