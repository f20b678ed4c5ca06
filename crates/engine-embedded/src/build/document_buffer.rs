//! The document buffer: new documents on a builder tape, each accepted whole or rejected.

use std::sync::Arc;

use cantata_mapping::{Field, FieldKind, IndexMapping};
use hashbrown::HashSet;
use serde::de::DeserializeSeed;
use serde_json::Value;

use super::document_error::DocumentError;
use super::dynamic_mapping::DynamicMapping;
use super::interner::ScalarInterner;
use super::layout::{PathRole, path_roles, reading_fields};
use super::object_shapes::ObjectShapes;
use super::parse::ValueSeed;
use super::path_tree::{PathTree, ROOT};
use super::shared_tail::{Placeholder, SharedTail};
use super::source::DocumentSource;
use crate::scalar::Scalar;
use crate::tape::{TapeBuilder, TapeCursor, TapeItem};

/// Documents that are to become a segment.
pub(crate) struct DocumentBuffer {
    dynamic_mapping: Arc<DynamicMapping>,
    mapping: Arc<IndexMapping>,
    pub(super) paths: PathTree,
    /// For each path its role and its scalars.
    pub(super) roles: Vec<PathRole>,
    pub(super) interners: Vec<ScalarInterner>,
    /// For each path, what is known of it if it is not mapped.
    pub(super) unmapped: Vec<UnmappedPath>,
    /// Whether the mapping was extended by the present document.
    pub(super) is_mapping_extended: bool,
    pub(super) tape: TapeBuilder,
    pub(super) shapes: ObjectShapes,
    /// The members of the objects that are being read, the innermost last.
    pub(super) open_members: Vec<u32>,
    /// For each path the object that it was last seen in, to reject duplicate keys.
    pub(super) last_seen: Vec<u64>,
    /// The number of objects that were read.
    pub(super) objects: u64,
    pub(super) stopped: Option<ParseStop>,
    pub(super) own_id: OwnId,
    /// The last member of the present document and where its value starts on the tape.
    pub(super) last_member: Option<(u32, usize)>,
    /// The end of a document before, and its place in the present one, where that is parsed without it.
    pub(super) shared_tail: SharedTail,
    pub(super) placeholder: Option<Placeholder>,
    /// The documents: id and start on the tape.
    documents: Vec<(String, usize)>,
    /// The indexes of documents that were deleted again.
    deleted: HashSet<usize>,
}

/// What is known of a path that is not mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum UnmappedPath {
    /// Nothing yet: the mapping may be extended by it.
    New,
    /// It was null, which does not extend the mapping.
    OnlyNull,
    /// It is stored, but not indexed.
    Ignored,
}

/// How the member `_id` of a document is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OwnId {
    /// As a member like any other.
    Ordinary,
    /// As the id of the document and no part of it.
    Expected,
    /// It was found.
    Found(String),
}

/// Why the parser stopped.
pub(super) enum ParseStop {
    /// The document has a path that is not mapped; the mapping has to be extended.
    UnmappedPath,
    Rejected(DocumentError),
}

impl DocumentBuffer {
    pub(crate) fn new(dynamic_mapping: Arc<DynamicMapping>) -> Self {
        Self {
            mapping: dynamic_mapping.current(),
            dynamic_mapping,
            paths: PathTree::default(),
            roles: vec![PathRole::Container],
            interners: vec![ScalarInterner::default()],
            unmapped: vec![UnmappedPath::New],
            is_mapping_extended: false,
            tape: TapeBuilder::default(),
            shapes: ObjectShapes::default(),
            open_members: Vec::new(),
            last_seen: vec![0],
            objects: 0,
            stopped: None,
            own_id: OwnId::Ordinary,
            last_member: None,
            shared_tail: SharedTail::default(),
            placeholder: None,
            documents: Vec::new(),
            deleted: HashSet::new(),
        }
    }

    /// Returns how many documents were accepted.
    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Adds a document; of several with one id the last one wins.
    pub(crate) fn add(&mut self, id: &str, json: &[u8]) -> Result<(), DocumentError> {
        self.own_id = OwnId::Ordinary;
        let start = self.add_to_tape(json)?;
        self.documents.push((id.to_owned(), start));
        Ok(())
    }

    /// Adds a document whose id is its member `_id`, which is then no part of the document, or a field; else one is made.
    pub(crate) fn add_with_own_id(
        &mut self,
        json: &[u8],
        field: Option<&str>,
        make_id: impl FnOnce() -> String,
    ) -> Result<(), DocumentError> {
        self.own_id = OwnId::Expected;
        let start = self.add_to_tape(json)?;
        let id = match (std::mem::replace(&mut self.own_id, OwnId::Ordinary), field) {
            (OwnId::Found(id), _) => id,
            (_, None) => make_id(),
            (_, Some(field)) => match self.scalar_at(start, field) {
                Some(id) => id,
                None => {
                    self.tape.truncate(start);
                    return Err(DocumentError::NoId(field.to_owned()));
                }
            },
        };
        self.documents.push((id, start));
        Ok(())
    }

    /// Returns the single scalar that a document has at a path, as a text.
    fn scalar_at(&self, start: usize, dotted: &str) -> Option<String> {
        let mut scalars = Vec::new();
        self.collect_scalars(ROOT, &mut self.tape.cursor(start), dotted, &mut scalars);
        match scalars[..] {
            [(path, number)] => match self.interners[path as usize].get(number) {
                Scalar::Null => None,
                Scalar::String(text) => Some(text.to_owned()),
                other => Some(other.to_json().to_string()),
            },
            _ => None,
        }
    }

    fn collect_scalars(&self, path: u32, cursor: &mut impl TapeCursor, dotted: &str, scalars: &mut Vec<(u32, u32)>) {
        match cursor.next() {
            TapeItem::Scalar(number) if self.paths.dotted(path) == dotted => scalars.push((path, number)),
            TapeItem::Scalar(_) => {}
            TapeItem::Array(length) => (0..length).for_each(|_| self.collect_scalars(path, cursor, dotted, scalars)),
            TapeItem::Object(shape) => {
                let members = &self.shapes.list[shape as usize];
                members.iter().for_each(|&member| self.collect_scalars(member, cursor, dotted, scalars));
            }
        }
    }

    /// Writes a document onto the tape and returns where it starts.
    fn add_to_tape(&mut self, json: &[u8]) -> Result<usize, DocumentError> {
        if json.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
            return Err(DocumentError::NotAnObject);
        }
        let start = self.tape.len();
        let mut extending = None;
        self.is_mapping_extended = false;
        // A document whose id is read from it may be taken back once it is written.
        let may_share = self.own_id == OwnId::Ordinary;
        if may_share && let Some(start) = self.add_with_shared_tail(json) {
            return Ok(start);
        }
        let accepted = loop {
            self.last_member = None;
            let parsed = self.parse(json);
            self.open_members.clear();
            match (parsed, self.stopped.take()) {
                (Ok(()), _) => break Ok(()),
                (Err(_), Some(ParseStop::UnmappedPath)) => {
                    self.tape.truncate(start);
                    let document: Value = serde_json::from_slice(json)?;
                    match self.dynamic_mapping.extended_by(&document) {
                        Ok(mapping) => self.set_mapping(mapping),
                        Err(error) => break Err(error),
                    }
                    self.is_mapping_extended = true;
                    extending = Some(document);
                }
                (Err(_), Some(ParseStop::Rejected(error))) => break Err(error),
                (Err(error), None) => break Err(error.into()),
            }
        };
        match (&accepted, extending) {
            (Ok(()), Some(document)) => {
                let mapping = self.dynamic_mapping.extend(&document);
                self.set_mapping(mapping);
            }
            (Ok(()), None) if may_share => self.note_tail(json),
            (Ok(()), None) => {}
            (Err(_), extending) => {
                self.tape.truncate(start);
                if extending.is_some() {
                    self.set_mapping(self.dynamic_mapping.current());
                }
            }
        }
        accepted.map(|()| start)
    }

    fn set_mapping(&mut self, mapping: Arc<IndexMapping>) {
        self.roles = path_roles(&mapping, &self.paths);
        self.mapping = mapping;
        self.shared_tail = SharedTail::default();
    }

    pub(super) fn parse(&mut self, json: &[u8]) -> serde_json::Result<()> {
        // Validating all of it as UTF-8 at once is cheaper than validating each string.
        match std::str::from_utf8(json) {
            Ok(text) => self.parse_from(serde_json::Deserializer::from_str(text)),
            Err(_) => self.parse_from(serde_json::Deserializer::from_slice(json)),
        }
    }

    fn parse_from<'de>(
        &mut self,
        mut deserializer: serde_json::Deserializer<impl serde_json::de::Read<'de>>,
    ) -> serde_json::Result<()> {
        ValueSeed { buffer: self, path: ROOT }.deserialize(&mut deserializer)?;
        deserializer.end()
    }

    /// Returns the path of a member of an object.
    pub(super) fn member_path(&mut self, parent: u32, previous: Option<u32>, key: &str) -> u32 {
        let path = self.paths.next(parent, previous, key);
        if path as usize == self.roles.len() {
            let role = PathRole::of(&self.mapping, &self.roles[parent as usize], self.paths.dotted(path));
            self.roles.push(role);
            self.interners.push(ScalarInterner::default());
            self.unmapped.push(UnmappedPath::New);
            self.last_seen.push(0);
        }
        path
    }

    /// Checks that the fields that read a path accept a scalar.
    pub(super) fn check(&self, path: u32, scalar: Scalar<'_>) -> Result<(), DocumentError> {
        let Some(field) = self.mapping.entry(self.paths.dotted(path)) else { return Ok(()) };
        // String fields accept every string; everything else is read to know.
        let accepts_all = |reader: &Field| {
            let is_string = reader.kind.is_string() && !matches!(reader.kind, FieldKind::ConstantKeyword { .. });
            is_string && matches!(scalar, Scalar::String(_))
        };
        for reader in reading_fields(&self.mapping, field) {
            if !accepts_all(reader) {
                reader.read(&scalar.to_json())?;
            }
        }
        Ok(())
    }

    /// Deletes a document by its index among the accepted ones.
    pub(crate) fn delete(&mut self, index: usize) {
        self.deleted.insert(index);
    }

    /// Returns why a path cannot have a value.
    pub(super) fn mismatch(&self, path: u32, value: &Value) -> DocumentError {
        let dotted = self.paths.dotted(path);
        match self.mapping.entry(dotted).map(|field| field.read(value)) {
            Some(Err(error)) => error.into(),
            _ => DocumentError::NotAllowed(dotted.to_owned()),
        }
    }

    /// Returns the documents in the order of their ids, ready for [`super::build_segment()`].
    pub(crate) fn sorted(self) -> SortedDocuments {
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        // Stable, so that of several documents with one id the last one comes last.
        order.sort_by(|&one, &two| self.documents[one].0.cmp(&self.documents[two].0));
        SortedDocuments { buffer: self, order }
    }
}

/// The documents of a buffer in the order of their ids.
pub(crate) struct SortedDocuments {
    buffer: DocumentBuffer,
    order: Vec<usize>,
}

impl DocumentSource for SortedDocuments {
    fn document_count(&self) -> usize {
        self.order.len()
    }

    fn is_live(&self, document: usize) -> bool {
        let is_last = document + 1 == self.order.len() || self.id(document) != self.id(document + 1);
        is_last && !self.buffer.deleted.contains(&self.order[document])
    }

    fn id(&self, document: usize) -> &str {
        &self.buffer.documents[self.order[document]].0
    }

    fn cursor(&self, document: usize) -> impl TapeCursor + '_ {
        self.buffer.tape.cursor(self.buffer.documents[self.order[document]].1)
    }

    fn merge_paths(&self, paths: &mut PathTree) -> Vec<u32> {
        let own = &self.buffer.paths;
        let mut numbers = vec![ROOT];
        for path in 1..own.len() as u32 {
            numbers.push(paths.child(numbers[own.parent(path) as usize], own.key(path)));
        }
        numbers
    }

    fn tape_bytes(&self) -> usize {
        // Texts are inlined on the new tape, and numbers become shorter.
        self.buffer.tape.len() * size_of::<u64>()
    }

    fn shapes(&self) -> &[Vec<u32>] {
        &self.buffer.shapes.list
    }

    fn scalar_count(&self, path: usize) -> usize {
        self.buffer.interners[path].len()
    }

    fn scalar(&self, path: usize, number: u32) -> Scalar<'_> {
        self.buffer.interners[path].get(number)
    }
}
