//! The lines of a file that could run, as the emulator's own compiler sees them.

use craftos_lua::{Dialect, compile};

/// The lines that have instructions; a message where the text is no Lua.
pub fn executable(text: &[u8]) -> Result<Vec<u32>, String> {
    compile(text, b"=file", usize::MAX, Dialect::CraftosPc)
        .map(|main| main.executable_lines())
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_run_is_no_line() {
        let text = "-- a comment\nlocal x\n\nif x then\n    print(x)\nelse\n    return 1\nend\n";
        assert_eq!(executable(text.as_bytes()), Ok(vec![2, 4, 5, 7]));
        assert!(executable(b"this is no Lua").is_err());
    }
}
