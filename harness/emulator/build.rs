//! Puts the ROM into the program: a table of its files, sorted by path, each with its compiled code where it is Lua.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use craftos_lua::{Dialect, compile, pack};

/// What the emulator adds to the libraries, in Lua.
const ADDITIONS: &str = "src/lua/additions.lua";

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

/// The compiled code of a file. What is no Lua is an error of the build; its name is given when it is loaded.
fn packed(file: &Path) -> io::Result<Vec<u8>> {
    let name = format!("@{}", file.display());
    let code = compile(&fs::read(file)?, name.as_bytes(), usize::MAX, Dialect::CraftosPc);
    Ok(pack(&*code.map_err(io::Error::other)?))
}

fn is_lua(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "lua")
}

fn main() -> io::Result<()> {
    let home = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let root = home.join("rom");
    println!("cargo::rerun-if-changed={}", root.display());
    println!("cargo::rerun-if-changed={ADDITIONS}");
    fs::write(out.join("additions.packed"), packed(&home.join(ADDITIONS))?)?;
    let mut files = Vec::new();
    if root.is_dir() {
        collect(&root, &mut files)?;
    }
    // Paths compare part by part: the program searches the table in that order.
    files.sort();
    let mut table = String::from("pub const FILES: &[(&str, Embedded)] = &[\n");
    for (number, file) in files.iter().enumerate() {
        let name = file.strip_prefix(&root).expect("it was found below the root");
        let name = name.to_str().expect("the ROM's names are plain").replace('\\', "/");
        let path = file.to_str().expect("the path of the checkout is valid text");
        let code = if is_lua(file) {
            let path = out.join(format!("{number}.packed"));
            fs::write(&path, packed(file)?)?;
            let path = path.to_str().expect("the path of the build is valid text");
            format!("Some(include_bytes!({path:?}))")
        } else {
            "None".to_owned()
        };
        writeln!(table, "    ({name:?}, Embedded {{ text: include_bytes!({path:?}), code: {code} }}),")
            .expect("writing to a String cannot fail");
    }
    table.push_str("];\n");
    fs::write(out.join("rom.rs"), table)
}
