//! Compares the text algorithms with tables of what CraftOS-PC answered. `make` in this folder writes the tables anew; the
//! tests need no emulator.

mod format;
mod number;
mod pack;
mod pattern;
mod utf8;

/// The rows of a table, each split at its tabs.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    table.lines().map(|line| line.split('\t').collect())
}

/// A text as the tables write it: `\XX` stands for a byte.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [byte, after @ ..] = rest {
        rest = after;
        if *byte == b'\\' {
            let (digits, after) = rest.split_at(2);
            let digits = str::from_utf8(digits).expect("digits are ASCII");
            bytes.push(u8::from_str_radix(digits, 16).expect("two hexadecimal digits"));
            rest = after;
        } else {
            bytes.push(*byte);
        }
    }
    bytes
}

/// The other way round.
fn escape(bytes: &[u8]) -> String {
    let plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'\\';
    bytes
        .iter()
        .map(|byte| if plain(*byte) { char::from(*byte).to_string() } else { format!("\\{byte:02x}") })
        .collect()
}

/// A number as the tables write it: its bits.
fn number_of(bits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(bits, 16).expect("sixteen hexadecimal digits"))
}

/// Fails with the first differences, so that one sees what they have in common.
fn report(differences: &[String], compared: usize) {
    const SHOWN: usize = 20;
    let first = differences.iter().take(SHOWN).cloned().collect::<Vec<_>>().join("\n");
    assert!(differences.is_empty(), "{} of {compared} rows differ:\n{first}", differences.len());
    assert!(compared > 0, "the table is empty");
}
