//! Documents on their way into a segment: taken in one by one, each refused or kept whole.

use std::sync::{Arc, Mutex, PoisonError};

use cantata_mapping::{Field, FieldKind, IndexMapping};
use hashbrown::{HashMap, HashSet};
use serde::de::DeserializeSeed;
use serde_json::Value;

use super::interner::Interner;
use super::layout::{Role, readers, roles};
use super::parse::ValueSeed;
use super::paths::{Paths, ROOT};
use super::source::Source;
use crate::scalar::Scalar;
use crate::tape::{Cursor, Draft as Tape, Item};

/// The mapping of an index while documents come in, which may bring new fields from several threads at once.
pub(crate) struct SharedMapping(Mutex<Arc<IndexMapping>>);

impl SharedMapping {
    pub(crate) fn new(mapping: Arc<IndexMapping>) -> Self {
        Self(Mutex::new(mapping))
    }

    pub(crate) fn current(&self) -> Arc<IndexMapping> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the mapping with the fields of a document added; they become part of the mapping only when the document
    /// is taken, see [`SharedMapping::adopt`].
    ///
    /// # Errors
    ///
    /// If the mapping forbids some of them.
    fn extended_by(&self, document: &Value) -> Result<Arc<IndexMapping>, String> {
        let current = self.current();
        let forbidden = current.forbidden_fields(document);
        if !forbidden.is_empty() {
            return Err(format!(
                "found {}, which the mapping does not have and, with `\"dynamic\": \"strict\"`, does not allow; \
                 add the fields to the mapping or leave them out",
                forbidden.iter().map(|path| format!("`{path}`")).collect::<Vec<_>>().join(", ")
            ));
        }
        Ok(current.extended_by(document).map_or(current, |(extended, _)| Arc::new(extended)))
    }

    /// Adds the fields of a document that was taken.
    fn adopt(&self, document: &Value) -> Arc<IndexMapping> {
        let mut current = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((extended, _)) = current.extended_by(document) {
            *current = Arc::new(extended);
        }
        Arc::clone(&current)
    }
}

/// Documents on their way into a segment.
pub(crate) struct Draft {
    shared: Arc<SharedMapping>,
    mapping: Arc<IndexMapping>,
    pub(super) paths: Paths,
    /// For each path what stands there, and its scalars.
    pub(super) roles: Vec<Role>,
    pub(super) interners: Vec<Interner>,
    /// What the mapping does not know of and did not take in.
    pub(super) unknown: Vec<Unknown>,
    /// Whether the mapping was asked what the present document brings.
    pub(super) is_asked: bool,
    pub(super) tape: Tape,
    pub(super) shapes: Vec<Vec<u32>>,
    pub(super) shape_numbers: HashMap<Vec<u32>, u32>,
    /// The members of the objects that are being read, the inner ones last.
    pub(super) open_members: Vec<u32>,
    /// For each path the object that it was last seen in, so that a key cannot stand there twice.
    pub(super) last_seen: Vec<u64>,
    /// How many objects were read.
    pub(super) objects: u64,
    pub(super) problem: Option<Problem>,
    pub(super) own_id: OwnId,
    /// The documents: id and start on the tape.
    documents: Vec<(String, usize)>,
    /// The places of documents that were taken away again.
    removed: HashSet<usize>,
}

/// What became of a path that the mapping does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unknown {
    /// Nothing yet: the mapping has to be asked.
    Open,
    /// It was null, which says nothing of the field.
    OnlyNull,
    /// It is kept, but not searched.
    Ignored,
}

/// What becomes of the member `_id` of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum OwnId {
    /// It is kept like any other.
    Kept,
    /// It is the id of the document and no part of it.
    Wanted,
    /// It was found.
    Found(String),
}

/// Why the reading of a document stopped.
pub(super) enum Problem {
    /// The document has a path that the mapping does not know; the mapping has to be asked.
    UnknownPath,
    /// The document cannot be taken.
    Refused(String),
}

impl Draft {
    pub(crate) fn new(shared: Arc<SharedMapping>) -> Self {
        Self {
            mapping: shared.current(),
            shared,
            paths: Paths::default(),
            roles: vec![Role::Container],
            interners: vec![Interner::default()],
            unknown: vec![Unknown::Open],
            is_asked: false,
            tape: Tape::default(),
            shapes: Vec::new(),
            shape_numbers: HashMap::new(),
            open_members: Vec::new(),
            last_seen: vec![0],
            objects: 0,
            problem: None,
            own_id: OwnId::Kept,
            documents: Vec::new(),
            removed: HashSet::new(),
        }
    }

    /// Returns how many documents were taken.
    pub(crate) fn len(&self) -> usize {
        self.documents.len()
    }

    /// Takes a document; of several with one id the last one holds.
    ///
    /// # Errors
    ///
    /// If it cannot be taken: why.
    pub(crate) fn add(&mut self, id: &str, json: &[u8]) -> Result<(), String> {
        self.own_id = OwnId::Kept;
        let start = self.add_to_tape(json)?;
        self.documents.push((id.to_owned(), start));
        Ok(())
    }

    /// Takes a document that says its id itself: by `_id`, which is no part of the document then, or by a field; else
    /// it gets one.
    ///
    /// # Errors
    ///
    /// If it cannot be taken: why.
    pub(crate) fn add_with_own_id(
        &mut self,
        json: &[u8],
        field: Option<&str>,
        make: impl FnOnce() -> String,
    ) -> Result<(), String> {
        self.own_id = OwnId::Wanted;
        let start = self.add_to_tape(json)?;
        let id = match (std::mem::replace(&mut self.own_id, OwnId::Kept), field) {
            (OwnId::Found(id), _) => id,
            (_, None) => make(),
            (_, Some(field)) => match self.scalar_at(start, field) {
                Some(id) => id,
                None => {
                    self.tape.truncate(start);
                    return Err(format!("found no single value in `{field}`, which is to be the id of the document"));
                }
            },
        };
        self.documents.push((id, start));
        Ok(())
    }

    /// Returns the scalar that a document has at a path, as a text.
    fn scalar_at(&self, start: usize, dotted: &str) -> Option<String> {
        let mut found = Vec::new();
        self.collect(ROOT, &mut self.tape.cursor(start), dotted, &mut found);
        match found[..] {
            [(path, number)] => match self.interners[path as usize].get(number) {
                Scalar::Null => None,
                Scalar::String(text) => Some(text.to_owned()),
                other => Some(other.to_json().to_string()),
            },
            _ => None,
        }
    }

    fn collect(&self, path: u32, cursor: &mut impl Cursor, dotted: &str, found: &mut Vec<(u32, u32)>) {
        match cursor.next() {
            Item::Scalar(number) if self.paths.dotted(path) == dotted => found.push((path, number)),
            Item::Scalar(_) => {}
            Item::Array(length) => (0..length).for_each(|_| self.collect(path, cursor, dotted, found)),
            Item::Object(shape) => {
                let members = &self.shapes[shape as usize];
                members.iter().for_each(|&member| self.collect(member, cursor, dotted, found));
            }
        }
    }

    /// Writes a document onto the tape and returns where it starts.
    fn add_to_tape(&mut self, json: &[u8]) -> Result<usize, String> {
        if json.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
            return Err("found no JSON object; a document is one".to_owned());
        }
        let start = self.tape.len();
        let mut brings_fields = None;
        self.is_asked = false;
        let refusal = loop {
            let read = self.read(json);
            self.open_members.clear();
            match (read, self.problem.take()) {
                (Ok(()), _) => break None,
                (Err(_), Some(Problem::UnknownPath)) => {
                    self.tape.truncate(start);
                    let document: Value = serde_json::from_slice(json).map_err(|error| error.to_string())?;
                    match self.shared.extended_by(&document) {
                        Ok(mapping) => self.set_mapping(mapping),
                        Err(reason) => break Some(reason),
                    }
                    self.is_asked = true;
                    brings_fields = Some(document);
                }
                (Err(_), Some(Problem::Refused(reason))) => break Some(reason),
                (Err(error), None) => break Some(format!("found no JSON document: {error}")),
            }
        };
        if let Some(reason) = refusal {
            self.tape.truncate(start);
            if brings_fields.is_some() {
                self.set_mapping(self.shared.current());
            }
            return Err(reason);
        }
        if let Some(document) = brings_fields {
            let mapping = self.shared.adopt(&document);
            self.set_mapping(mapping);
        }
        Ok(start)
    }

    fn set_mapping(&mut self, mapping: Arc<IndexMapping>) {
        self.roles = roles(&mapping, &self.paths);
        self.mapping = mapping;
    }

    fn read(&mut self, json: &[u8]) -> serde_json::Result<()> {
        // To look at all of it once is cheaper than to look at each string.
        match std::str::from_utf8(json) {
            Ok(text) => self.read_from(serde_json::Deserializer::from_str(text)),
            Err(_) => self.read_from(serde_json::Deserializer::from_slice(json)),
        }
    }

    fn read_from<'de>(
        &mut self,
        mut deserializer: serde_json::Deserializer<impl serde_json::de::Read<'de>>,
    ) -> serde_json::Result<()> {
        ValueSeed { draft: self, path: ROOT }.deserialize(&mut deserializer)?;
        deserializer.end()
    }

    /// Returns the path of a member of an object.
    pub(super) fn member(&mut self, parent: u32, previous: Option<u32>, key: &str) -> u32 {
        let path = self.paths.next(parent, previous, key);
        if path as usize == self.roles.len() {
            let role = Role::of(&self.mapping, &self.roles[parent as usize], self.paths.dotted(path));
            self.roles.push(role);
            self.interners.push(Interner::default());
            self.unknown.push(Unknown::Open);
            self.last_seen.push(0);
        }
        path
    }

    /// Checks that the fields that read a path can take a scalar.
    pub(super) fn check(&self, path: u32, scalar: Scalar<'_>) -> Result<(), String> {
        let Some(field) = self.mapping.entry(self.paths.dotted(path)) else { return Ok(()) };
        // Strings are never refused where strings are expected; everything else is read once to know.
        let is_plain = |reader: &Field| {
            let takes_all = reader.kind.is_string() && !matches!(reader.kind, FieldKind::ConstantKeyword { .. });
            takes_all && matches!(scalar, Scalar::String(_))
        };
        for reader in readers(&self.mapping, field) {
            if !is_plain(reader) {
                reader.read(&scalar.to_json()).map_err(|error| error.to_string())?;
            }
        }
        Ok(())
    }

    /// Takes away a document by its place among those that were taken.
    pub(crate) fn remove(&mut self, place: usize) {
        self.removed.insert(place);
    }

    /// Explains why a path cannot have what was found.
    pub(super) fn mismatch(&self, path: u32, found: &Value) -> String {
        let dotted = self.paths.dotted(path);
        let error = self.mapping.entry(dotted).map(|field| field.read(found));
        match error {
            Some(Err(error)) => error.to_string(),
            _ => format!("`{dotted}`: found something that the mapping does not allow there"),
        }
    }

    /// Returns the documents in the order of their ids, ready for [`super::assemble()`].
    pub(crate) fn sorted(self) -> SortedDraft {
        let mut order: Vec<usize> = (0..self.documents.len()).collect();
        // Stable, so that of several documents with one id the last one comes last.
        order.sort_by(|&one, &two| self.documents[one].0.cmp(&self.documents[two].0));
        SortedDraft { draft: self, order }
    }
}

/// A draft in the order of the ids.
pub(crate) struct SortedDraft {
    draft: Draft,
    order: Vec<usize>,
}

impl Source for SortedDraft {
    fn documents(&self) -> usize {
        self.order.len()
    }

    fn is_live(&self, document: usize) -> bool {
        let is_last = document + 1 == self.order.len() || self.id(document) != self.id(document + 1);
        is_last && !self.draft.removed.contains(&self.order[document])
    }

    fn id(&self, document: usize) -> &str {
        &self.draft.documents[self.order[document]].0
    }

    fn cursor(&self, document: usize) -> impl Cursor + '_ {
        self.draft.tape.cursor(self.draft.documents[self.order[document]].1)
    }

    fn unite_paths(&self, paths: &mut Paths) -> Vec<u32> {
        let own = &self.draft.paths;
        let mut numbers = vec![ROOT];
        for path in 1..own.len() as u32 {
            numbers.push(paths.child(numbers[own.parent(path) as usize], own.key(path)));
        }
        numbers
    }

    fn tape_bytes(&self) -> usize {
        // Texts come onto the tape too, and numbers become shorter.
        self.draft.tape.len() * size_of::<u64>()
    }

    fn shapes(&self) -> &[Vec<u32>] {
        &self.draft.shapes
    }

    fn scalar_count(&self, path: usize) -> usize {
        self.draft.interners[path].len()
    }

    fn scalar(&self, path: usize, number: u32) -> Scalar<'_> {
        self.draft.interners[path].get(number)
    }
}
