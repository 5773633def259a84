//! Which lines a computer ran, for whoever measures what tests reach: a line of JSON for each time that it was on.
//!
//! `{"computer":0,"files":{"/lib/a.lua":[[1,3],[2,0]]}}`: line 1 ran three times, line 2 could have run. Files have the names
//! that their chunks were loaded with. The ROM's own are left out.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use serde::Serialize;

use crate::host::Sink;
use crate::lua::LineCounts;

/// What is the emulator's, and nobody's program.
const OWN: [&[u8]; 2] = [b"/rom/", b"bios.lua"];

#[derive(Debug, Serialize)]
struct Written {
    computer: u32,
    files: BTreeMap<String, Vec<(u32, u32)>>,
}

/// Writes what a computer ran from its start to its end. A sink that takes nothing more is no reason to fail: whoever reads
/// it sees that something is missing.
pub fn write(sink: &Sink, computer: u32, counts: &LineCounts) {
    let mut files = BTreeMap::new();
    for (chunk, lines) in counts {
        let Some(name) = chunk.strip_prefix(b"@") else { continue };
        if OWN.iter().any(|own| name.starts_with(own)) {
            continue;
        }
        let lines = lines.iter().map(|(line, count)| (*line, *count)).collect();
        files.insert(String::from_utf8_lossy(name).into_owned(), lines);
    }
    let mut line = serde_json::to_vec(&Written { computer, files }).unwrap_or_default();
    line.push(b'\n');
    let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
    // In one piece: computers end at the same time.
    let _ = sink.write_all(&line).and_then(|()| sink.flush());
}
