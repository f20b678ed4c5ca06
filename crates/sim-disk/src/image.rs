//! What a disk holds after a loss of power.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::OsString;
use std::io;
use std::path::Path;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::model::{FileChange, FileNode, Model, NodeId, ROOT, set_name};

/// A write survives block by block.
const BLOCK_BYTES: usize = 512;

/// Files and folders, by their names.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Image {
    File(Vec<u8>),
    Folder(BTreeMap<OsString, Image>),
}

impl Image {
    /// Writes files and folders to the real file system.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::File(bytes) => std::fs::write(path, bytes),
            Self::Folder(entries) => {
                std::fs::create_dir_all(path)?;
                entries.iter().try_for_each(|(name, entry)| entry.write(&path.join(name)))
            }
        }
    }

    /// Returns how the files at a path differ.
    pub(crate) fn differences(&self, path: &Path) -> Vec<String> {
        let differs = |what: &str| vec![format!("{} {what}", path.display())];
        match self {
            Self::File(bytes) => match std::fs::read(path) {
                // SQLite writes these by memory mapping, and makes them again after a crash.
                _ if path.as_os_str().as_encoded_bytes().ends_with(b"-shm") => Vec::new(),
                Ok(real) if &real == bytes => Vec::new(),
                Ok(real) => differs(&format!("has {} bytes, the simulation {} or others", real.len(), bytes.len())),
                Err(error) => differs(&error.to_string()),
            },
            Self::Folder(entries) => {
                let Ok(real) = std::fs::read_dir(path) else { return differs("is no folder") };
                let unknown = real.flatten().filter(|entry| !entries.contains_key(&entry.file_name()));
                let mut found: Vec<_> = unknown.map(|entry| format!("{} is unknown", entry.path().display())).collect();
                found.extend(entries.iter().flat_map(|(name, entry)| entry.differences(&path.join(name))));
                found
            }
        }
    }
}

impl Model {
    /// Returns what survives a loss of power now.
    pub(crate) fn survivors(&self, seed: u64) -> Image {
        let mut random = StdRng::seed_from_u64(seed);
        let names = self.surviving_names(&mut random);
        self.image_of(ROOT, &|folder, id| names.get(&id).unwrap_or(&folder.durable).clone(), &mut |file| {
            surviving_bytes(file, &mut random)
        })
    }

    /// Returns the names of the folders in which changes that were not synced survive: of each folder the first ones.
    fn surviving_names(&self, random: &mut StdRng) -> HashMap<NodeId, BTreeMap<OsString, NodeId>> {
        let mut names: HashMap<NodeId, BTreeMap<OsString, NodeId>> = HashMap::new();
        let loss = [0.0, 0.2, 1.0][random.random_range(0..3)];
        let mut ended = HashSet::new();
        for change in &self.pending_names {
            let folders = change.entries.iter().map(|(folder, ..)| *folder);
            if folders.clone().any(|folder| ended.contains(&folder)) || random.random_bool(loss) {
                ended.extend(folders);
                continue;
            }
            for (folder, name, node) in &change.entries {
                let durable = || match &self.nodes[*folder] {
                    crate::model::Node::Folder(folder) => folder.durable.clone(),
                    crate::model::Node::File(_) => BTreeMap::new(),
                };
                set_name(names.entry(*folder).or_insert_with(durable), name, *node);
            }
        }
        names
    }
}

/// Returns the durable bytes of a file, with some of the later writes.
fn surviving_bytes(file: &FileNode, random: &mut StdRng) -> Vec<u8> {
    let mut content = file.durable.clone();
    match random.random_range(0..5) {
        0 => {}
        1 => file.pending.iter().for_each(|change| change.apply(&mut content)),
        2 => {
            let count = random.random_range(0..=file.pending.len());
            file.pending[..count].iter().for_each(|change| change.apply(&mut content));
        }
        mode => {
            for change in &file.pending {
                match change {
                    FileChange::Write { offset, bytes } => {
                        write_some_blocks(&mut content, *offset, bytes, random);
                        // The length is durable before the bytes are.
                        if mode == 4 && content.len() < offset + bytes.len() {
                            content.resize(offset + bytes.len(), 0);
                        }
                    }
                    FileChange::Truncate { .. } if random.random_bool(0.5) => change.apply(&mut content),
                    FileChange::Truncate { .. } => {}
                }
            }
        }
    }
    content
}

fn write_some_blocks(content: &mut Vec<u8>, offset: usize, bytes: &[u8], random: &mut StdRng) {
    let mut start = 0;
    while start < bytes.len() {
        let end = bytes.len().min(start + BLOCK_BYTES - (offset + start) % BLOCK_BYTES);
        if random.random_bool(0.5) {
            FileChange::Write { offset: offset + start, bytes: bytes[start..end].to_vec() }.apply(content);
        }
        start = end;
    }
}
