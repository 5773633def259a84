//! What coverage leaves out: patterns of paths, as `coverage.exclude` has them.

use std::path::Path;

/// Patterns below the project's folder. `*` is any part of a name, `**` any folders; a folder stands for all that is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exclude(pub Vec<String>);

impl Exclude {
    /// Whether a file, named below the project's folder, is left out.
    pub fn leaves_out(&self, path: &Path) -> bool {
        let names: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.0.iter().any(|pattern| {
            let parts: Vec<&str> =
                pattern.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
            !parts.is_empty() && fits(&parts, &names)
        })
    }
}

/// Whether the parts of a pattern fit those of a path, or of a folder around it.
fn fits(pattern: &[&str], path: &[&str]) -> bool {
    match (pattern, path) {
        ([], _) => true,
        (["**", rest @ ..], _) => fits(rest, path) || matches!(path, [_, below @ ..] if fits(pattern, below)),
        ([part, rest @ ..], [name, below @ ..]) => {
            fits_name(part.as_bytes(), name.as_bytes()) && fits(rest, below)
        }
        (_, []) => false,
    }
}

fn fits_name(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern, name) {
        ([], []) => true,
        ([b'*', rest @ ..], _) => {
            fits_name(rest, name) || matches!(name, [_, after @ ..] if fits_name(pattern, after))
        }
        ([wanted, rest @ ..], [byte, after @ ..]) => wanted == byte && fits_name(rest, after),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("src/a.lua", "src/a.lua", true)]
    #[case("src", "src/deep/a.lua", true)]
    #[case("src/", "src/a.lua", true)]
    #[case("src", "srcs/a.lua", false)]
    #[case("*.lua", "a.lua", true)]
    #[case("*.lua", "src/a.lua", false)]
    #[case("src/*_data.lua", "src/big_data.lua", true)]
    #[case("src/*_data.lua", "src/big.lua", false)]
    #[case("**/vendor", "vendor/a.lua", true)]
    #[case("**/vendor", "src/x/vendor/y/a.lua", true)]
    #[case("src/**/a.lua", "src/a.lua", true)]
    #[case("src/**/a.lua", "src/b.lua", false)]
    #[case("", "a.lua", false)]
    fn a_pattern_fits_a_file_or_a_folder_around_it(
        #[case] pattern: &str,
        #[case] path: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(Exclude(vec![pattern.to_owned()]).leaves_out(Path::new(path)), expected);
    }
}
