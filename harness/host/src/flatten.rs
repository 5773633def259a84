//! A result as text for a terminal. What is no text is saved to files, or only named; the whole is in the result.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use crate::text::{block, line};

/// Files of one name: past this somebody should look into the folder.
const MOST_FILES: u32 = 10_000;

/// With this the name of a private folder begins.
const PRIVATE: &str = "mcp-media-";

/// What becomes of content that is no text.
pub trait Keep {
    /// Keeps the bytes, and says where.
    fn keep(&mut self, mime: &str, bytes: &[u8]) -> io::Result<Option<PathBuf>>;
}

/// Keeps nothing.
#[derive(Debug, Clone, Copy)]
pub struct Named;

impl Keep for Named {
    fn keep(&mut self, _: &str, _: &[u8]) -> io::Result<Option<PathBuf>> {
        Ok(None)
    }
}

/// Writes files into a folder, and never over one that is there, nor where a link leads.
#[derive(Debug, Clone)]
pub struct Folder {
    /// None until the first file needs a private one.
    folder: Option<PathBuf>,
    name: String,
}

impl Folder {
    /// Files are called after this name, which may be a stranger's.
    pub fn new(folder: impl Into<PathBuf>, name: &str) -> Self {
        Self { folder: Some(folder.into()), name: plain(name) }
    }

    /// The same in a new folder that only this user can look into, under a name that nobody can guess. It is made for the
    /// first file, and stays: its files are for looking at.
    pub fn private(name: &str) -> Self {
        Self { folder: None, name: plain(name) }
    }

    fn path(&mut self) -> io::Result<&Path> {
        let folder = match &mut self.folder {
            Some(folder) => folder,
            none => none.insert(private_folder()?),
        };
        std::fs::create_dir_all(&*folder)?;
        Ok(folder)
    }
}

/// Makes a folder that only this user can look into, whatever the umask is.
fn private_folder() -> io::Result<PathBuf> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    Ok(builder.prefix(PRIVATE).tempdir()?.keep())
}

/// A stranger's name as the name of a file.
fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    name.chars().take(80).map(plain).collect()
}

/// Opens a new file that only this user can read. What is there already, be it a link, is not touched.
fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

impl Keep for Folder {
    fn keep(&mut self, mime: &str, bytes: &[u8]) -> io::Result<Option<PathBuf>> {
        let name = self.name.clone();
        let folder = self.path()?;
        for number in 1..=MOST_FILES {
            let path = folder.join(format!("{name}-{number}.{}", extension(mime)));
            match create(&path) {
                Ok(mut file) => {
                    file.write_all(bytes)?;
                    return Ok(Some(path));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other("the folder is full of such files"))
    }
}

/// Makes text of a result: a part after the other, each on lines of its own.
pub fn flatten(result: &CallToolResult, keep: &mut impl Keep) -> String {
    let parts: Vec<String> = result.content.iter().map(|content| part(content, keep)).collect();
    match &result.structured_content {
        Some(structured) if parts.is_empty() => block(&format!("{structured:#}")),
        _ => parts.join("\n"),
    }
}

fn part(content: &ContentBlock, keep: &mut impl Keep) -> String {
    match content {
        ContentBlock::Text(text) => block(&text.text),
        ContentBlock::Image(image) => data("image", &image.mime_type, &image.data, keep),
        ContentBlock::Audio(audio) => data("audio", &audio.mime_type, &audio.data, keep),
        ContentBlock::ResourceLink(link) => {
            format!("[resource {}: {}]", line(&link.name), line(&link.uri))
        }
        ContentBlock::Resource(embedded) => match &embedded.resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                format!("[resource {}]\n{}", line(uri), block(text))
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                let mime = mime_type.as_deref().unwrap_or("application/octet-stream");
                data(&format!("resource {}", line(uri)), mime, blob, keep)
            }
            _ => "[resource of an unknown kind]".to_owned(),
        },
        _ => "[content of an unknown kind]".to_owned(),
    }
}

fn data(what: &str, mime: &str, base64: &str, keep: &mut impl Keep) -> String {
    let shown = line(mime);
    let Ok(bytes) = STANDARD.decode(base64) else {
        return format!("[{what}: {shown}, not valid base64]");
    };
    let size = bytes.len();
    match keep.keep(mime, &bytes) {
        Ok(Some(path)) => format!("[{what}: {shown}, {size} bytes, saved as {}]", path.display()),
        Ok(None) => format!("[{what}: {shown}, {size} bytes]"),
        Err(error) => format!("[{what}: {shown}, {size} bytes, not saved: {error}]"),
    }
}

fn extension(mime: &str) -> &'static str {
    match mime.split(';').next().unwrap_or_default().trim() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/wav" | "audio/x-wav" | "audio/wave" => "wav",
        "audio/mpeg" => "mp3",
        "audio/ogg" => "ogg",
        "application/json" => "json",
        "application/pdf" => "pdf",
        "text/plain" => "txt",
        "text/html" => "html",
        _ => "bin",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::Resource;
    use serde_json::json;

    fn result(content: Vec<ContentBlock>) -> CallToolResult {
        CallToolResult::success(content)
    }

    #[test]
    fn each_kind_of_content_has_its_words() {
        let content = vec![
            ContentBlock::text("one\ntwo\u{1b}[2J"),
            ContentBlock::image("AAEC", "image/png"),
            ContentBlock::audio("!", "audio/wav"),
            ContentBlock::embedded_text("file:///a", "text of it"),
            ContentBlock::resource_link(Resource::new("computer://12", "base")),
        ];
        let text = flatten(&result(content), &mut Named);
        let expected = "one\ntwo\\u{1b}[2J\n[image: image/png, 3 bytes]\n[audio: audio/wav, not valid base64]\n\
            [resource file:///a]\ntext of it\n[resource base: computer://12]";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error_for_every_file() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let mut keep = Folder::new(file.path().join("below"), "tool");
        for _ in 0..2 {
            assert!(keep.keep("image/png", b"x").is_err(), "nothing is written elsewhere");
        }
    }

    #[test]
    fn structured_content_stands_in_for_missing_content() {
        let mut empty = result(vec![]);
        empty.structured_content = Some(json!({ "a": 1 }));
        assert_eq!(flatten(&empty, &mut Named), "{\n  \"a\": 1\n}");
    }

    #[test]
    fn files_are_named_after_the_tool_and_none_is_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut keep = Folder::new(folder.path(), "server__../../tool");
        let image =
            result(vec![ContentBlock::image("AAEC", "image/png"), ContentBlock::image("AwQ=", "image/png")]);
        let text = flatten(&image, &mut keep);
        let first = folder.path().join("server________tool-1.png");
        let second = folder.path().join("server________tool-2.png");
        assert!(text.contains(&format!("3 bytes, saved as {}", first.display())), "{text}");
        assert_eq!(std::fs::read(first).expect("it was saved"), [0, 1, 2]);
        assert_eq!(std::fs::read(second).expect("it was saved"), [3, 4]);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_folder_is_nobody_elses_and_no_link_is_followed() {
        use std::os::unix::fs::PermissionsExt as _;
        let mut keep = Folder::private("server__tool");
        let first = keep.keep("image/png", &[1]).expect("it is saved").expect("it says where");
        let folder = first.parent().expect("a file has a folder").to_owned();
        let mode = |path: &Path| path.metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(&folder), mode(&first)), (0o700, 0o600));
        let other = Folder::private("x").path().expect("it is made").to_owned();
        assert_ne!(other, folder);
        std::fs::remove_dir(other).expect("it is ours, and empty");
        let target = folder.join("target");
        std::os::unix::fs::symlink(&target, folder.join("server__tool-2.png")).expect("the folder is ours");
        let second = keep.keep("image/png", &[2]).expect("it is saved").expect("it says where");
        assert_eq!(second, folder.join("server__tool-3.png"));
        assert!(!target.exists(), "the link was followed");
        std::fs::remove_dir_all(folder).expect("the folder is ours");
    }
}
