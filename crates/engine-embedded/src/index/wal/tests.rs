//! What is read of logs that are whole, torn, stale or damaged.

use super::*;

fn removal(id: &str) -> WriteOperation {
    WriteOperation::Delete { id: id.to_owned() }
}

fn read(folder: &Path, number: u64) -> Result<RecoveredWrites, IndexError> {
    let mut read = RecoveredWrites::default();
    read.read_file(folder, number).map(|()| read)
}

fn read_earlier(folder: &Path, number: u64) -> Result<RecoveredWrites, IndexError> {
    let mut read = RecoveredWrites::new(true);
    read.read_file(folder, number).map(|()| read)
}

#[track_caller]
fn assert_damaged(read: Result<RecoveredWrites, IndexError>, expected: &str) {
    assert!(matches!(read.err(), Some(IndexError::Damaged { file, .. }) if file == expected));
}

/// Writes a file as earlier versions did: without a header, and without chained checksums.
fn write_without_header(folder: &Path, number: u64, entries: &[(u32, &[u8])]) {
    let mut bytes = Vec::new();
    for (flag, entry) in entries {
        bytes.extend_from_slice(&(entry.len() as u32 | flag).to_le_bytes());
        bytes.extend_from_slice(&crc32fast::hash(entry).to_le_bytes());
        bytes.extend_from_slice(entry);
    }
    fs_err::write(folder.join(file_name(number)), bytes).unwrap();
}

#[test]
fn entries_are_read_in_order_with_their_last_position() {
    let folder = tempfile::tempdir().unwrap();
    let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
    assert_eq!(wal.bytes(), 0);
    wal.append([removal("one")].iter(), None).unwrap();
    wal.append([].iter(), None).unwrap();
    wal.append([removal("two")].iter(), Some("2")).unwrap();
    let put = WriteOperation::Put { id: "three".to_owned(), source: b"{}".to_vec() };
    wal.append([put.clone()].iter(), None).unwrap();
    let read = read(folder.path(), 1).unwrap();
    assert_eq!(read.operations, [removal("one"), removal("two"), put]);
    assert_eq!(read.position.as_deref(), Some("2"));
}

#[test]
fn nothing_behind_a_hole_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
    let mut ends = vec![FILE_HEADER_BYTES];
    for id in ["one", "two", "three"] {
        wal.append([removal(id)].iter(), Some(id)).unwrap();
        ends.push(wal.bytes as usize);
    }
    let bytes = fs_err::read(folder.path().join(file_name(1))).unwrap();
    let path = folder.path().join(file_name(2));
    for (entry, hole) in ends.windows(2).enumerate() {
        let mut with_hole = bytes.clone();
        with_hole[hole[0]..hole[1]].fill(0);
        fs_err::write(&path, &with_hole).unwrap();
        assert_eq!(read(folder.path(), 2).unwrap().operations.len(), entry, "zeros instead of entry {entry}");
        let without: Vec<u8> = [&bytes[..hole[0]], &bytes[hole[1]..]].concat();
        fs_err::write(&path, &without).unwrap();
        assert_eq!(read(folder.path(), 2).unwrap().operations.len(), entry, "without entry {entry}");
    }
}

/// The second and third entry have no position, so the first two were synced, whatever the first one has.
#[test]
fn a_flip_anywhere_before_the_last_entry_is_damage() {
    for position in [None, Some("1")] {
        let folder = tempfile::tempdir().unwrap();
        let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
        wal.append([removal("one")].iter(), position).unwrap();
        wal.append([removal("two")].iter(), None).unwrap();
        let synced = wal.bytes as usize;
        wal.append([removal("three")].iter(), None).unwrap();
        let path = folder.path().join(file_name(1));
        let bytes = fs_err::read(&path).unwrap();
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs_err::write(&path, &flipped).unwrap();
            if bit / 8 < synced {
                assert_damaged(read(folder.path(), 1), "1.log");
            } else {
                // As a power loss leaves it.
                assert_eq!(read(folder.path(), 1).unwrap().operations.len(), 2, "bit {bit}");
            }
        }
        let mut without_header = bytes;
        without_header[..FILE_HEADER_BYTES].fill(0);
        fs_err::write(&path, &without_header).unwrap();
        assert_damaged(read(folder.path(), 1), "1.log");
    }
}

#[test]
fn a_header_that_a_power_loss_tore_has_no_entries() {
    let folder = tempfile::tempdir().unwrap();
    for length in 0..=FILE_HEADER_BYTES {
        fs_err::write(folder.path().join(file_name(1)), vec![0; length]).unwrap();
        assert_eq!(read(folder.path(), 1).unwrap().operations, []);
    }
}

/// A file is synced before there is an entry in the next one. Without entries, that may be of a later life, in which the
/// end of the file before it was already torn.
#[test]
fn a_torn_file_before_one_with_entries_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let mut first = WriteAheadLog::create(folder.path(), 1).unwrap();
    first.append([removal("one")].iter(), None).unwrap();
    first.append([removal("two")].iter(), Some("2")).unwrap();
    let path = folder.path().join(file_name(1));
    let bytes = fs_err::read(&path).unwrap();
    let read_both = || -> Result<RecoveredWrites, IndexError> {
        let mut read = RecoveredWrites::default();
        read.read_file(folder.path(), 1)?;
        read.read_file(folder.path(), 2).map(|()| read)
    };
    let mut second = WriteAheadLog::create(folder.path(), 2).unwrap();
    fs_err::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(read_both().unwrap().operations, [removal("one")]);
    second.append([removal("three")].iter(), Some("3")).unwrap();
    assert_damaged(read_both(), "1.log");
    fs_err::write(&path, &bytes).unwrap();
    assert_eq!(read_both().unwrap().operations, [removal("one"), removal("two"), removal("three")]);
}

#[test]
fn entries_of_another_file_do_not_follow() {
    let folder = tempfile::tempdir().unwrap();
    let entries_of = |number: u64| {
        let mut wal = WriteAheadLog::create(folder.path(), number).unwrap();
        wal.append([removal("one")].iter(), None).unwrap();
        fs_err::read(folder.path().join(file_name(number))).unwrap()
    };
    let (first, second) = (entries_of(1), entries_of(2));
    let mixed = [&first[..FILE_HEADER_BYTES], &second[FILE_HEADER_BYTES..]].concat();
    fs_err::write(folder.path().join(file_name(3)), mixed).unwrap();
    assert_eq!(read(folder.path(), 3).unwrap().operations, []);
}

/// Returns the entries of a file that was removed, which a power loss may leave in the blocks of another.
fn stale_entries(folder: &Path) -> Vec<u8> {
    let mut wal = WriteAheadLog::create(folder, 9).unwrap();
    for id in ["stale one", "stale two", "stale three"] {
        wal.append([removal(id)].iter(), None).unwrap();
    }
    fs_err::read(folder.join(file_name(9))).unwrap().split_off(FILE_HEADER_BYTES)
}

#[test]
fn entries_of_another_file_behind_a_torn_one_are_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let stale = stale_entries(folder.path());
    let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
    wal.append([removal("one")].iter(), None).unwrap();
    let synced = wal.bytes as usize;
    wal.append([removal("torn")].iter(), None).unwrap();
    let path = folder.path().join(file_name(1));
    let bytes = fs_err::read(&path).unwrap();
    for torn in synced..bytes.len() {
        fs_err::write(&path, [&bytes[..torn], stale.as_slice()].concat()).unwrap();
        assert_eq!(read(folder.path(), 1).unwrap().operations, [removal("one")], "torn at {torn}");
    }
}

#[test]
fn files_whose_checksums_do_not_cover_a_seed_are_read_and_stale_entries_in_them_are_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let write = |number: u64, seed: u8| {
        let mut bytes = [MAGIC_WITHOUT_SEED, [seed; 8]].concat();
        let mut chain = ChecksumChain::without_seed(&bytes);
        for content in [b"\x00\x03one", b"\x00\x03two", b"\x00\x03six"] {
            let length = (content.len() as u32).to_le_bytes();
            let checksum = chain.checksum_of(length, content);
            bytes.extend([length, checksum.to_le_bytes()].concat());
            bytes.extend(content);
            chain = chain.after(checksum);
        }
        fs_err::write(folder.path().join(file_name(number)), &bytes).unwrap();
        bytes
    };
    let (bytes, stale) = (write(1, 1), write(2, 2));
    assert_eq!(read(folder.path(), 1).unwrap().operations, [removal("one"), removal("two"), removal("six")]);
    let synced = FILE_HEADER_BYTES + ENTRY_HEADER_BYTES + 5;
    let torn = [&bytes[..synced], &stale[FILE_HEADER_BYTES..]].concat();
    fs_err::write(folder.path().join(file_name(1)), torn).unwrap();
    assert_eq!(read(folder.path(), 1).unwrap().operations, [removal("one")]);
    // What follows on the last right entry is of this file.
    let mut damaged = bytes;
    damaged[synced + 4] ^= 1;
    fs_err::write(folder.path().join(file_name(1)), damaged).unwrap();
    assert_damaged(read(folder.path(), 1), "1.log");
}

/// A quarter of all places in the text look like the beginning of an entry of 8,191 bytes.
#[test]
fn damage_is_found_behind_a_text_that_looks_like_entries() {
    let folder = tempfile::tempdir().unwrap();
    let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
    let source = [0xff, 0x1f, 0, 0].repeat(250_000);
    wal.append([WriteOperation::Put { id: "one".to_owned(), source }].iter(), None).unwrap();
    wal.append([removal("two")].iter(), None).unwrap();
    wal.append([removal("three")].iter(), None).unwrap();
    let path = folder.path().join(file_name(1));
    let mut bytes = fs_err::read(&path).unwrap();
    bytes[FILE_HEADER_BYTES..FILE_HEADER_BYTES + ENTRY_HEADER_BYTES].fill(0);
    fs_err::write(&path, bytes).unwrap();
    assert_damaged(read(folder.path(), 1), "1.log");
}

#[test]
fn files_of_earlier_versions_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let entries: [(u32, &[u8]); 3] = [(0, b"\x00\x03one"), (0, b""), (POSITION_FLAG, b"\x012\x02\x01x{}")];
    write_without_header(folder.path(), 1, &entries);
    let read = read_earlier(folder.path(), 1).unwrap();
    let put = WriteOperation::Put { id: "x".to_owned(), source: b"{}".to_vec() };
    assert_eq!(read.operations, [removal("one"), put]);
    assert_eq!(read.position.as_deref(), Some("2"));
}

#[test]
fn forged_lengths_are_damage() {
    let folder = tempfile::tempdir().unwrap();
    let endless = [0xff_u8; 9];
    let forged: [(u32, &[u8]); 5] =
        [(0, &endless), (POSITION_FLAG, &endless), (0, b"\x00\x05one"), (0, b"\x09\x01x{}"), (0, b"\x00\x01\xff")];
    for (flag, entry) in forged {
        write_without_header(folder.path(), 1, &[(flag, entry)]);
        assert_damaged(read_earlier(folder.path(), 1), "1.log");
    }
}

#[test]
fn a_file_is_never_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let mut wal = WriteAheadLog::create(folder.path(), 1).unwrap();
    wal.append([removal("one")].iter(), None).unwrap();
    assert!(WriteAheadLog::create(folder.path(), 1).is_err());
    assert_eq!(read(folder.path(), 1).unwrap().operations, [removal("one")]);
}
