//! Paths of a computer: always relative to its root, with `/` between the parts.
//!
//! [`combine`] and its kin only rearrange text; [`sanitize`] makes the parts that may touch a mount.

use super::FsError;

/// Names longer than this are cut, as no host takes them.
const LONGEST_NAME: usize = 255;

fn is_dots(part: &[u8]) -> bool {
    part.len() >= 3 && part.iter().all(|&byte| byte == b'.')
}

/// The parts of a path with `.` and `..` resolved; a `..` above the root stays.
fn parts(path: &[u8]) -> Vec<&[u8]> {
    let mut result: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        if part.is_empty() || part == b"." || is_dots(part) {
            continue;
        }
        if part == b".." && result.last().is_some_and(|last| *last != b"..") {
            result.pop();
        } else {
            result.push(part);
        }
    }
    result
}

/// Joins paths and tidies the result.
pub fn combine(paths: &[Vec<u8>]) -> Vec<u8> {
    parts(&paths.join(&b'/')).join(&b'/')
}

/// The last part of a path.
pub fn name(path: &[u8]) -> Vec<u8> {
    parts(path).last().map(|part| part.to_vec()).unwrap_or_default()
}

/// The path of the folder that a path is in; `..` for the root.
pub fn directory(path: &[u8]) -> Vec<u8> {
    let parts = parts(path);
    match parts.split_last() {
        Some((_, rest)) => rest.join(&b'/'),
        None => b"..".to_vec(),
    }
}

/// The parts of a path as they may be looked up below a mount.
///
/// Backslashes separate, spaces around a part, control characters and the characters that some host forbids
/// are dropped. No part is empty, `.`, `..` or contains a separator or NUL; a path that leaves the root is
/// refused.
pub fn sanitize(path: &[u8]) -> Result<Vec<String>, FsError> {
    let mut result: Vec<String> = Vec::new();
    for part in path.split(|&byte| byte == b'/' || byte == b'\\') {
        let kept: Vec<u8> = part
            .iter()
            .copied()
            .filter(|&byte| byte >= b' ' && !b"\"*:<>?|".contains(&byte))
            .collect();
        let mut kept = trim(&kept);
        if kept.len() > LONGEST_NAME {
            kept = trim(&kept[..LONGEST_NAME]);
        }
        if kept.is_empty() || kept == b"." || is_dots(kept) {
            continue;
        }
        if kept == b".." {
            result.pop().ok_or(FsError::Escapes)?;
        } else {
            result.push(host_name(kept));
        }
    }
    Ok(result)
}

fn trim(part: &[u8]) -> &[u8] {
    part.trim_ascii()
}

/// Bytes that are not UTF-8 stand for the Latin-1 characters of the same number, so that each name has one
/// place on any host.
fn host_name(part: &[u8]) -> String {
    match str::from_utf8(part) {
        Ok(text) => text.to_owned(),
        Err(_) => part.iter().map(|&byte| char::from(byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(paths: &[&str]) -> String {
        let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
        String::from_utf8(combine(&paths)).expect("the inputs are text")
    }

    #[test]
    fn combine_tidies_as_the_reference_does() {
        assert_eq!(joined(&["a", "b", "c"]), "a/b/c");
        assert_eq!(joined(&["a/", "/b"]), "a/b");
        assert_eq!(joined(&["a", "../../b"]), "../b");
        assert_eq!(joined(&["a//b", "c\\d"]), "a/b/c\\d");
        assert_eq!(joined(&["..", ".."]), "../..");
        assert_eq!(joined(&["...", "b"]), "b");
    }

    #[test]
    fn directory_and_name_split_at_the_last_part() {
        assert_eq!(directory(b"a/b/c"), b"a/b");
        assert_eq!(directory(b""), b"..");
        assert_eq!(directory(b"../a"), b"..");
        assert_eq!(name(b"a/b/"), b"b");
        assert_eq!(name(b""), b"");
    }

    #[test]
    fn a_path_that_leaves_the_root_is_refused() {
        assert_eq!(sanitize(b"../x"), Err(FsError::Escapes));
        assert_eq!(sanitize(b"a/../../x"), Err(FsError::Escapes));
        assert_eq!(sanitize(b" .. /x"), Err(FsError::Escapes));
        assert_eq!(sanitize(b".\0./x"), Err(FsError::Escapes));
        assert_eq!(sanitize(b"a/../b"), Ok(vec!["b".to_owned()]));
    }

    #[test]
    fn what_hosts_forbid_is_dropped() {
        assert_eq!(
            sanitize(b"c:\\x|y/\0z "),
            Ok(vec!["c".to_owned(), "xy".to_owned(), "z".to_owned()])
        );
    }

    proptest::proptest! {
        #[test]
        fn no_part_can_lead_anywhere_else(path in proptest::collection::vec(proptest::num::u8::ANY, 0..64)) {
            if let Ok(parts) = sanitize(&path) {
                for part in parts {
                    proptest::prop_assert!(!part.is_empty() && part != "." && part != "..");
                    proptest::prop_assert!(!part.contains(['/', '\\', '\0', ':']));
                }
            }
        }

        #[test]
        fn paths_of_dots_and_separators_never_escape(path in "[./\\\\ a\u{0}:]{0,24}") {
            if let Ok(parts) = sanitize(path.as_bytes()) {
                proptest::prop_assert!(parts.iter().all(|part| part != ".."));
            }
        }

        #[test]
        fn combine_is_stable(path in "[./a-c]{0,24}") {
            let once = combine(&[path.into_bytes()]);
            proptest::prop_assert_eq!(combine(std::slice::from_ref(&once)), once);
        }
    }
}
