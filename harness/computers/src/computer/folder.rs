//! The data folder of one computer, as CraftOS-PC lays it out: configuration, files, the program.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use thiserror::Error;

use super::Spec;
use super::source::copy;
use crate::scratch::Scratch;

const STARTUP: &str = include_str!("startup.lua");

/// The settings of all computers of a process.
const GLOBAL: &str = "config/global.json";

/// Where the harness keeps its own files on a computer.
pub const HARNESS: &str = ".harness";

/// What went wrong with a computer's folder.
#[derive(Debug, Error)]
pub enum FolderError {
    #[error("failed to write `{path}` for computer {computer}")]
    Write { computer: String, path: PathBuf, source: io::Error },
    #[error("failed to read `{path}` of computer {computer}")]
    Read { computer: String, path: PathBuf, source: io::Error },
    #[error("`{path}` is not a path inside computer {computer}\nhint: leave out `..` and drive letters")]
    Outside { computer: String, path: String },
    #[error("failed to copy `{path}` onto computer {computer}")]
    Copy { computer: String, path: PathBuf, source: io::Error },
    #[error(
        "failed to copy the program `{path}`\nhint: `--program` names a folder with `programs/` and `apis/` in it"
    )]
    Program { path: PathBuf, source: io::Error },
}

/// The folder of one computer inside the data folder of an emulator's process, which goes away with the last of them.
#[derive(Debug)]
pub struct Folder {
    data: Arc<Scratch>,
    name: String,
    id: u32,
}

impl Folder {
    /// Makes a data folder for one computer.
    pub fn make(spec: &Spec, tick: Duration) -> Result<Self, FolderError> {
        let data = Scratch::new(&format!("computer {}", spec.name)).map_err(|source| FolderError::Write {
            computer: spec.name.clone(),
            path: std::env::temp_dir(),
            source,
        })?;
        Self::make_in(&Arc::new(data), spec, tick)
    }

    /// Writes everything that a computer boots from into a data folder that others may have as well. `tick` is how
    /// often it looks for commands.
    pub fn make_in(data: &Arc<Scratch>, spec: &Spec, tick: Duration) -> Result<Self, FolderError> {
        let folder = Self { data: data.clone(), name: spec.name.clone(), id: spec.id };
        if !data.path().join(GLOBAL).exists() {
            folder.write_data(GLOBAL, global(spec).to_string().as_bytes())?;
        }
        let label = spec.label.as_ref().map_or_else(|| json!({}), |label| json!({ "label": label }));
        folder.write_data(&format!("config/{}.json", spec.id), label.to_string().as_bytes())?;
        // Computers that share a process have the program mounted: a copy for each would be all that a disk does.
        if let Some(program) = spec.install.as_ref().filter(|_| spec.process.is_none()) {
            let target = folder.root();
            for (part, from) in parts(program) {
                copy(&from, &target.join(part))
                    .map_err(|source| FolderError::Program { path: from, source })?;
            }
        }
        for (from, to) in &spec.copies {
            let target = to
                .split('/')
                .filter(|part| !part.is_empty())
                .fold(folder.root(), |path, part| path.join(part));
            copy(from, &target).map_err(|source| FolderError::Copy {
                computer: spec.name.clone(),
                path: from.clone(),
                source,
            })?;
        }
        for (path, text) in &spec.files {
            folder.put(path, text.as_bytes())?;
        }
        for (path, text) in &spec.notes {
            folder.put(&format!("{HARNESS}/{path}"), text.as_bytes())?;
        }
        let arguments: Vec<String> = spec.arguments.iter().map(|word| lua_string(word)).collect();
        let boot = format!(
            "return {{ program = {}, arguments = {{ {} }}, tick = {} }}\n",
            lua_string(&spec.program),
            arguments.join(", "),
            tick.as_secs_f64()
        );
        folder.put(&format!("{HARNESS}/boot.lua"), boot.as_bytes())?;
        folder.put("startup.lua", STARTUP.as_bytes())?;
        Ok(folder)
    }

    /// The data folder around it.
    pub fn data(&self) -> Arc<Scratch> {
        self.data.clone()
    }

    fn root(&self) -> PathBuf {
        self.data.path().join("computer").join(self.id.to_string())
    }

    fn inside(&self, path: &str) -> Result<PathBuf, FolderError> {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let odd = |part: &&str| *part == ".." || part.contains(['\\', ':']);
        if parts.is_empty() || parts.iter().any(odd) {
            return Err(FolderError::Outside { computer: self.name.clone(), path: path.to_owned() });
        }
        Ok(parts.iter().fold(self.root(), |folder, part| folder.join(part)))
    }

    /// Writes a file on the computer.
    pub fn put(&self, path: &str, bytes: &[u8]) -> Result<(), FolderError> {
        self.write(self.inside(path)?, bytes)
    }

    fn write_data(&self, path: &str, bytes: &[u8]) -> Result<(), FolderError> {
        self.write(self.data.path().join(path), bytes)
    }

    fn write(&self, path: PathBuf, bytes: &[u8]) -> Result<(), FolderError> {
        let parent = path.parent().expect("every path here is inside the data folder");
        // In one step: a computer that runs never sees half of a file.
        let partial = path.with_extension("partial");
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&partial, bytes))
            .and_then(|()| fs::rename(&partial, &path))
            .map_err(|source| FolderError::Write { computer: self.name.clone(), path, source })
    }

    /// Reads a file of the computer; nothing, where there is none.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FolderError> {
        let path = self.inside(path)?;
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(FolderError::Read { computer: self.name.clone(), path, source }),
        }
    }

    /// Removes a file of the computer.
    pub fn remove(&self, path: &str) -> Result<(), FolderError> {
        let path = self.inside(path)?;
        fs::remove_file(&path).map_err(|source| FolderError::Write {
            computer: self.name.clone(),
            path,
            source,
        })
    }

    /// What the computer has printed: what was scrolled away, then the screen.
    pub fn printed(&self) -> String {
        let part = |name: &str| {
            let bytes = self.read(&format!("{HARNESS}/{name}")).ok().flatten().unwrap_or_default();
            as_text(&bytes)
        };
        part("output.log") + &part("screen.txt")
    }
}

/// Bytes of a screen as text: UTF-8 where a line is that, otherwise a character for each byte.
fn as_text(bytes: &[u8]) -> String {
    let line = |line: &[u8]| match std::str::from_utf8(line) {
        Ok(text) => text.to_owned(),
        Err(_) => line.iter().map(|byte| char::from(*byte)).collect(),
    };
    bytes.split(|byte| *byte == b'\n').map(line).collect::<Vec<_>>().join("\n")
}

fn global(spec: &Spec) -> Value {
    // Settings are written without spaces around `=` and `,`: that is how the emulators split them.
    let mut settings = vec!["motd.enable=false".to_owned(), "bios.use_multishell=false".to_owned()];
    settings.extend(spec.settings.iter().map(|(name, value)| format!("{name}={value}")));
    let mut global = json!({
        "lastVersion": "v2.8.3",
        "default_computer_settings": settings.join(","),
        "http_enable": spec.http,
        "http_whitelist": spec.allow,
        "http_blacklist": [],
    });
    for (name, limit) in spec.limits.settings() {
        global[name] = limit.into();
    }
    global
}

/// The folders of a program that are there, each with where it is.
pub fn parts(program: &Path) -> impl Iterator<Item = (&'static str, PathBuf)> {
    ["programs", "apis"].into_iter().map(|part| (part, program.join(part))).filter(|(_, from)| from.is_dir())
}

/// Writes a text as a Lua string that holds exactly its bytes.
pub fn lua_string(text: &str) -> String {
    let escaped = text.bytes().map(|byte| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        0x20..=0x7e => char::from(byte).to_string(),
        _ => format!("\\{byte:03}"),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lua_string_holds_every_byte() {
        assert_eq!(lua_string("a\"b\\c\nü"), r#""a\"b\\c\010\195\188""#);
    }

    #[test]
    fn a_file_cannot_be_put_outside() {
        let folder = Folder::make(&Spec::new(3), Duration::from_secs(1)).expect("a temporary folder");
        assert!(matches!(folder.put("../x", b""), Err(FolderError::Outside { .. })));
        folder.put("/a/b.txt", b"x").expect("inside");
        assert_eq!(folder.read("a/b.txt").expect("readable"), Some(b"x".to_vec()));
        assert_eq!(folder.read("a/c.txt").expect("readable"), None);
    }
}
