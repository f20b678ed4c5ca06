//! How much memory an XLSX file takes, found out before anything is kept of it.
//!
//! An XLSX is an archive, and a few kilobytes of one can be gigabytes. Its entries are unpacked here one by one and
//! counted. Texts and styles, which are in memory while a file is read, are searched for what takes their reader more
//! memory than the entry has bytes: a number of texts for which room is made at once, and long names in the styles, of
//! which every cell format has a copy.
//!
//! The archive must be a plain one, its directory at its very end and complete, and all that its end says must agree:
//! readers look elsewhere for another directory if it does not, and would find entries that were not counted.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::DeflateDecoder;

use crate::SheetError;

const END_BYTES: usize = 22;
const END_SIGNATURE: &[u8] = b"PK\x05\x06";
const ENTRY_BYTES: usize = 46;
const ENTRY_SIGNATURE: &[u8] = b"PK\x01\x02";
const LOCAL_BYTES: usize = 30;
const LOCAL_SIGNATURE: &[u8] = b"PK\x03\x04";

const STORED: u16 = 0;
const DEFLATED: u16 = 8;

/// How many bytes are unpacked at once where they are only counted.
const COUNT_BYTES: usize = 64 << 10;

/// The extra field with another name of an entry.
const UNICODE_PATH: usize = 0x7075;

/// The attribute with the number of texts.
const TEXT_COUNT: &[u8] = b"uniqueCount";

/// How many bytes the texts have at most, wherever the sheets may have more.
const MAX_TEXT_BYTES: u64 = 1 << 30;

/// How many bytes the styles have at most, and a name or a text in them.
const MAX_STYLES_BYTES: usize = 1 << 20;
const MAX_STYLE_TEXT_BYTES: usize = 512;

/// Checks that a file is a plain archive of at most this number of unpacked bytes; returns why not.
pub(crate) fn check_archive(file: &[u8], max_bytes: u64) -> Result<(), SheetError> {
    let end = file.len().checked_sub(END_BYTES).ok_or(SheetError::NotXlsx)?;
    if !file[end..].starts_with(END_SIGNATURE) {
        return Err(SheetError::NotXlsx);
    }
    let of_end = |offset, length| number(file, end + offset, length).unwrap_or_default();
    let (entries, start) = (of_end(10, 2), of_end(16, 4));
    let is_on_one_disk = of_end(4, 4) == 0 && of_end(8, 2) == entries;
    let is_small = (1..usize::from(u16::MAX)).contains(&entries);
    let is_at_end = end.checked_sub(of_end(12, 4)) == Some(start) && of_end(20, 2) == 0;
    if !(is_on_one_disk && is_small && is_at_end) {
        return Err(SheetError::NotXlsx);
    }
    let mut at = start;
    let mut left = max_bytes;
    for _ in 0..entries {
        let head = file.get(at..at + ENTRY_BYTES).filter(|head| head.starts_with(ENTRY_SIGNATURE));
        let head = head.ok_or(SheetError::NotXlsx)?;
        let field = |offset, length| number(head, offset, length).unwrap_or_default();
        let packed = entry(file, field(42, 4), field(20, 4)).ok_or(SheetError::NotXlsx)?;
        let extra = at + ENTRY_BYTES + field(28, 2);
        let name = file.get(at + ENTRY_BYTES..extra).ok_or(SheetError::NotXlsx)?.to_ascii_lowercase();
        let (length, part) = match u16::try_from(field(10, 2)).unwrap_or_default() {
            STORED => (packed.len() as u64, Cow::Borrowed(packed)),
            DEFLATED if has_texts(&name) || has_styles(&name) => {
                let part = inflated(packed, left.min(MAX_TEXT_BYTES));
                (part.len() as u64, Cow::Owned(part))
            }
            DEFLATED => (inflated_length(packed, left), Cow::Owned(Vec::new())),
            _ => return Err(SheetError::Compression),
        };
        left = left.checked_sub(length).ok_or(SheetError::Unpacked { max_bytes })?;
        let comment = extra + field(30, 2);
        if has_other_name(file.get(extra..comment).ok_or(SheetError::NotXlsx)?) {
            return Err(SheetError::NotXlsx);
        }
        check_part(&name, &part)?;
        at = comment + field(32, 2);
    }
    if at == end { Ok(()) } else { Err(SheetError::NotXlsx) }
}

/// Returns the packed bytes of the entry whose local header is at an offset.
fn entry(file: &[u8], offset: usize, length: usize) -> Option<&[u8]> {
    let head = file.get(offset..offset.checked_add(LOCAL_BYTES)?).filter(|head| head.starts_with(LOCAL_SIGNATURE))?;
    let start = offset + LOCAL_BYTES + number(head, 26, 2)? + number(head, 28, 2)?;
    file.get(start..start.checked_add(length)?)
}

/// Unpacks an entry, up to one byte more than may be. What is damaged ends early, for its reader as well.
fn inflated(packed: &[u8], max_bytes: u64) -> Vec<u8> {
    let mut unpacked = Vec::new();
    // What was read before an error stays.
    let _ = DeflateDecoder::new(packed).take(max_bytes.saturating_add(1)).read_to_end(&mut unpacked);
    unpacked
}

/// Returns how many bytes an entry has when it is unpacked, up to one more than may be.
fn inflated_length(packed: &[u8], max_bytes: u64) -> u64 {
    let mut unpacked = DeflateDecoder::new(packed).take(max_bytes.saturating_add(1));
    let mut buffer = vec![0; COUNT_BYTES];
    let mut length = 0;
    while let Ok(read @ 1..) = unpacked.read(&mut buffer) {
        length += read as u64;
    }
    length
}

/// Returns whether extra fields give an entry another name than its own.
fn has_other_name(mut extra: &[u8]) -> bool {
    while let (Some(id), Some(length)) = (number(extra, 0, 2), number(extra, 2, 2)) {
        if id == UNICODE_PATH {
            return true;
        }
        extra = extra.get(4 + length..).unwrap_or_default();
    }
    false
}

fn has_texts(name: &[u8]) -> bool {
    name.ends_with(b"sharedstrings.xml")
}

fn has_styles(name: &[u8]) -> bool {
    name.ends_with(b"styles.xml")
}

/// Checks a part of a workbook, whose name is in lower case.
fn check_part(name: &[u8], part: &[u8]) -> Result<(), SheetError> {
    let (has_texts, has_styles) = (has_texts(name), has_styles(name));
    // XML has neither of them, but encodings in which nothing would be found here do.
    if (has_texts || has_styles) && part.iter().any(|byte| matches!(byte, 0 | 0x1b)) {
        return Err(SheetError::Encoding);
    }
    if has_texts && part.len() as u64 > MAX_TEXT_BYTES {
        return Err(SheetError::Texts { max_bytes: MAX_TEXT_BYTES });
    }
    if has_texts {
        let mut places = part.windows(TEXT_COUNT.len()).enumerate().filter(|(_, window)| *window == TEXT_COUNT);
        if places.any(|(place, _)| count_at(&part[place + TEXT_COUNT.len()..]) > part.len()) {
            return Err(SheetError::TextCount);
        }
    }
    let is_text_end = |byte: &u8| matches!(byte, b'"' | b'\'' | b'<' | b'>');
    if has_styles
        && (part.len() > MAX_STYLES_BYTES || part.split(is_text_end).any(|text| text.len() > MAX_STYLE_TEXT_BYTES))
    {
        return Err(SheetError::Styles);
    }
    Ok(())
}

/// Returns the number that follows the name of an attribute; 0 if something else does.
fn count_at(rest: &[u8]) -> usize {
    let value = rest.iter().skip_while(|byte| b" \t\r\n='\"+".contains(byte));
    let digits = value.take_while(|byte| byte.is_ascii_digit());
    digits.fold(0, |number: usize, digit| number.saturating_mul(10).saturating_add(usize::from(*digit - b'0')))
}

/// Reads a number of two or four bytes.
fn number(bytes: &[u8], offset: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(offset..offset.checked_add(length)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| (number << 8) | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_large_when_it_is_unpacked_is_refused() {
        let mut workbook = rust_xlsxwriter::Workbook::new();
        workbook.add_worksheet().write_string(0, 0, "x".repeat(30_000)).unwrap();
        let file = workbook.save_to_buffer().unwrap();
        check_archive(&file, 1 << 20).unwrap();
        assert!(check_archive(&file, 20_000).unwrap_err().to_string().contains("unpacked"));
        for end in (0..file.len()).step_by(11) {
            assert!(check_archive(&file[..end], 1 << 20).is_err(), "cut to {end} bytes");
        }
        for index in (0..file.len()).step_by(11) {
            let mut damaged = file.clone();
            damaged[index] ^= 0xff;
            let _ = check_archive(&damaged, 1 << 20);
        }
    }

    #[test]
    fn an_archive_whose_end_contradicts_itself_is_refused() {
        let mut workbook = rust_xlsxwriter::Workbook::new();
        workbook.add_worksheet().write_string(0, 0, "x").unwrap();
        let file = workbook.save_to_buffer().unwrap();
        let end = file.len() - END_BYTES;
        // Disks, entries on this disk, bytes of the directory, bytes of the comment.
        for offset in [4, 6, 8, 12, 20] {
            let mut damaged = file.clone();
            damaged[end + offset] ^= 1;
            assert!(check_archive(&damaged, 1 << 20).is_err(), "changed at {offset}");
        }
    }
}
