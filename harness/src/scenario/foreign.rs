//! Judges a bridge of somebody else's by the protocol: what the protocol leaves to a bridge's own words is not compared.

use std::fmt::Write as _;

use serde_json::Value;

/// Stands for the words of a bridge.
const WORDS: &str = "[WORDS]";

/// With these words the program on a computer begins to show why a bridge refused it, and ends.
const REFUSED: (&str, &str) = ("the bridge refused this computer: ", "hint: ");

/// A transcript without a bridge's own words: its name, the text of its refusals and of its errors of the protocol.
pub fn by_protocol(transcript: &str) -> String {
    let mut text = String::new();
    let (mut in_refusal, mut after_error) = (false, false);
    for line in transcript.lines() {
        let said = line.trim_start();
        let indent = &line[..line.len() - said.len()];
        in_refusal &= !said.starts_with(REFUSED.1) && !indent.is_empty();
        if in_refusal {
            continue;
        }
        // What a bridge says beside the message of an error is in its own words too.
        if std::mem::replace(&mut after_error, said.starts_with("protocol error "))
            && said.starts_with("data: ")
        {
            continue;
        }
        in_refusal = said.starts_with(REFUSED.0);
        let told = if in_refusal { format!("{}{WORDS}", REFUSED.0) } else { without_words(said) };
        let _ = writeln!(text, "{indent}{told}");
    }
    text
}

fn without_words(line: &str) -> String {
    let code = |rest: &str, end: char| rest.split(end).next().unwrap_or_default().to_owned();
    if let Some(rest) = line.strip_prefix("protocol error ") {
        return format!("protocol error {}: {WORDS}", code(rest, ':'));
    }
    if let Some(rest) = line.strip_prefix("the bridge closed it: ") {
        return format!("the bridge closed it: {}", code(rest, ' '));
    }
    let Some(json) = line.strip_prefix("bridge:   ") else { return line.to_owned() };
    match serde_json::from_str::<Value>(json) {
        Ok(mut frame) if frame["type"] == "hello-error" => {
            frame["error"] = WORDS.into();
            format!("bridge:   {frame}")
        }
        Ok(mut frame) if frame["type"] == "hello-ok" && !frame["bridge"].is_null() => {
            frame["bridge"] = WORDS.into();
            format!("bridge:   {frame}")
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::by_protocol;
    use crate::client::Answer;
    use crate::scenario::transcript::{answer, indent};

    #[test]
    fn only_the_words_of_a_bridge_are_left_out() {
        let one = "call x\n  protocol error -32602: tool not found\n  the bridge closed it: 1008 no\n  bridge:   {\"type\":\"hello-error\",\"error\":\"no\"}\nscreen:\n  the bridge refused this computer: no\n  hint: x\nexit 1\n";
        let other = "call x\n  protocol error -32602: what?\n  data: {\"tool\":\"x\"}\n  the bridge closed it: 1008\n  bridge:   {\"type\":\"hello-error\",\"error\":\"go away\"}\nscreen:\n  the bridge refused this computer: go\n  away\n  hint: x\nexit 1\n";
        assert_eq!(by_protocol(one), by_protocol(other));
        // A message may have several lines: none of them is taken for the harness's.
        let said = |message: &str| {
            let (code, message) = (-32602, message.to_owned());
            let told = answer(&Answer::Error { code, message, data: None }, false);
            by_protocol(&format!("call x\n{}", indent(&told)))
        };
        assert_eq!(said("no such tool"), said("there is none:\nx\nis not known"));
        for (said, otherwise) in
            [("-32602", "-32601"), ("1008", "1000"), ("exit 1", "exit 0"), ("hint: x", "hint: y")]
        {
            assert_ne!(by_protocol(one), by_protocol(&one.replace(said, otherwise)), "{said}");
        }
    }
}
