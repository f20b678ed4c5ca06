//! The selected fields of a value.
//!
//! Portals send one document again and again, with other variables. So fields that no variable changes are collected once,
//! and the requests of the document share them. What is shared depends on the document alone.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use apollo_compiler::ast;
use apollo_compiler::executable::{Selection, SelectionSet};

use super::SelectedField;

/// The selected fields of a value; clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct SelectedFields {
    fields: Arc<[SelectedField]>,
    /// Which selection of its document it is, if it is shared and no field in it has an argument.
    shape: Option<SelectionShape>,
}

/// Tells the shared selections of a document apart that have no arguments: all that is compiled from one is always the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SelectionShape(usize);

impl SelectedFields {
    /// Returns its shape, if it is shared and has no arguments.
    pub(crate) fn shape(&self) -> Option<SelectionShape> {
        self.shape
    }
}

impl From<Vec<SelectedField>> for SelectedFields {
    fn from(fields: Vec<SelectedField>) -> Self {
        Self { fields: fields.into(), shape: None }
    }
}

impl Deref for SelectedFields {
    type Target = [SelectedField];

    fn deref(&self) -> &[SelectedField] {
        &self.fields
    }
}

/// The shared selections of one document.
#[derive(Debug, Default)]
pub(crate) struct SharedSelections {
    /// By the address of the selection in the document; `None` if variables may change it.
    collected: Mutex<HashMap<usize, Option<SelectedFields>>>,
}

impl SharedSelections {
    /// Returns the fields of a selection of the document, which are collected unless they are shared and known.
    pub(super) fn get_or_collect(
        &self,
        set: &SelectionSet,
        collect: impl FnOnce() -> Vec<SelectedField>,
    ) -> SelectedFields {
        // The document never changes, so neither does the address.
        let address = std::ptr::from_ref(set).addr();
        let lock = || self.collected.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().get(&address).cloned();
        match known {
            Some(Some(shared)) => shared,
            Some(None) => collect().into(),
            None => {
                let dependence = Dependence::of(set);
                let mut fields = SelectedFields::from(collect());
                fields.shape = (dependence == Dependence::Nothing).then_some(SelectionShape(address));
                let shared = (dependence != Dependence::Variables).then(|| fields.clone());
                lock().insert(address, shared);
                fields
            }
        }
    }
}

/// What the fields of a selection depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Dependence {
    Nothing,
    /// Values that the document has.
    Arguments,
    /// Variables, or perhaps: fragments that are spread are not looked into, since they may spread others many times.
    Variables,
}

impl Dependence {
    fn of(set: &SelectionSet) -> Self {
        let of_selection = |selection: &Selection| match selection {
            selection if !selection.directives().is_empty() => Self::Variables,
            Selection::Field(field) => {
                let arguments = field.arguments.iter().map(|argument| Self::of_value(&argument.value));
                arguments.max().unwrap_or(Self::Nothing).max(Self::of(&field.selection_set))
            }
            Selection::InlineFragment(fragment) => Self::of(&fragment.selection_set),
            Selection::FragmentSpread(_) => Self::Variables,
        };
        set.selections.iter().map(of_selection).max().unwrap_or(Self::Nothing)
    }

    fn of_value(value: &ast::Value) -> Self {
        match value {
            ast::Value::Variable(_) => Self::Variables,
            ast::Value::List(list) => list.iter().map(|value| Self::of_value(value)).max().unwrap_or(Self::Arguments),
            ast::Value::Object(members) => {
                members.iter().map(|(_, value)| Self::of_value(value)).max().unwrap_or(Self::Arguments)
            }
            _ => Self::Arguments,
        }
    }
}
