//! The paths of documents, as a tree: each path has a parent and a key in it.

use cantata_mapping::join_path;
use hashbrown::HashMap;

/// The path of the document itself.
pub(crate) const ROOT: u32 = 0;

/// The paths of documents. Each comes after its parent.
#[derive(Debug)]
pub(crate) struct PathTree {
    nodes: Vec<PathNode>,
    /// The child paths of each path, by key.
    children: Vec<HashMap<String, u32>>,
    /// The path that followed each path the last time: documents are alike, so it mostly follows again.
    successors: Vec<u32>,
}

#[derive(Debug)]
struct PathNode {
    parent: u32,
    key: String,
    dotted: String,
}

impl Default for PathTree {
    fn default() -> Self {
        let root = PathNode { parent: ROOT, key: String::new(), dotted: String::new() };
        Self { nodes: vec![root], children: vec![HashMap::new()], successors: vec![ROOT] }
    }
}

impl PathTree {
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn parent(&self, path: u32) -> u32 {
        self.nodes[path as usize].parent
    }

    pub(crate) fn key(&self, path: u32) -> &str {
        &self.nodes[path as usize].key
    }

    /// Returns the dotted path, as in the mapping.
    pub(crate) fn dotted(&self, path: u32) -> &str {
        &self.nodes[path as usize].dotted
    }

    /// Returns the path of a key, which is added if it is new.
    pub(crate) fn child(&mut self, parent: u32, key: &str) -> u32 {
        if let Some(&path) = self.children[parent as usize].get(key) {
            return path;
        }
        let path = self.nodes.len() as u32;
        let dotted = join_path(self.dotted(parent), key);
        self.nodes.push(PathNode { parent, key: key.to_owned(), dotted });
        self.children.push(HashMap::new());
        self.successors.push(ROOT);
        self.children[parent as usize].insert(key.to_owned(), path);
        path
    }

    /// Returns the path of a key that follows another member of the same object, or is its first.
    pub(crate) fn next(&mut self, parent: u32, previous: Option<u32>, key: &str) -> u32 {
        // The first member follows the object itself.
        let before = previous.unwrap_or(parent) as usize;
        let guess = self.successors[before];
        if guess != ROOT && self.nodes[guess as usize].parent == parent && self.nodes[guess as usize].key == key {
            return guess;
        }
        let path = self.child(parent, key);
        self.successors[before] = path;
        path
    }
}
