//! Names of files: safe in a header, in an archive and on the disk of whoever unpacks it.

use std::collections::HashSet;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// The longest name in bytes, as the entries of archives have it.
const LONGEST_NAME: usize = 100;

/// What needs no encoding in a header beside letters and digits.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Returns a name without anything that means something to a header, a shell or a file system; nothing if there is
/// nothing left.
pub(super) fn safe_name(name: &str) -> Option<String> {
    let is_special = |next: char| next.is_control() || "\"'\\/:;*?<>|$`%".contains(next);
    let name: String = name.chars().map(|next| if is_special(next) { '_' } else { next }).collect();
    let name = name.trim_matches(|edge: char| edge.is_whitespace() || edge == '.');
    let name = cut(name, LONGEST_NAME);
    (!name.is_empty()).then(|| name.to_owned())
}

/// Returns a name with this end, unless it has one of its own.
pub(super) fn with_extension(name: String, extension: &str) -> String {
    if name.contains('.') { name } else { format!("{}.{extension}", cut(&name, LONGEST_NAME - 1 - extension.len())) }
}

/// Returns the name of an archive.
pub(super) fn archive_name(name: &str) -> String {
    let stem = [".tar.gz", ".tgz", ".tar"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    format!("{stem}.tar.gz")
}

/// Returns the name with a number before its end if another entry has it already.
pub(super) fn unique_name(name: String, taken: &mut HashSet<String>) -> String {
    let (stem, end) = match name.rsplit_once('.') {
        Some((stem, end)) => (stem, format!(".{end}")),
        None => (name.as_str(), String::new()),
    };
    let numbered = (2..).map(|number| {
        let end = format!("-{number}{end}");
        format!("{}{end}", cut(stem, LONGEST_NAME.saturating_sub(end.len())))
    });
    // Entries that differ in case only would overwrite each other on some file systems.
    let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.to_lowercase()));
    free.unwrap_or(name)
}

/// Returns what the header `Content-Disposition` says of a name: in ASCII for old clients, in full for the others.
pub(super) fn content_disposition(name: &str) -> String {
    let ascii: String = name.chars().map(|next| if next.is_ascii() { next } else { '_' }).collect();
    if ascii == name {
        return format!("attachment; filename=\"{ascii}\"");
    }
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{}", utf8_percent_encode(name, ENCODED))
}

/// Returns the beginning of a text that has at most so many bytes.
fn cut(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}
