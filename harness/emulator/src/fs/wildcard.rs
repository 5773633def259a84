//! Patterns of `fs.find`: `*` for any run of characters and `?` for one, inside one part of a path.

/// Whether a name fits a pattern.
pub fn matches(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut position) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while position < name.len() {
        if at < pattern.len() && pattern[at] == b'*' {
            retry = Some((at, position));
            at += 1;
        } else if at < pattern.len() && (pattern[at] == b'?' || pattern[at] == name[position]) {
            at += 1;
            position += 1;
        } else if let Some((star, from)) = retry {
            retry = Some((star, from + 1));
            at = star + 1;
            position = from + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks_match() {
        assert!(matches(b"*", b""));
        assert!(matches(b"a*c", b"abbc"));
        assert!(matches(b"?.txt", b"a.txt"));
        assert!(!matches(b"?.txt", b".txt"));
        assert!(!matches(b"a*c", b"abb"));
        assert!(matches(b"*a*b", b"xaxxab"));
    }
}
