//! The same documents must come out however they are written, and wherever chunks and readings end.

use std::io::{self, Read};

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use super::*;
use crate::error::SyntaxErrorKind;

/// Hands out a few bytes at a time.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.1.min(buffer.len());
        self.0.take(length as u64).read(buffer).inspect(|&read| self.0 = &self.0[read..])
    }
}

/// What came out of a source: the line and text of each document, the lines of those too long, and how it ended.
type Outcome = (Vec<(u64, String)>, Vec<u64>, Option<ReadError>);

fn split(text: &str, chunk_size: usize, longest: usize) -> Outcome {
    let mut reader = ChunkReader::new(Trickle(text.as_bytes(), 1 + chunk_size / 2), chunk_size, false);
    reader.max_document_bytes = longest;
    let (mut documents, mut too_long, mut end) = (Vec::new(), Vec::new(), 0);
    let broken = loop {
        match reader.next_chunk() {
            Ok(Some(chunk)) => {
                assert_eq!(chunk.bytes.len() as u64, chunk.end - chunk.start);
                assert!(chunk.start >= end && chunk.end <= text.len() as u64);
                end = chunk.end;
                let slice = &text.as_bytes()[chunk.start as usize..chunk.end as usize];
                assert_eq!(chunk.bytes, slice);
                for found in chunk.documents {
                    let document = std::str::from_utf8(&chunk.bytes[found.range]).unwrap();
                    documents.push((found.line, document.to_owned()));
                }
                too_long.extend(chunk.oversized_lines);
            }
            Ok(None) => break None,
            Err(broken) => break Some(broken),
        }
    };
    (documents, too_long, broken)
}

const STRANGE: [&str; 6] = [r#""a""#, r#""}]\"{[""#, r#""\\""#, r#""é\\\"""#, "[1, [2, {}]]", "{\"k\": []}"];

fn document(random: &mut StdRng, space: &str) -> String {
    let members: Vec<String> = (0..random.random_range(0..4))
        .map(|number| format!("\"m{number}\":{space}{}", STRANGE[random.random_range(0..STRANGE.len())]))
        .collect();
    format!("{{{space}{}{space}}}", members.join(&format!(",{space}")))
}

#[test]
fn every_way_of_writing_gives_the_same_documents() {
    let mut random = StdRng::seed_from_u64(7);
    for round in 0..2000 {
        let count = random.random_range(1..12);
        let space = ["", " ", "\n", "\r\n  "][random.random_range(0..if round % 2 == 0 { 2 } else { 4 })];
        let documents: Vec<String> = (0..count).map(|_| document(&mut random, space)).collect();
        let (before, between, after) = [
            ("", "\n", ""),
            ("\n\n", "\n \n", "\n\n"),
            ("[", ",", "]"),
            ("\u{feff} [\n", "\n,", "]\n"),
            ("[", ", ", "]\n[]"),
            ("", " ", " "),
        ][random.random_range(0..6)];
        let text = format!("{before}{}{after}", documents.join(between));
        let chunk_size = random.random_range(4..200);
        let (found, too_long, broken) = split(&text, chunk_size, 1000);
        assert!(too_long.is_empty() && broken.is_none(), "{text}: {too_long:?} {broken:?}");
        let texts: Vec<&str> = found.iter().map(|(_, text)| text.trim()).collect();
        assert_eq!(texts, documents, "chunks of {chunk_size}: {text}");
        let mut line = before.matches('\n').count() as u64 + 1;
        for ((found, _), document) in found.iter().zip(&documents) {
            assert_eq!(*found, line, "the line of {document} in {text}");
            line += (document.matches('\n').count() + between.matches('\n').count()) as u64;
        }
    }
}

#[test]
fn a_broken_line_is_left_to_the_engine() {
    let documents = |text: &str| split(text, 64, 1000).0;
    assert_eq!(documents("{\"a\": 1\n{}\n"), [(1, "{\"a\": 1".to_owned()), (2, "{}".to_owned())]);
    assert_eq!(documents("oops\n\n{\"a\": \n"), [(1, "oops".to_owned()), (3, "{\"a\": ".to_owned())]);
}

#[test]
fn a_stream_ends_where_its_brackets_do_not_fit() {
    for (text, taken, place) in [
        ("{\n\"a\": 1\n}\n{\n]", 1, "line 5, column 1"),
        ("[{}, {}\n {}]", 2, "line 2, column 2"),
        ("[{}, {\"a\n\"}]", 1, "line 1, column 9"),
        ("[{},\n{}", 2, "line 2, column 3: the file ends within an array"),
        ("{\n\"a\": [{}", 0, "ends within the document that begins at line 1"),
        ("[{},,{}]", 1, "line 1, column 5"),
        ("{}{}\n}", 2, "line 2, column 1"),
    ] {
        for chunk_size in [3, 8, 1000] {
            let (documents, _, broken) = split(text, chunk_size, 1000);
            let Some(ReadError::Syntax(reason)) = broken else { panic!("{text} was taken") };
            assert_eq!(documents.len(), taken, "{text}: {reason}");
            assert!(reason.to_string().contains(place), "{text}: {reason}");
        }
    }
}

#[test]
fn brackets_of_a_document_that_is_left_out_are_bounded() {
    let text = format!("[{{}},\n{}", "[".repeat(10_000));
    let (documents, _, broken) = split(&text, 64, 100);
    let Some(ReadError::Syntax(reason)) = broken else { panic!("taken") };
    assert_eq!((documents.len(), reason.kind), (1, SyntaxErrorKind::TooDeep(2)));
}

#[test]
fn a_document_that_is_too_long_is_left_out() {
    let long = format!("{{\"a\": \"{}\"}}", "\\\"x}".repeat(50));
    for chunk_size in [5, 64, 150, 10_000] {
        for (text, line) in [
            (format!("{{}}\n{long}\n{{\"b\": 1}}\n"), 2),
            (format!("[{{}},\n\n{long},\n{{\"b\": 1}}]"), 3),
            (format!("{{}}{long}{{\"b\": 1}}"), 1),
        ] {
            let (documents, too_long, broken) = split(&text, chunk_size, 100);
            let texts: Vec<&str> = documents.iter().map(|(_, text)| text.as_str()).collect();
            assert!(broken.is_none(), "{chunk_size}: {text}: {broken:?}");
            assert_eq!((texts, too_long), (vec!["{}", "{\"b\": 1}"], vec![line]), "{chunk_size}: {text}");
        }
    }
}
