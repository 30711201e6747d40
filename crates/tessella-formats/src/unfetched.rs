//! What stands where a file should be that was never fetched: a pointer of Git LFS, after a clone without that program, or the page
//! that a server shows for the file. Both are text, so that a list of words, a template or a corpus would be read from them without a
//! word.

use std::path::Path;

use tessella_core::{Error, Result};

/// What every pointer begins with, whatever its version.
const POINTER: &[u8] = b"version https://git-lfs.github.com/spec/";
/// What tells the content that a pointer is for.
const OBJECT: &[u8] = b"\noid ";
/// Every pointer is shorter.
const MOST: usize = 1024;
/// What a page begins with, in small letters.
const PAGE: &[u8] = b"<!doctype html";

/// Refuses the content of a tokenizer's file that is something else's place holder.
pub fn refuse(path: &Path, content: &[u8]) -> Result<()> {
    refuse_pointer(path, content)?;
    let start = content.trim_ascii_start();
    match start.get(..PAGE.len()).is_some_and(|start| start.eq_ignore_ascii_case(PAGE)) {
        true => Err(Error::format(
            "this is a web page, not the file itself: what is shown for a file was saved in its place; fetch the file by its raw address",
        )
        .at(path.display().to_string())),
        false => Ok(()),
    }
}

/// Refuses a pointer, by all of a file or as much of it as a pointer never has: a corpus may begin with one. It may be of web pages too.
pub fn refuse_pointer(path: &Path, content: &[u8]) -> Result<()> {
    let is_pointer = content.len() < MOST
        && content.starts_with(POINTER)
        && content.windows(OBJECT.len()).any(|some| some == OBJECT);
    if !is_pointer {
        return Ok(());
    }
    let size = content
        .split(|&byte| byte == b'\n')
        .find_map(|line| std::str::from_utf8(line.strip_prefix(b"size ")?).ok()?.trim().parse::<u64>().ok());
    let size = size.map_or(String::new(), |size| format!(", which has {size} bytes"));
    Err(Error::format(format!(
        "this is a pointer of Git LFS, not the file itself{size}: fetch it with `git lfs pull`, or download it"
    ))
    .at(path.display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_holders_are_no_files() {
        let said = |content: &str| {
            refuse(Path::new("vocab.txt"), content.as_bytes()).map_err(|error| error.to_string())
        };
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:a513da24\nsize 6204808\n";
        let found = said(pointer).unwrap_err();
        assert!(
            found.contains("6204808 bytes: fetch it with `git lfs pull`") && found.contains("vocab.txt"),
            "{found}"
        );
        assert!(
            said(&pointer.replace("size 6204808\n", "")).unwrap_err().contains("not the file itself: fetch")
        );
        assert!(said("\n<!DOCTYPE HTML>\n<html>").unwrap_err().contains("web page"));
        for content in
            ["", "[UNK]\nversion https://git-lfs.github.com/spec/v1", "<html>\n[UNK]", &pointer[..40]]
        {
            assert_eq!(said(content), Ok(()));
        }
        // Source code with a pointer as its first file.
        assert_eq!(said(&pointer.repeat(20)), Ok(()));
        assert!(refuse_pointer(Path::new("corpus"), b"<!doctype html>").is_ok());
    }
}
