//! Why a file operation failed, in the words that programs on a computer know.

use std::io;

use thiserror::Error;

/// A failed operation on a path of the computer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FsError {
    #[error("No such file")]
    NotFound,
    #[error("No such path")]
    NoPath,
    #[error("Not a file")]
    NotAFile,
    #[error("Not a directory")]
    NotADirectory,
    #[error("Cannot write to directory")]
    IsADirectory,
    #[error("Is a directory")]
    FolderOntoFile,
    #[error("Invalid argument")]
    FileOntoFolder,
    #[error("Access denied")]
    Denied,
    #[error("File exists")]
    Exists,
    #[error("Out of space")]
    Full,
    #[error("Invalid path")]
    Escapes,
    #[error("Could not create directory")]
    NotCreated,
    #[error("Too many files already open")]
    TooManyOpen,
    #[error("Can't copy a directory inside itself")]
    CopyIntoItself,
    #[error("Can't move a directory inside itself")]
    MoveIntoItself,
    #[error("Input/output error")]
    Io,
    #[error("Too long without yielding")]
    Stopped,
}

impl From<io::Error> for FsError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound,
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Self::Denied,
            io::ErrorKind::AlreadyExists => Self::Exists,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                Self::Full
            }
            io::ErrorKind::NotADirectory => Self::NotADirectory,
            io::ErrorKind::IsADirectory => Self::IsADirectory,
            _ => Self::Io,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_said_to_be_full() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded, io::ErrorKind::FileTooLarge] {
            assert_eq!(FsError::from(io::Error::from(kind)).to_string(), "Out of space");
        }
    }
}
