//! Variables in a configuration, as each host writes them. One pass: what a variable holds is not read again.

use std::path::{Path, PathBuf};

use super::dialect::Dialect;
use super::surroundings::Surroundings;

/// A secret in a file is a line; a file of this size is not one.
const FILE_BYTES: u64 = 64 * 1024;

/// What a file's variables are looked up in.
#[derive(Debug, Clone, Copy)]
pub struct Scope<'a> {
    pub dialect: Dialect,
    pub surroundings: &'a Surroundings,
    /// The folder that the configuration is for.
    pub workspace: &'a Path,
    /// The folder that the file lies in.
    pub beside: &'a Path,
}

/// Why a text has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unresolved {
    pub message: String,
    pub hint: Option<String>,
}

impl Scope<'_> {
    /// Replaces the variables of a text by what they hold.
    pub fn expand(&self, text: &str) -> Result<String, Unresolved> {
        let (open, close) = match self.dialect {
            Dialect::Dispatch => return Ok(text.to_owned()),
            Dialect::Opencode => ("{", "}"),
            Dialect::Claude | Dialect::Cursor => ("${", "}"),
        };
        let mut expanded = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(open) {
            let inside = &rest[start + open.len()..];
            let Some(end) = inside.find(close) else { break };
            expanded.push_str(&rest[..start]);
            if let Some(value) = self.value(&inside[..end])? {
                expanded.push_str(&value);
                rest = &inside[end + close.len()..];
            } else {
                // Not a variable: a brace of JSON in an argument, say.
                expanded.push_str(open);
                rest = inside;
            }
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    fn value(&self, name: &str) -> Result<Option<String>, Unresolved> {
        match self.dialect {
            Dialect::Dispatch => Ok(None),
            Dialect::Opencode => match name.split_once(':') {
                // opencode takes an unset variable for an empty text.
                Some(("env", name)) => {
                    Ok(Some(self.surroundings.variable(name).unwrap_or_default().to_owned()))
                }
                Some(("file", path)) => self.file(path).map(Some),
                _ => Ok(None),
            },
            Dialect::Claude => self.claude(name),
            Dialect::Cursor => self.cursor(name),
        }
    }

    fn claude(&self, text: &str) -> Result<Option<String>, Unresolved> {
        let (name, default) = match text.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (text, None),
        };
        if !is_name(name) {
            return Ok(None);
        }
        match self.surroundings.variable(name).or(default) {
            Some(value) => Ok(Some(value.to_owned())),
            None => Err(Unresolved {
                message: format!("the variable `{name}` is not set"),
                hint: Some(format!("set it, or write `${{{name}:-default}}`")),
            }),
        }
    }

    fn cursor(&self, name: &str) -> Result<Option<String>, Unresolved> {
        let shown = |path: &Path| Ok(Some(path.display().to_string()));
        if let Some(name) = name.strip_prefix("env:") {
            return match self.surroundings.variable(name) {
                Some(value) => Ok(Some(value.to_owned())),
                None => Err(Unresolved { message: format!("the variable `{name}` is not set"), hint: None }),
            };
        }
        match name {
            "workspaceFolder" => shown(self.workspace),
            "workspaceFolderBasename" => shown(Path::new(self.workspace.file_name().unwrap_or_default())),
            "userHome" => match &self.surroundings.home {
                Some(home) => shown(home),
                None => Err(Unresolved { message: "no home folder is known".to_owned(), hint: None }),
            },
            "pathSeparator" | "/" => Ok(Some(std::path::MAIN_SEPARATOR.to_string())),
            _ => Ok(None),
        }
    }

    fn file(&self, path: &str) -> Result<String, Unresolved> {
        let path = match (path.strip_prefix("~/"), &self.surroundings.home) {
            (Some(below), Some(home)) => home.join(below),
            _ => self.beside.join(path),
        };
        read_small(&path).map(|text| text.trim().to_owned())
    }
}

/// Reads a file that a configuration names.
pub fn read_small(path: &PathBuf) -> Result<String, Unresolved> {
    let failed = |reason: String| Unresolved {
        message: format!("failed to read `{}`: {reason}", path.display()),
        hint: None,
    };
    let size = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?.len();
    if size > FILE_BYTES {
        return Err(failed(format!("it has {size} bytes, and may have {FILE_BYTES}")));
    }
    std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))
}

/// Reads lines of `NAME=value`, as Cursor's `envFile` has them: comments, `export`, quotes around a value.
pub fn read_variables(text: &str) -> Result<Vec<(String, String)>, Unresolved> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let line = line.strip_prefix("export ").unwrap_or(line);
        let pair = line.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
        let Some((name, value)) = pair.filter(|(name, _)| is_name(name)) else {
            let message = format!("its line {} is not `NAME=value`", number + 1);
            return Err(Unresolved { message, hint: None });
        };
        let quoted = |quote: char| value.strip_prefix(quote).and_then(|value| value.strip_suffix(quote));
        let value = quoted('"').or_else(|| quoted('\'')).unwrap_or(value);
        found.push((name.to_owned(), value.to_owned()));
    }
    Ok(found)
}

fn is_name(name: &str) -> bool {
    let starts_well = name.chars().next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    starts_well && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(dialect: Dialect, text: &str) -> Result<String, Unresolved> {
        let mut surroundings = Surroundings::bare("/srv/project");
        surroundings.home = Some(PathBuf::from("/home/ada"));
        surroundings.variables.insert("TOKEN".to_owned(), "s3cret ${TOKEN}".to_owned());
        let folder = Path::new("/srv/project");
        Scope { dialect, surroundings: &surroundings, workspace: folder, beside: folder }.expand(text)
    }

    #[test]
    fn claude_code_has_values_and_defaults() {
        assert_eq!(expand(Dialect::Claude, "a ${TOKEN} b"), Ok("a s3cret ${TOKEN} b".to_owned()));
        assert_eq!(expand(Dialect::Claude, "${NONE:-x:-y}${TOKEN:-z}"), Ok("x:-ys3cret ${TOKEN}".to_owned()));
        assert_eq!(
            expand(Dialect::Claude, "$TOKEN ${not a name} ${"),
            Ok("$TOKEN ${not a name} ${".to_owned())
        );
        let missing = expand(Dialect::Claude, "${NONE}").expect_err("it is not set");
        assert_eq!(missing.message, "the variable `NONE` is not set");
        assert_eq!(missing.hint.as_deref(), Some("set it, or write `${NONE:-default}`"));
    }

    #[test]
    fn opencode_has_variables_and_leaves_json_alone() {
        assert_eq!(expand(Dialect::Opencode, "Bearer {env:TOKEN}"), Ok("Bearer s3cret ${TOKEN}".to_owned()));
        assert_eq!(expand(Dialect::Opencode, "{env:NONE}."), Ok(".".to_owned()));
        assert_eq!(expand(Dialect::Opencode, "{\"a\":{env:NONE}}"), Ok("{\"a\":}".to_owned()));
        let missing = expand(Dialect::Opencode, "{file:no/such}").expect_err("it is not there");
        assert!(missing.message.contains("no/such"), "{}", missing.message);
    }

    #[test]
    fn cursor_has_folders() {
        let text = "${userHome}|${workspaceFolder}|${workspaceFolderBasename}|${env:TOKEN}|${other}";
        let expected = "/home/ada|/srv/project|project|s3cret ${TOKEN}|${other}";
        assert_eq!(expand(Dialect::Cursor, text), Ok(expected.to_owned()));
        assert!(expand(Dialect::Cursor, "${env:NONE}").is_err());
    }

    #[test]
    fn dispatch_has_no_variables() {
        assert_eq!(expand(Dialect::Dispatch, "${TOKEN}{env:TOKEN}"), Ok("${TOKEN}{env:TOKEN}".to_owned()));
    }

    #[test]
    fn a_file_of_variables_is_read() {
        let text = "# keys\nexport A=1\n B = \"two words\" \nC='#'\n\nD=";
        let pairs = read_variables(text).expect("it is right");
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("A", "1"), ("B", "two words"), ("C", "#"), ("D", "")]);
        assert_eq!(
            read_variables("A=1\nnonsense").expect_err("no").message,
            "its line 2 is not `NAME=value`"
        );
    }
}
