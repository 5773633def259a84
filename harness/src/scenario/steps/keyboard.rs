//! What a keyboard has: the names of its keys, and texts that can be typed on it.

/// The names of keys, as `keys` has them on every emulator.
const KEYS: &str = "a apostrophe at ax b backslash backspace c capsLock circumflex colon comma convert d delete down e \
    eight end enter equals f f1 f10 f11 f12 f13 f14 f15 f2 f3 f4 f5 f6 f7 f8 f9 five four g grave h home i insert j k \
    kana kanji l left leftAlt leftBracket leftCtrl leftShift m minus multiply n nine noconvert numLock numPad0 numPad1 \
    numPad2 numPad3 numPad4 numPad5 numPad6 numPad7 numPad8 numPad9 numPadAdd numPadComma numPadDecimal numPadDivide \
    numPadEnter numPadEquals numPadSubtract o one p pageDown pageUp pause period q r right rightAlt rightBracket \
    rightCtrl rightShift s scrollLock semiColon seven six slash space stop t tab three two u underscore up v w x y yen z \
    zero";

/// Refuses a name that no key has.
pub fn check_key(name: &str) -> Result<(), String> {
    if KEYS.split_whitespace().any(|key| key == name) {
        return Ok(());
    }
    let mut near: Vec<&str> = KEYS.split_whitespace().filter(|key| key.eq_ignore_ascii_case(name)).collect();
    let hint = near.pop().map_or_else(
        || "keys are called as in `keys`: `up`, `enter`, `leftCtrl`, `a`, `one`".to_owned(),
        |key| format!("did you mean `{key}`?"),
    );
    Err(format!("there is no key `{name}`\nhint: {hint}"))
}

/// The bytes of a text on a computer, whose characters are those up to U+00FF. What has no key is refused.
pub fn typed(text: &str) -> Result<Vec<u8>, String> {
    if text.is_empty() {
        return Err("there is no text to type".to_owned());
    }
    let byte = |character: char| {
        let is_known = !character.is_control() || character == '\n' || character == '\t';
        u8::try_from(character).ok().filter(|_| is_known).ok_or_else(|| {
            format!(
                "`{}` cannot be typed: a computer has the characters up to U+00FF\nhint: other keys are pressed by the step `key`",
                character.escape_debug()
            )
        })
    };
    text.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_the_name_that_computers_know() {
        assert_eq!(check_key("leftCtrl"), Ok(()));
        let error = check_key("leftctrl").expect_err("keys have capitals inside");
        assert!(error.contains("did you mean `leftCtrl`?"), "{error}");
        assert!(check_key("ctrl").is_err());
    }

    #[test]
    fn a_text_is_typed_in_the_computers_characters() {
        assert_eq!(typed("aü\n"), Ok(vec![b'a', 0xfc, b'\n']));
        assert!(typed("").is_err());
        assert!(typed("€").is_err_and(|error| error.contains("cannot be typed")));
        assert!(typed("\u{8}").is_err());
    }
}
