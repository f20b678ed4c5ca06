//! The size limits of a document, checked before it is validated.
//!
//! Aliases and depth are measured as executed: a fragment counts wherever it is spread. Each fragment is measured once,
//! however often it is spread, so measuring is linear in the document.

use std::collections::{HashMap, HashSet};

use apollo_compiler::ast::{Definition, Document, FragmentDefinition, Selection};

use crate::error::{GraphqlError, GraphqlErrorCode};

/// The number of selected fields, fragments spread out.
const MAX_FIELDS: usize = 50_000;

/// The nesting of selections, fragments spread out; more could exhaust the stack.
const MAX_LEVELS: usize = 200;

/// How many fields beyond the depth limit are reported.
const MAX_REPORTED_FIELDS: usize = 10;

/// The configured limits of a document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DocumentLimits {
    pub(crate) max_aliases: usize,
    pub(crate) max_depth: usize,
}

/// The size of a selection.
#[derive(Debug, Clone, Copy, Default)]
struct SelectionSize {
    aliases: usize,
    depth: usize,
    fields: usize,
    /// The nesting of selections, fragments included.
    levels: usize,
}

impl SelectionSize {
    fn add(self, other: Self) -> Self {
        Self {
            aliases: self.aliases.saturating_add(other.aliases),
            depth: self.depth.max(other.depth),
            fields: self.fields.saturating_add(other.fields),
            levels: self.levels.max(other.levels),
        }
    }

    /// Returns the size of a selection that wraps this one.
    fn wrap(self) -> Self {
        Self { levels: self.levels.saturating_add(1), ..self }
    }
}

/// Checks a document.
///
/// # Errors
///
/// Every limit that it exceeds.
pub(crate) fn check_limits(document: &Document, limits: DocumentLimits) -> Result<(), Vec<GraphqlError>> {
    let mut meter = SelectionMeter::default();
    let mut operations: Vec<&[Selection]> = Vec::new();
    for definition in &document.definitions {
        match definition {
            Definition::OperationDefinition(operation) => operations.push(&operation.selection_set),
            Definition::FragmentDefinition(fragment) => {
                meter.fragments.insert(fragment.name.as_str(), &**fragment);
            }
            _ => {}
        }
    }
    let size = operations.iter().fold(SelectionSize::default(), |size, selections| size.add(meter.size(selections, 1)));
    let failed = |message: String| GraphqlError::new(GraphqlErrorCode::GraphqlValidationFailed, message);
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
    if size.depth > limits.max_depth && !meter.has_cycle {
        let mut check = DepthCheck { document, fragments: &meter.fragments, limits, seen: HashSet::new(), errors };
        for selections in operations {
            check.visit(selections, 1);
        }
        errors = check.errors;
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

#[derive(Default)]
struct SelectionMeter<'d> {
    fragments: HashMap<&'d str, &'d FragmentDefinition>,
    sizes: HashMap<&'d str, SelectionSize>,
    /// The fragments that are being measured.
    open: HashSet<&'d str>,
    /// Whether a fragment contains itself; validation rejects such a document.
    has_cycle: bool,
}

impl<'d> SelectionMeter<'d> {
    fn size(&mut self, selections: &'d [Selection], level: usize) -> SelectionSize {
        if level > MAX_LEVELS {
            return SelectionSize { levels: usize::MAX, ..SelectionSize::default() };
        }
        selections.iter().fold(SelectionSize::default(), |size, selection| {
            let inner = match selection {
                Selection::Field(field) => {
                    let inner = self.size(&field.selection_set, level + 1);
                    let is_exempt = field.name.starts_with("__");
                    SelectionSize {
                        aliases: inner.aliases.saturating_add(usize::from(field.alias.is_some())),
                        depth: if is_exempt { 0 } else { inner.depth.saturating_add(1) },
                        fields: inner.fields.saturating_add(1),
                        levels: inner.levels,
                    }
                }
                Selection::InlineFragment(fragment) => self.size(&fragment.selection_set, level + 1),
                Selection::FragmentSpread(spread) => self.fragment(spread.fragment_name.as_str(), level + 1),
            };
            size.add(inner.wrap())
        })
    }

    fn fragment(&mut self, name: &'d str, level: usize) -> SelectionSize {
        if let Some(size) = self.sizes.get(name) {
            return *size;
        }
        let Some(fragment) = self.fragments.get(name).copied() else { return SelectionSize::default() };
        if !self.open.insert(name) {
            self.has_cycle = true;
            return SelectionSize::default();
        }
        let size = self.size(&fragment.selection_set, level);
        self.open.remove(name);
        self.sizes.insert(name, size);
        size
    }
}

/// Collects the fields beyond the depth limit.
struct DepthCheck<'d> {
    document: &'d Document,
    fragments: &'d HashMap<&'d str, &'d FragmentDefinition>,
    limits: DocumentLimits,
    seen: HashSet<(&'d str, usize)>,
    errors: Vec<GraphqlError>,
}

impl<'d> DepthCheck<'d> {
    fn visit(&mut self, selections: &'d [Selection], depth: usize) {
        for selection in selections {
            match selection {
                Selection::Field(field) if field.name.starts_with("__") => {}
                Selection::Field(field) if depth > self.limits.max_depth => {
                    if self.errors.len() < MAX_REPORTED_FIELDS {
                        let message = format!(
                            "Query depth limit exceeded: current depth {depth} exceeds maximum of {}.",
                            self.limits.max_depth
                        );
                        let error = GraphqlError::new(GraphqlErrorCode::GraphqlValidationFailed, message);
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
