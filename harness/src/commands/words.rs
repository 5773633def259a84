//! A command in one text, split into words: at white space, but not inside quotes. There is no shell behind it.

use thiserror::Error;

/// Why a text is no command.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum WordsError {
    #[error("`{0}` has a quote that is not closed")]
    Quote(String),
    #[error("the command is empty")]
    Empty,
}

/// Splits a command. A backslash means itself: paths of Windows are full of them.
pub fn split(text: &str) -> Result<Vec<String>, WordsError> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for character in text.chars() {
        match quote {
            Some(open) if open == character => quote = None,
            None if matches!(character, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            None if character.is_whitespace() => words.extend(word.take()),
            Some(_) | None => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    match (quote, words.is_empty()) {
        (Some(_), _) => Err(WordsError::Quote(text.to_owned())),
        (None, true) => Err(WordsError::Empty),
        (None, false) => Ok(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_split_and_quotes_keep_them_together() {
        let words = |text| split(text).expect("it is a command");
        assert_eq!(words("mcp-bridge --stdio"), ["mcp-bridge", "--stdio"]);
        assert_eq!(
            words(r#" "C:\Program Files\x.exe"  --a='b c' "" "#),
            [r"C:\Program Files\x.exe", "--a=b c", ""]
        );
        assert_eq!(split("  "), Err(WordsError::Empty));
        assert_eq!(split("a 'b"), Err(WordsError::Quote("a 'b".to_owned())));
    }
}
