//! Names of files that are safe in a header, in an archive and on the disk where it is unpacked.

use std::collections::HashSet;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The limit of names in tar headers.
const MAX_NAME_BYTES: usize = 100;

/// What is percent-encoded in a header.
const PERCENT_ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Replaces characters that are special in headers, shells or file systems; `None` if nothing is left.
pub(super) fn safe_name(name: &str) -> Option<String> {
    let is_special = |next: char| next.is_control() || "\"'\\/:;*?<>|$`%".contains(next);
    let name: String = name.chars().map(|next| if is_special(next) { '_' } else { next }).collect();
    let name = name.trim_matches(|edge: char| edge.is_whitespace() || edge == '.');
    let name = truncate(name, MAX_NAME_BYTES);
    (!name.is_empty()).then(|| name.to_owned())
}

/// Adds an extension to a name that has none.
pub(super) fn with_extension(name: String, extension: &str) -> String {
    if name.contains('.') {
        name
    } else {
        format!("{}.{extension}", truncate(&name, MAX_NAME_BYTES - 1 - extension.len()))
    }
}

/// Returns the name of an archive.
pub(super) fn archive_name(name: &str) -> String {
    let stem = [".tar.gz", ".tgz", ".tar"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    format!("{stem}.tar.gz")
}

/// Adds a number to a name that another entry has.
pub(super) fn unique_name(name: String, taken: &mut HashSet<String>) -> String {
    let (stem, end) = match name.rsplit_once('.') {
        Some((stem, end)) => (stem, format!(".{end}")),
        None => (name.as_str(), String::new()),
    };
    let numbered = (2..).map(|number| {
        let end = format!("-{number}{end}");
        format!("{}{end}", truncate(stem, MAX_NAME_BYTES.saturating_sub(end.len())))
    });
    // Entries that differ in case only would overwrite each other on some file systems.
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.to_lowercase()));
    free.unwrap_or(name)
}

/// Returns the `Content-Disposition` header for a name: in ASCII for old clients, and in UTF-8.
pub(super) fn content_disposition(name: &str) -> String {
    let ascii: String = name.chars().map(|next| if next.is_ascii() { next } else { '_' }).collect();
    if ascii == name {
        return format!("attachment; filename=\"{ascii}\"");
    }
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{}", utf8_percent_encode(name, PERCENT_ENCODED))
}

/// Truncates a text to a number of bytes.
fn truncate(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}
