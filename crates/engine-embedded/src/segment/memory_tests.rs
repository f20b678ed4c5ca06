//! What is read in place from the bytes of a segment: the tape, the sections, and the platform layer below them.
//!
//! `make miri` runs these tests under Miri, which finds undefined behaviour; so they are small, and use no files where that
//! is possible.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use cantata_engine::WriteOperation;

use crate::engine::EmbeddedEngine;
use crate::platform::{SegmentStorage, intersection_count};
use crate::segment::{FieldMetadata, Section, SectionWriter, Segment, WordIndexMetadata, WordPostings, load_documents};
use crate::tape::{self, PackedCursor, TapeCursor, TapeItem};

/// So many that the length of their array needs more bytes than are kept free for it.
const ELEMENTS: u32 = 7_000;

/// Returns bytes without a pattern.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let next = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 56) as u8
    };
    (0..length).map(next).collect()
}

#[test]
fn a_packed_tape_reads_back() {
    let mut out = Vec::new();
    TapeItem::Object(7).pack(&mut out);
    let object = out.len();
    TapeItem::Scalar(3).pack(&mut out);
    tape::pack_text(&mut out, 4, b"\"quoted\"");
    TapeItem::Array(ELEMENTS).pack(&mut out);
    let array = out.len();
    (0..ELEMENTS).for_each(|number| TapeItem::Scalar(number).pack(&mut out));
    tape::close(&mut out, array);
    tape::close(&mut out, object);
    TapeItem::Scalar(9).pack(&mut out);

    let mut cursor = PackedCursor::new(&out, 0);
    let mut whole = cursor;
    assert_eq!(cursor.next(), TapeItem::Object(7));
    assert_eq!(cursor.next(), TapeItem::Scalar(3));
    assert_eq!(cursor.last_text(), None);
    assert_eq!(cursor.next(), TapeItem::Scalar(4));
    assert_eq!(cursor.last_text(), Some(b"\"quoted\"".as_slice()));
    assert!(!cursor.is_escape_free());
    let mut elements = cursor;
    assert_eq!(elements.next(), TapeItem::Array(ELEMENTS));
    assert!((0..ELEMENTS).all(|number| elements.next() == TapeItem::Scalar(number)));
    assert_eq!(cursor.skip(), TapeItem::Array(ELEMENTS));
    assert_eq!(whole.skip(), TapeItem::Object(7));
    for mut after in [cursor, whole, elements] {
        assert_eq!(after.next(), TapeItem::Scalar(9));
        assert_eq!(after.offset(), out.len());
    }
}

#[test]
fn any_bytes_can_be_walked_as_a_tape() {
    for seed in 0..50 {
        let bytes = noise(seed, 60);
        for start in 0..bytes.len() + 2 {
            let mut walked = PackedCursor::new(&bytes, start);
            let mut skipped = walked;
            for _ in 0..bytes.len() {
                walked.next();
                skipped.skip();
                assert!(skipped.last_text().is_none_or(|text| text.len() <= bytes.len()));
            }
        }
    }
}

#[test]
fn sections_read_back_aligned_and_are_stored_once() {
    let (bytes, wide, narrow) = (noise(1, 13), [1_u64, u64::MAX], [7_u16, 8, 9]);
    let mut writer = SectionWriter::default();
    let sections = (writer.bytes(&bytes), writer.numbers(&wide), writer.numbers(&narrow));
    assert_eq!(writer.bytes(&bytes), sections.0);
    let empty = writer.bytes(&[]);
    let storage = SegmentStorage::memory(writer.into_bytes());
    assert_eq!(sections.0.bytes(&storage), bytes);
    assert_eq!(sections.1.numbers::<u64>(&storage), wide);
    assert_eq!(sections.2.numbers::<u16>(&storage), narrow);
    assert!(empty.bytes(&storage).is_empty());
    // Bytes that are no whole numbers are none.
    assert!(sections.0.numbers::<u64>(&storage).is_empty());
}

#[test]
fn a_section_that_is_not_there_is_empty() {
    let storage = SegmentStorage::memory(noise(2, 40));
    for place in ["[33,8]", "[40,1]", "[18446744073709551615,8]", "[8,18446744073709551615]", "[1,8]"] {
        let section: Section = serde_json::from_str(place).unwrap();
        assert!(section.numbers::<u64>(&storage).is_empty(), "{place}");
    }
}

#[test]
fn damaged_words_give_no_value_that_is_not_there() {
    const VALUES: usize = 301;
    let mut values = WordPostings::default();
    [0, 1, 1, 300].into_iter().for_each(|ordinal| values.push(ordinal));
    let words: Vec<String> = (10..50).map(|number| format!("wörd{number}")).collect();
    let mut out = SectionWriter::default();
    let metadata = WordIndexMetadata::write(words.iter().map(|word| (word.as_str(), &values)), &mut out);
    let bytes = out.into_bytes();
    let read = |bytes: Vec<u8>| {
        let storage = SegmentStorage::memory(bytes);
        let index = metadata.open(VALUES, &storage);
        let mut found = 0;
        index.for_each_word("", |_, values| {
            found += values.inspect(|&ordinal| assert!((ordinal as usize) < VALUES)).count();
            ControlFlow::Continue(())
        });
        assert!(index.values_with("wörd42").all(|ordinal| (ordinal as usize) < VALUES));
        index.walk(|word, mut values, target| {
            assert!(values.all(|ordinal| (ordinal as usize) < VALUES));
            *target = word.as_bytes().iter().take(6).map(|byte| byte.saturating_add(1)).collect();
            ControlFlow::Continue(())
        });
        found
    };
    assert_eq!(read(bytes.clone()), 3 * words.len());
    for place in 0..bytes.len() {
        read(bytes[..place].to_vec());
        for bit in [1, 0x80] {
            let mut damaged = bytes.clone();
            damaged[place] ^= bit;
            read(damaged);
        }
    }
}

#[test]
fn fields_of_files_from_before_have_no_words_and_no_trigrams() {
    let before = serde_json::json!({
        "path": "note", "class": "Words", "level": 0, "dictionary": {"Numbers": [0, 0]}, "by_document": null,
        "column": {"starts": null, "codes": [0, 0], "width": 1, "missing": 0},
        "postings": {"rows": 0, "counts": [0, 0], "document_counts": [0, 0], "starts": [0, 0], "words": [0, 0]},
    });
    let field: FieldMetadata = serde_json::from_value(before).unwrap();
    assert_eq!((field.words, field.trigrams), (None, None));
}

#[test]
fn memory_of_every_length_is_kept_and_read() {
    for length in 0..70 {
        let bytes = noise(3, length);
        let storage = SegmentStorage::memory(bytes.clone());
        assert_eq!(&*storage, bytes);
        let mut out = vec![0; length / 2];
        storage.read_at(length - length / 2, &mut out).unwrap();
        assert_eq!(out, bytes[length - length / 2..]);
        let beyond = storage.read_at(length, &mut [0]).unwrap_err();
        assert_eq!(beyond.kind(), io::ErrorKind::UnexpectedEof);
        assert!(storage.read_at(usize::MAX, &mut [0]).is_err());
    }
}

#[test]
fn common_bits_are_counted_whatever_the_processor_has() {
    let words = |seed| -> Vec<u64> { noise(seed, 80).chunks(8).map(bytemuck::pod_read_unaligned).collect() };
    for length in 0..=10 {
        let (one, two) = (words(4), words(5));
        let expected: u32 = one.iter().zip(&two[..length]).map(|(one, two)| (one & two).count_ones()).sum();
        assert_eq!(intersection_count(&one, &two[..length]), expected as usize);
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
fn a_mapped_file_is_what_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = (folder.path().join("file"), noise(6, 10_000));
    fs_err::write(&path, &bytes).unwrap();
    let storage = SegmentStorage::map(&path).unwrap();
    assert_eq!(&*storage, bytes);
    let mut out = [0; 100];
    storage.read_at(9_900, &mut out).unwrap();
    assert_eq!(out, bytes[9_900..]);
    assert!(storage.read_at(9_901, &mut out).is_err());
}

#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
fn damaged_starts_of_documents_reserve_no_memory() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    engine.create("things", None).unwrap();
    let index = engine.index("things").unwrap();
    let put = |number: usize| WriteOperation::Put { id: number.to_string(), source: br#"{"n": 1}"#.to_vec() };
    index.write(&[put(0), put(1), put(2), put(3)], None).unwrap();
    let segment = Arc::clone(&index.snapshot().segments[0].segment);
    let file = segment.memory_to_file().unwrap().unwrap();
    let path = folder.path().join("damaged");
    for row in 0..4 {
        for start in [0, 1 << 55, u64::MAX] {
            let mut damaged = file.clone();
            let place = segment.metadata().tape_starts.start() + row * size_of::<u64>();
            damaged[place..place + size_of::<u64>()].copy_from_slice(&u64::to_le_bytes(start));
            fs_err::write(&path, damaged).unwrap();
            // The damage is found, or there are documents, whatever is in them.
            let Ok(segment) = Segment::open(&path) else { continue };
            if let Ok(documents) = load_documents(&Arc::new(segment), &[0, 1, 2, 3]) {
                assert_eq!(documents.len(), 4);
            }
        }
    }
}
