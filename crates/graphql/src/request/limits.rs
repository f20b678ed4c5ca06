//! How large a document may be, counted before it is validated.
//!
//! Aliases and depth are counted as a request runs them: a fragment counts wherever it is spread. Each fragment is
//! measured once, however often it is spread, so measuring takes time in proportion to the document.

use std::collections::{HashMap, HashSet};

use apollo_compiler::ast::{Definition, Document, FragmentDefinition, Selection};

use crate::error::{Code, Error};

/// How many fields an operation may select, fragments spread out.
const MAX_FIELDS: usize = 50_000;

/// How many selections may lie within each other, fragments spread out; a document beyond it could exhaust the stack.
const MAX_LEVELS: usize = 200;

/// How many fields that lie too deep are reported one by one.
const REPORTED_FIELDS: usize = 10;

/// What a request may ask for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct QueryLimits {
    pub(crate) max_aliases: usize,
    pub(crate) max_depth: usize,
}

/// The measures of a selection.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    aliases: usize,
    depth: usize,
    fields: usize,
    /// The selections within each other, whatever their sort.
    levels: usize,
}

impl Size {
    fn beside(self, other: Self) -> Self {
        Self {
            aliases: self.aliases.saturating_add(other.aliases),
            depth: self.depth.max(other.depth),
            fields: self.fields.saturating_add(other.fields),
            levels: self.levels.max(other.levels),
        }
    }

    /// Returns the size of something around a selection of this size.
    fn around(self) -> Self {
        Self { levels: self.levels.saturating_add(1), ..self }
    }
}

/// Checks a document.
///
/// # Errors
///
/// Every limit that it is beyond.
pub(crate) fn check(document: &Document, limits: QueryLimits) -> Result<(), Vec<Error>> {
    let mut measuring = Measuring::default();
    let mut operations: Vec<&[Selection]> = Vec::new();
    for definition in &document.definitions {
        match definition {
            Definition::OperationDefinition(operation) => operations.push(&operation.selection_set),
            Definition::FragmentDefinition(fragment) => {
                measuring.fragments.insert(fragment.name.as_str(), &**fragment);
            }
            _ => {}
        }
    }
    let size = operations.iter().fold(Size::default(), |size, selections| size.beside(measuring.size(selections, 1)));
    let failed = |message: String| Error::new(Code::GraphqlValidationFailed, message);
    if size.levels > MAX_LEVELS {
        return Err(vec![failed(format!("Query has more than {MAX_LEVELS} selections within each other."))]);
    }
    if size.fields > MAX_FIELDS {
        return Err(vec![failed(format!("Query selects more than {MAX_FIELDS} fields, its fragments spread out."))]);
    }
    let mut errors = Vec::new();
    if size.aliases > limits.max_aliases {
        errors.push(failed(format!(
            "Query alias limit exceeded: found {} aliases, maximum allowed is {}.",
            size.aliases, limits.max_aliases
        )));
    }
    if size.depth > limits.max_depth && !measuring.has_cycle {
        let mut deep = Deep { document, fragments: &measuring.fragments, limits, seen: HashSet::new(), errors };
        for selections in operations {
            deep.visit(selections, 1);
        }
        errors = deep.errors;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

#[derive(Default)]
struct Measuring<'d> {
    fragments: HashMap<&'d str, &'d FragmentDefinition>,
    sizes: HashMap<&'d str, Size>,
    /// The fragments that are being measured.
    open: HashSet<&'d str>,
    /// Whether a fragment contains itself; validation refuses such a document.
    has_cycle: bool,
}

impl<'d> Measuring<'d> {
    fn size(&mut self, selections: &'d [Selection], level: usize) -> Size {
        if level > MAX_LEVELS {
            return Size { levels: usize::MAX, ..Size::default() };
        }
        selections.iter().fold(Size::default(), |size, selection| {
            let inner = match selection {
                Selection::Field(field) => {
                    let inner = self.size(&field.selection_set, level + 1);
                    let is_exempt = field.name.starts_with("__");
                    Size {
                        aliases: inner.aliases.saturating_add(usize::from(field.alias.is_some())),
                        depth: if is_exempt { 0 } else { inner.depth.saturating_add(1) },
                        fields: inner.fields.saturating_add(1),
                        levels: inner.levels,
                    }
                }
                Selection::InlineFragment(fragment) => self.size(&fragment.selection_set, level + 1),
                Selection::FragmentSpread(spread) => self.fragment(spread.fragment_name.as_str(), level + 1),
            };
            size.beside(inner.around())
        })
    }

    fn fragment(&mut self, name: &'d str, level: usize) -> Size {
        if let Some(size) = self.sizes.get(name) {
            return *size;
        }
        let Some(fragment) = self.fragments.get(name).copied() else { return Size::default() };
        if !self.open.insert(name) {
            self.has_cycle = true;
            return Size::default();
        }
        let size = self.size(&fragment.selection_set, level);
        self.open.remove(name);
        self.sizes.insert(name, size);
        size
    }
}

/// The search for the fields that lie too deep.
struct Deep<'d> {
    document: &'d Document,
    fragments: &'d HashMap<&'d str, &'d FragmentDefinition>,
    limits: QueryLimits,
    seen: HashSet<(&'d str, usize)>,
    errors: Vec<Error>,
}

impl<'d> Deep<'d> {
    fn visit(&mut self, selections: &'d [Selection], depth: usize) {
        for selection in selections {
            match selection {
                Selection::Field(field) if field.name.starts_with("__") => {}
                Selection::Field(field) if depth > self.limits.max_depth => {
                    if self.errors.len() < REPORTED_FIELDS {
                        let message = format!(
                            "Query depth limit exceeded: current depth {depth} exceeds maximum of {}.",
                            self.limits.max_depth
                        );
                        let error = Error::new(Code::GraphqlValidationFailed, message);
                        self.errors.push(error.at(field.location(), &self.document.sources));
                    }
                }
                Selection::Field(field) => self.visit(&field.selection_set, depth + 1),
                Selection::InlineFragment(fragment) => self.visit(&fragment.selection_set, depth),
                Selection::FragmentSpread(spread) => {
                    let name = spread.fragment_name.as_str();
                    if let Some(fragment) = self.fragments.get(name).copied()
                        && self.seen.insert((name, depth))
                    {
                        self.visit(&fragment.selection_set, depth);
                    }
                }
            }
        }
    }
}
