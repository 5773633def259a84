//! The ROM that is part of the program: files in memory, never written.

mod embedded {
    use super::Embedded;

    include!(concat!(env!("OUT_DIR"), "/rom.rs"));
}

use std::borrow::Cow;

use super::FsError;

/// A file of the ROM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Embedded {
    pub text: &'static [u8],
    /// What was compiled from it when this program was built, where it is Lua.
    code: Option<&'static [u8]>,
}

/// A text of Lua that can be run.
#[derive(Debug, Clone)]
pub struct LuaFile {
    pub text: Cow<'static, [u8]>,
    /// What was compiled from it when this program was built.
    pub code: Option<&'static [u8]>,
}

impl From<Embedded> for LuaFile {
    fn from(file: Embedded) -> Self {
        Self { text: Cow::Borrowed(file.text), code: file.code }
    }
}

impl From<Vec<u8>> for LuaFile {
    fn from(text: Vec<u8>) -> Self {
        Self { text: Cow::Owned(text), code: None }
    }
}

/// The embedded `bios.lua`.
pub fn embedded_bios() -> Option<LuaFile> {
    match find("bios.lua")? {
        Entry::File(file) => Some(file.into()),
        Entry::Folder => None,
    }
}

/// The order of paths part by part, in which the table was written.
fn order(left: &str, right: &str) -> std::cmp::Ordering {
    // The end of a part comes before anything that it could go on with.
    let key = |byte| if byte == b'/' { 0 } else { byte };
    left.bytes().map(key).cmp(right.bytes().map(key))
}

/// What is at a path. The table is searched by halves: a map of it would take longer to make than one start needs.
fn find(path: &str) -> Option<Entry> {
    let start = embedded::FILES.partition_point(|(name, _)| order(name, path).is_lt());
    let (name, file) = embedded::FILES.get(start)?;
    if *name == path {
        return Some(Entry::File(*file));
    }
    name.strip_prefix(path)?.starts_with('/').then_some(Entry::Folder)
}

/// What a path in the ROM is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    File(Embedded),
    Folder,
}

/// The embedded tree below `rom/`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rom;

impl Rom {
    fn full(parts: &[String]) -> String {
        let mut path = String::from("rom");
        for part in parts {
            path.push('/');
            path.push_str(part);
        }
        path
    }

    pub fn entry(self, parts: &[String]) -> Option<Entry> {
        find(&Self::full(parts))
    }

    /// The rest of each path below `folder`.
    fn below(folder: &str) -> impl Iterator<Item = &'static str> {
        let start = embedded::FILES.partition_point(|(name, _)| order(name, folder).is_lt());
        embedded::FILES[start..]
            .iter()
            .map_while(move |(name, _)| name.strip_prefix(folder)?.strip_prefix('/'))
    }

    pub fn list(self, parts: &[String]) -> Result<Vec<String>, FsError> {
        match self.entry(parts).ok_or(FsError::NotFound)? {
            Entry::File(_) => Err(FsError::NotADirectory),
            Entry::Folder => {
                let mut names: Vec<String> = Vec::new();
                for rest in Self::below(&Self::full(parts)) {
                    let name = rest.split('/').next().unwrap_or(rest);
                    if names.last().is_none_or(|last| last != name) {
                        names.push(name.to_owned());
                    }
                }
                Ok(names)
            }
        }
    }
}
