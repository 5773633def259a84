//! `wget run http://HOST:3001/install.lua`: puts `mcp-computer` onto a computer, from the copy that this program has in it.

use std::fmt::Write as _;
use std::sync::LazyLock;

use sha2::{Digest as _, Sha256};

use crate::text::hex;

/// Where the installer is.
pub const INSTALLER: &str = "/install.lua";

/// Below which the files are that it fetches.
const FILES_BELOW: &str = "/files/";

/// The installer itself; what it installs, and from where, is filled in.
const TEMPLATE: &str = include_str!("install.lua");

/// What it checks the files with.
const SHA256: &str = include_str!("../../../lua/tools/lib/sha256.lua");

macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../lua/", $path)))
    };
}

/// The files of the package, by their paths on a computer.
const FILES: &[(&str, &str)] = &[
    file!("programs/mcp-computer.lua"),
    file!("apis/libmcpcomputer.lua"),
    file!("apis/libversion.lua"),
    file!("apis/mcpcomputer/arguments.lua"),
    file!("apis/mcpcomputer/capture.lua"),
    file!("apis/mcpcomputer/client.lua"),
    file!("apis/mcpcomputer/describe.lua"),
    file!("apis/mcpcomputer/environment.lua"),
    file!("apis/mcpcomputer/events.lua"),
    file!("apis/mcpcomputer/frames.lua"),
    file!("apis/mcpcomputer/garbage.lua"),
    file!("apis/mcpcomputer/guard.lua"),
    file!("apis/mcpcomputer/inbox.lua"),
    file!("apis/mcpcomputer/install.lua"),
    file!("apis/mcpcomputer/jobs.lua"),
    file!("apis/mcpcomputer/json.lua"),
    file!("apis/mcpcomputer/json_reader.lua"),
    file!("apis/mcpcomputer/link.lua"),
    file!("apis/mcpcomputer/problems.lua"),
    file!("apis/mcpcomputer/requests.lua"),
    file!("apis/mcpcomputer/retry.lua"),
    file!("apis/mcpcomputer/run.lua"),
    file!("apis/mcpcomputer/scheduler.lua"),
    file!("apis/mcpcomputer/screen.lua"),
    file!("apis/mcpcomputer/serialize.lua"),
    file!("apis/mcpcomputer/text.lua"),
    file!("apis/mcpcomputer/tool_call.lua"),
    file!("apis/mcpcomputer/tool_result.lua"),
    file!("apis/mcpcomputer/tools.lua"),
    file!("apis/mcpcomputer/wait.lua"),
    file!("packages/trapos-sandbox/ccpm.json"),
];

/// The list of the files with their hashes, as Lua writes it; no two requests compute it.
static LIST: LazyLock<String> = LazyLock::new(|| {
    FILES.iter().fold(String::new(), |mut list, (path, text)| {
        let digest = hex(&Sha256::digest(text));
        let _ = writeln!(list, "    {{ path = \"{path}\", sha256 = \"{digest}\" }},");
        list
    })
});

/// The text that is served at a path; nothing where there is none. `host` is what the request named the bridge.
pub fn text_at(path: &str, host: Option<&str>) -> Option<String> {
    if path == INSTALLER {
        let host = host.filter(|host| is_plain(host))?;
        let text = TEMPLATE.replacen("--[[FILES]]", &LIST, 1).replacen("--[[SHA256]]", SHA256, 1);
        return Some(text.replace("HOST:PORT", host));
    }
    let path = path.strip_prefix(FILES_BELOW)?;
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned())
}

/// Whether a host can stand in a text of Lua: nothing that a header may hold becomes code.
fn is_plain(host: &str) -> bool {
    !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_package_is_there() {
        let package = include_str!("../../../lua/packages/trapos-sandbox/ccpm.json");
        let package: serde_json::Value = serde_json::from_str(package).expect("JSON");
        let named: Vec<&str> = package["files"]
            .as_array()
            .expect("a list")
            .iter()
            .filter_map(serde_json::Value::as_str)
            .collect();
        assert_eq!(FILES.iter().map(|(path, _)| *path).collect::<Vec<_>>(), named);
        for (path, text) in FILES {
            assert_eq!(text_at(&format!("/files/{path}"), None).as_deref(), Some(*text));
        }
        assert_eq!(text_at("/files/../Cargo.toml", None), None);
        assert_eq!(text_at("/files/", None), None);
    }

    #[test]
    fn the_installer_is_lua_and_no_host_becomes_code() {
        let text = text_at(INSTALLER, Some("192.168.1.20:3001")).expect("the installer");
        assert!(text.contains("local BASE = \"http://192.168.1.20:3001\""), "{text:.500}");
        assert!(text.contains("path = \"programs/mcp-computer.lua\", sha256 = \""));
        crate::tools::syntax::check(&text, false).expect("Lua");
        for host in ["", "a\"b", "a b", "a\\", "x]]os.shutdown()", "a/b"] {
            assert_eq!(text_at(INSTALLER, Some(host)), None, "{host}");
        }
    }
}
