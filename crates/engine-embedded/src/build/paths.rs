//! The paths that documents have, as a tree: each path lies in another and has a key there.

use hashbrown::HashMap;

/// The path of the document itself.
pub(crate) const ROOT: u32 = 0;

/// The paths of documents. A path comes after the one it lies in.
#[derive(Debug)]
pub(crate) struct Paths {
    entries: Vec<Entry>,
    /// The paths in each path.
    children: Vec<HashMap<String, u32>>,
    /// The path that followed each path the last time: documents are alike, so it mostly follows again.
    followers: Vec<u32>,
}

#[derive(Debug)]
struct Entry {
    parent: u32,
    key: String,
    dotted: String,
}

impl Default for Paths {
    fn default() -> Self {
        let root = Entry { parent: ROOT, key: String::new(), dotted: String::new() };
        Self { entries: vec![root], children: vec![HashMap::new()], followers: vec![ROOT] }
    }
}

impl Paths {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn parent(&self, path: u32) -> u32 {
        self.entries[path as usize].parent
    }

    pub(crate) fn key(&self, path: u32) -> &str {
        &self.entries[path as usize].key
    }

    /// Returns the path as the mapping writes it.
    pub(crate) fn dotted(&self, path: u32) -> &str {
        &self.entries[path as usize].dotted
    }

    /// Returns the path of a key, which may be new.
    pub(crate) fn child(&mut self, parent: u32, key: &str) -> u32 {
        if let Some(&path) = self.children[parent as usize].get(key) {
            return path;
        }
        let path = self.entries.len() as u32;
        let outer = self.dotted(parent);
        let dotted = if outer.is_empty() { key.to_owned() } else { format!("{outer}.{key}") };
        self.entries.push(Entry { parent, key: key.to_owned(), dotted });
        self.children.push(HashMap::new());
        self.followers.push(ROOT);
        self.children[parent as usize].insert(key.to_owned(), path);
        path
    }

    /// Returns the path of a key that follows another member of the same object, or is its first.
    pub(crate) fn next(&mut self, parent: u32, previous: Option<u32>, key: &str) -> u32 {
        // The first member follows the object itself.
        let before = previous.unwrap_or(parent) as usize;
        let guess = self.followers[before];
        if guess != ROOT && self.entries[guess as usize].parent == parent && self.entries[guess as usize].key == key {
            return guess;
        }
        let path = self.child(parent, key);
        self.followers[before] = path;
        path
    }
}
