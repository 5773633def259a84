//! The ready file: tells a program that started the bridge where it listens.

use std::io::Write as _;
use std::path::Path;

use serde::Serialize;

/// What the ready file says. `mcp` is `stdio` where MCP is on stdin and stdout.
#[derive(Debug, Serialize)]
pub struct Ready<'a> {
    pub mcp: &'a str,
    pub link: &'a str,
    pub pid: u32,
}

/// Writes the file in one step: whoever sees it sees all of it.
pub fn write(path: &Path, ready: &Ready<'_>) -> std::io::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(format!(".{}.tmp", ready.pid));
    let partial = Path::new(&partial);
    let mut text = serde_json::to_vec(ready)?;
    text.push(b'\n');
    let written = std::fs::File::create(partial)
        .and_then(|mut file| file.write_all(&text))
        .and_then(|()| std::fs::rename(partial, path));
    if written.is_err() {
        let _ = std::fs::remove_file(partial);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole_and_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("ready.json");
        write(&path, &Ready { mcp: "http://127.0.0.1:1/mcp", link: "ws://127.0.0.1:2", pid: 3 })
            .expect("written");
        let text = std::fs::read_to_string(&path).expect("there");
        assert_eq!(text, "{\"mcp\":\"http://127.0.0.1:1/mcp\",\"link\":\"ws://127.0.0.1:2\",\"pid\":3}\n");
        assert_eq!(std::fs::read_dir(directory.path()).expect("readable").count(), 1);
    }
}
