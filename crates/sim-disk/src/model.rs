//! What a disk holds: the state that programs see, and what of it is durable.

use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

use crate::image::Image;

/// A file or folder, whatever its names are.
pub(crate) type NodeId = usize;

/// The mounted folder itself.
pub(crate) const ROOT: NodeId = 0;

/// How the file system tells files apart: device and inode.
pub(crate) type Inode = (u64, u64);

/// A write or truncation that is not durable.
#[derive(Debug, Clone)]
pub(crate) enum FileChange {
    Write { offset: usize, bytes: Vec<u8> },
    Truncate { length: usize },
}

impl FileChange {
    pub(crate) fn apply(&self, content: &mut Vec<u8>) {
        match self {
            Self::Write { offset, bytes } => {
                let end = offset + bytes.len();
                if content.len() < end {
                    content.resize(end, 0);
                }
                content[*offset..end].copy_from_slice(bytes);
            }
            Self::Truncate { length } => content.resize(*length, 0),
        }
    }
}

/// A file: what programs read, what is durable, and the changes between the two.
#[derive(Debug, Default)]
pub(crate) struct FileNode {
    pub(crate) live: Vec<u8>,
    pub(crate) durable: Vec<u8>,
    pub(crate) pending: Vec<FileChange>,
}

/// A folder: the names that programs see, and the durable ones.
#[derive(Debug, Default)]
pub(crate) struct FolderNode {
    pub(crate) live: BTreeMap<OsString, NodeId>,
    pub(crate) durable: BTreeMap<OsString, NodeId>,
}

#[derive(Debug)]
pub(crate) enum Node {
    File(FileNode),
    Folder(FolderNode),
}

/// A change of names that is not durable: atomic, also where it concerns two folders.
#[derive(Debug, Clone)]
pub(crate) struct NameChange {
    /// The folder, the name, and what it names from here on.
    pub(crate) entries: Vec<(NodeId, OsString, Option<NodeId>)>,
}

/// Everything below a mounted folder.
#[derive(Debug)]
pub(crate) struct Model {
    pub(crate) nodes: Vec<Node>,
    inodes: HashMap<Inode, NodeId>,
    pub(crate) pending_names: Vec<NameChange>,
}

impl Model {
    /// Reads a folder, all of which is durable.
    pub(crate) fn load(folder: &Path) -> Self {
        let mut model = Self { nodes: Vec::new(), inodes: HashMap::new(), pending_names: Vec::new() };
        model.load_folder(folder);
        model
    }

    fn load_folder(&mut self, folder: &Path) -> NodeId {
        let metadata = std::fs::metadata(folder).expect("a folder has metadata");
        let id = self.add_node((metadata.dev(), metadata.ino()), Node::Folder(FolderNode::default()));
        for entry in std::fs::read_dir(folder).expect("a folder can be read") {
            let entry = entry.expect("an entry can be read");
            let path = entry.path();
            let metadata = entry.metadata().expect("an entry has metadata");
            let child = if metadata.is_dir() {
                self.load_folder(&path)
            } else {
                let content = std::fs::read(&path).expect("a file can be read");
                let file = FileNode { live: content.clone(), durable: content, pending: Vec::new() };
                self.add_node((metadata.dev(), metadata.ino()), Node::File(file))
            };
            let node = self.folder(id);
            node.live.insert(entry.file_name(), child);
            node.durable.insert(entry.file_name(), child);
        }
        id
    }

    /// Adds a node. An inode that a removed file had belongs to the new one.
    pub(crate) fn add_node(&mut self, inode: Inode, node: Node) -> NodeId {
        self.nodes.push(node);
        self.inodes.insert(inode, self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    pub(crate) fn node_of(&self, inode: Inode) -> Option<NodeId> {
        self.inodes.get(&inode).copied()
    }

    pub(crate) fn folder(&mut self, id: NodeId) -> &mut FolderNode {
        match &mut self.nodes[id] {
            Node::Folder(folder) => folder,
            Node::File(_) => panic!("node {id} is a file; expected a folder"),
        }
    }

    pub(crate) fn file(&mut self, id: NodeId) -> Option<&mut FileNode> {
        match &mut self.nodes[id] {
            Node::File(file) => Some(file),
            Node::Folder(_) => None,
        }
    }

    /// Returns the name of a file, without its folders; nothing for a folder, and for a file whose names are gone.
    pub(crate) fn file_name(&self, id: NodeId) -> Option<&OsStr> {
        if matches!(self.nodes[id], Node::Folder(_)) {
            return None;
        }
        self.nodes.iter().find_map(|node| match node {
            Node::Folder(folder) => {
                folder.live.iter().find(|(_, child)| **child == id).map(|(name, _)| name.as_os_str())
            }
            Node::File(_) => None,
        })
    }

    /// Returns the node at a path relative to the mounted folder.
    pub(crate) fn find(&self, path: &Path) -> Option<NodeId> {
        path.components().try_fold(ROOT, |id, component| match (component, &self.nodes[id]) {
            (Component::CurDir, _) => Some(id),
            (Component::Normal(name), Node::Folder(folder)) => folder.live.get(name).copied(),
            _ => None,
        })
    }

    /// Returns the folder of a path, and its last component.
    pub(crate) fn find_parent<'a>(&self, path: &'a Path) -> Option<(NodeId, &'a OsStr)> {
        Some((self.find(path.parent()?)?, path.file_name()?))
    }

    /// Changes names, for programs at once.
    pub(crate) fn change_names(&mut self, entries: Vec<(NodeId, OsString, Option<NodeId>)>) {
        let mut replaced = Vec::new();
        for (folder, name, node) in &entries {
            let live = &mut self.folder(*folder).live;
            replaced.extend(live.get(name).copied());
            set_name(live, name, *node);
        }
        // The file system gives the inode of a removed file to another one, which may be on another disk.
        for node in replaced {
            if !self.has_name(node) {
                self.inodes.retain(|_, other| *other != node);
            }
        }
        self.pending_names.push(NameChange { entries });
    }

    fn has_name(&self, id: NodeId) -> bool {
        self.nodes.iter().any(|node| match node {
            Node::Folder(folder) => folder.live.values().any(|child| *child == id),
            Node::File(_) => false,
        })
    }

    /// Changes a file, for programs at once.
    pub(crate) fn change_file(&mut self, id: NodeId, change: FileChange) {
        if let Some(file) = self.file(id) {
            change.apply(&mut file.live);
            file.pending.push(change);
        }
    }

    /// Makes a file or a folder durable.
    pub(crate) fn sync(&mut self, id: NodeId) {
        match &mut self.nodes[id] {
            Node::File(file) => {
                for change in file.pending.drain(..) {
                    change.apply(&mut file.durable);
                }
            }
            Node::Folder(_) => {
                let pending = std::mem::take(&mut self.pending_names);
                let (synced, pending): (Vec<_>, Vec<_>) =
                    pending.into_iter().partition(|change| change.entries.iter().any(|(folder, ..)| *folder == id));
                self.pending_names = pending;
                for (folder, name, node) in synced.into_iter().flat_map(|change| change.entries) {
                    set_name(&mut self.folder(folder).durable, &name, node);
                }
            }
        }
    }

    /// A sync failed: what was written since the last one is never made durable, though programs still read it.
    pub(crate) fn lose_writes(&mut self, id: NodeId) {
        if let Some(file) = self.file(id) {
            file.pending.clear();
        }
    }

    /// Returns the state that programs see.
    pub(crate) fn live_image(&self) -> Image {
        self.image_of(ROOT, &|folder: &FolderNode, _| folder.live.clone(), &mut |file: &FileNode| file.live.clone())
    }

    /// Returns an image, given the names of a folder and the bytes of a file.
    pub(crate) fn image_of(
        &self,
        id: NodeId,
        names: &dyn Fn(&FolderNode, NodeId) -> BTreeMap<OsString, NodeId>,
        bytes: &mut dyn FnMut(&FileNode) -> Vec<u8>,
    ) -> Image {
        match &self.nodes[id] {
            Node::File(file) => Image::File(bytes(file)),
            Node::Folder(folder) => Image::Folder(
                names(folder, id).into_iter().map(|(name, child)| (name, self.image_of(child, names, bytes))).collect(),
            ),
        }
    }
}

/// Sets or removes a name.
pub(crate) fn set_name(names: &mut BTreeMap<OsString, NodeId>, name: &OsStr, node: Option<NodeId>) {
    match node {
        Some(node) => names.insert(name.to_owned(), node),
        None => names.remove(name),
    };
}
