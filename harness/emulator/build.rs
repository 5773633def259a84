//! Puts the ROM into the program: a table of its files, sorted by path.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("rom");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, &mut files)?;
    }
    // Paths compare part by part: the program searches the table in that order.
    files.sort();
    let mut table = String::from("pub const FILES: &[(&str, &[u8])] = &[\n");
    for file in files {
        let name = file.strip_prefix(&root).expect("it was found below the root");
        let name = name
            .to_str()
            .expect("the ROM's names are plain")
            .replace('\\', "/");
        let path = file.to_str().expect("the path of the checkout is valid text");
        writeln!(table, "    ({name:?}, include_bytes!({path:?})),")
            .expect("writing to a String cannot fail");
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it")).join("rom.rs");
    fs::write(out, table)
}
