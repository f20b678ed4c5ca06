//! Shared tails: where documents end alike, the end is parsed once.
//!
//! The documents of the files of one analysis end with the analysis, which is most of their text. Where the last member
//! of a document is an object that the one before it has, too, to the letter, its items on the tape are repeated: the
//! text before it is parsed with `null` in its place. As that is JSON if and only if the whole text is, every document
//! is accepted or rejected as if it had been parsed alone.
//!
//! Most documents share nothing, so ends are looked for only after two documents in a row had the same.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::document_buffer::DocumentBuffer;
use crate::tape::{TapeCursor, TapeItem};

/// An object of fewer items is parsed about as fast as it is found.
const MIN_ITEMS: usize = 8;

/// After more documents in a row that end in another way, ends are not looked for any more.
const MAX_MISSES: usize = 2;

/// The placeholder of the last member, and the end of the document.
const PLACEHOLDER: &[u8] = b"null}";

/// The last member of a document: its path, and the items of its value on the tape.
#[derive(Debug, Clone)]
struct LastMember {
    path: u32,
    items: Range<usize>,
}

/// The last member of a document that was parsed alone, which the following ones may share.
#[derive(Debug, Default)]
pub(super) struct SharedTail {
    member: Option<LastMember>,
    /// The text from its value to the end of the document; empty unless it is looked for.
    text: Vec<u8>,
    is_sought: bool,
    /// How many documents in a row had another one.
    misses: usize,
    /// The text that is parsed instead of a document.
    shortened: Vec<u8>,
}

/// The place of the last member in a shortened text.
#[derive(Debug)]
pub(super) struct Placeholder {
    pub(super) path: u32,
    pub(super) items: Range<usize>,
    /// Whether it was found.
    pub(super) is_filled: bool,
}

impl DocumentBuffer {
    /// Writes a document onto the tape if it ends like the one before, and returns where it starts. Nothing is written
    /// otherwise, or if there is anything wrong with it.
    pub(super) fn add_with_shared_tail(&mut self, json: &[u8]) -> Option<usize> {
        let SharedTail { member, text, .. } = &self.shared_tail;
        let LastMember { path, items } = member.clone().filter(|_| !text.is_empty())?;
        let beginning = json.strip_suffix(text.as_slice()).filter(|beginning| begins_object(beginning))?;
        let mut shortened = std::mem::take(&mut self.shared_tail.shortened);
        shortened.clear();
        shortened.extend_from_slice(beginning);
        shortened.extend_from_slice(PLACEHOLDER);
        let start = self.tape.len();
        self.placeholder = Some(Placeholder { path, items, is_filled: false });
        let is_parsed = self.parse(&shortened).is_ok();
        self.shared_tail.shortened = shortened;
        self.open_members.clear();
        self.stopped = None;
        if self.placeholder.take().is_some_and(|placeholder| placeholder.is_filled) && is_parsed {
            self.shared_tail.misses = 0;
            return Some(start);
        }
        self.tape.truncate(start);
        None
    }

    /// Takes note of how a document ends that was parsed alone and accepted.
    pub(super) fn note_tail(&mut self, json: &[u8]) {
        let member = self.last_member.map(|(path, start)| LastMember { path, items: start..self.tape.len() });
        let is_object = |start: usize| matches!(self.tape.cursor(start).next(), TapeItem::Object(_));
        let member = member.filter(|member| member.items.len() >= MIN_ITEMS && is_object(member.items.start));
        let items = |member: &LastMember| (member.path, self.tape.items(member.items.clone()));
        let is_same = member.is_some() && member.as_ref().map(items) == self.shared_tail.member.as_ref().map(items);
        let tail = &mut self.shared_tail;
        tail.misses = if is_same { 0 } else { tail.misses + 1 };
        tail.is_sought = member.is_some() && tail.misses <= if tail.is_sought { MAX_MISSES } else { 0 };
        tail.member = member;
        tail.text.clear();
        if tail.is_sought {
            tail.text.extend_from_slice(tail_of(json).unwrap_or_default());
        }
    }
}

fn begins_object(json: &[u8]) -> bool {
    json.trim_ascii_start().starts_with(b"{")
}

/// Returns the text from the value of the last member of an object to the end.
fn tail_of(json: &[u8]) -> Option<&[u8]> {
    let LastValue(value) = serde_json::from_slice(json).ok()?;
    let value = value?.get().as_bytes();
    let before_end = json.trim_ascii_end().strip_suffix(b"}")?.trim_ascii_end();
    let before_value = before_end.strip_suffix(value)?;
    json.get(before_value.len()..)
}

/// The text of the value of the last member of an object.
struct LastValue<'a>(Option<&'a RawValue>);

impl<'de> Deserialize<'de> for LastValue<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LastValueVisitor)
    }
}

struct LastValueVisitor;

impl<'de> Visitor<'de> for LastValueVisitor {
    type Value = LastValue<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<LastValue<'de>, A::Error> {
        let mut last = None;
        while members.next_key::<IgnoredAny>()?.is_some() {
            last = Some(members.next_value::<&'de RawValue>()?);
        }
        Ok(LastValue(last))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cantata_mapping::IndexMapping;

    use super::*;
    use crate::build::DynamicMapping;

    fn buffer() -> DocumentBuffer {
        DocumentBuffer::new(Arc::new(DynamicMapping::new(Arc::new(IndexMapping::empty()))))
    }

    fn analysis(number: usize) -> String {
        let donor = |donor: usize| format!(r#"{{"id":"D{number}-{donor}","age":{donor}}}"#);
        let donors: Vec<String> = (0..4).map(donor).collect();
        format!(r#"{{"id":"A{number}","donors":[{}],"note":"ü \" }}","none":null}}"#, donors.join(","))
    }

    fn document(analysis: &str, file: usize) -> String {
        format!(r#"{{"name":"f{file}","size":{file},"analysis":{analysis}}}"#)
    }

    /// Documents of analyses with many, two and one file.
    fn documents() -> Vec<String> {
        let files = [5, 5, 2, 2, 2, 1, 1, 1, 1, 3, 4];
        let of_analysis = |(number, &count): (usize, &usize)| -> Vec<String> {
            (0..count).map(|file| document(&analysis(number), number * 10 + file)).collect()
        };
        files.iter().enumerate().flat_map(of_analysis).collect()
    }

    #[test]
    fn documents_that_end_alike_are_those_that_were_parsed_alone() {
        let (mut shared, mut alone) = (buffer(), buffer());
        let is_shared = |buffer: &DocumentBuffer, start: usize| {
            buffer.shared_tail.member.as_ref().is_some_and(|member| member.items.end <= start)
        };
        let mut shared_count = 0;
        for (number, json) in documents().iter().enumerate() {
            let start = shared.tape.len();
            shared.add(&number.to_string(), json.as_bytes()).unwrap();
            shared_count += usize::from(is_shared(&shared, start));
            // Another number of spaces than before, so that no two end alike.
            alone.add(&number.to_string(), format!("{json}{}", " ".repeat(number % 2)).as_bytes()).unwrap();
            assert!(!is_shared(&alone, start));
            assert_eq!(shared.tape.items(start..shared.tape.len()), alone.tape.items(start..alone.tape.len()));
        }
        // The first document extends the mapping, and the next two have to be alike. Then it is all but the first one
        // of each analysis, until several in a row have one file each, after which two have to be alike again.
        assert_eq!(shared_count, 2 + 4 + 1 + 1 + 1 + 1 + 3);
    }

    #[test]
    fn what_is_wrong_is_rejected_as_if_it_were_alone() {
        let tail = analysis(1);
        for json in [
            format!(r#"{{"analysis":{{"analysis":{tail}}}"#),
            format!(r#"{{"analysis":{{"x":1}},"analysis":{tail}}}"#),
            format!(r#"{{"name" "f","analysis":{tail}}}"#),
            format!(r#"{{"name":"f,"analysis":{tail}}}"#),
            format!(r#"{{"name":"f","name":"g","analysis":{tail}}}"#),
            format!(r#"{{"size":{{"a":1}},"analysis":{tail}}}"#),
            format!(r#"{{"analysis":{tail},{tail}}}"#),
            format!(r#"["analysis",{tail}}}"#),
            format!(r#"{{"analysis":n{tail}}}"#),
            format!("{tail}}}"),
            r#"{"analysis""#.to_owned(),
        ] {
            let mut shared = buffer();
            for file in 0..3 {
                shared.add(&file.to_string(), document(&tail, file).as_bytes()).unwrap();
            }
            let mut alone = buffer();
            alone.add("0", document(&tail, 0).as_bytes()).unwrap();
            let (found, expected) = (shared.add("x", json.as_bytes()), alone.add("x", json.as_bytes()));
            assert_eq!(found.unwrap_err().to_string(), expected.unwrap_err().to_string(), "{json}");
            assert_eq!(shared.len(), 3);
        }
    }

    #[test]
    fn an_end_that_belongs_to_another_member_is_not_taken_for_it() {
        let tail = analysis(1);
        let others = [
            format!(r#"{{"other":{tail}}}"#),
            format!(r#"{{"analysis":null,"other":{tail}}}"#),
            format!(r#"{{"other":{{"analysis":{tail}}}}}"#),
            format!(r#"{{"analysis":{{"id":"x"}},"other":{tail}}}"#),
        ];
        for json in others {
            let (mut shared, mut alone) = (buffer(), buffer());
            for file in 0..3 {
                shared.add(&file.to_string(), document(&tail, file).as_bytes()).unwrap();
                alone.add(&file.to_string(), document(&tail, file).as_bytes()).unwrap();
            }
            let start = shared.tape.len();
            shared.add("x", json.as_bytes()).unwrap();
            alone.add("x", format!("{json} ").as_bytes()).unwrap();
            let items = |buffer: &DocumentBuffer| buffer.tape.items(start..buffer.tape.len()).to_vec();
            assert_eq!(items(&shared), items(&alone), "{json}");
        }
    }
}
