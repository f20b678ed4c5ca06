//! Mutations: saved sets are made, renamed and deleted. Each becomes a command for the caller.

use super::{Planner, Refusal, SETS_ARE_OFF, arguments, sort, suppression};
use crate::command::{Command, SaveSet};
use crate::output::{Index, JsonSelection, Output};
use crate::request::Selected;

impl<'p> Planner<'p> {
    pub(super) fn mutation(&mut self, field: &'p Selected) -> Result<Output, Refusal> {
        let catalogue = &self.schema.side(Index::Records).catalogue;
        if !catalogue.flags.enable_sets {
            return Err(SETS_ARE_OFF.into());
        }
        if self.view.below.is_some() {
            return Err(suppression::NO_SETS.into());
        }
        let text = |name: &str| arguments::text(field, name).unwrap_or_default().to_owned();
        let command = match field.name.as_str() {
            "renameSet" => Command::RenameSet { set_id: text("setId"), name: text("name") },
            "deleteSet" => Command::DeleteSet { set_id: text("setId") },
            _ => Command::SaveSet(Box::new(self.save_set(field)?)),
        };
        self.commands.push(command);
        Ok(Output::Command {
            place: self.commands.len() - 1,
            selection: JsonSelection::of(&field.children),
            path: self.path.clone(),
        })
    }

    fn save_set(&mut self, field: &Selected) -> Result<SaveSet, Refusal> {
        let catalogue = &self.schema.side(Index::Records).catalogue;
        let document_type = arguments::text(field, "type").unwrap_or_default();
        if document_type != catalogue.document_type {
            let expected = &catalogue.document_type;
            return Err(format!("type: found {document_type:?}; expected {expected:?}, the records of sets").into());
        }
        let path = arguments::text(field, "path").unwrap_or_default();
        let dotted = path.replace("__", ".");
        let by_flat_name = catalogue.root.aggregation(path).map(|field| field.target.as_str());
        let found = [Some(path), by_flat_name, Some(dotted.as_str())].into_iter().flatten().find_map(|path| {
            catalogue.mapping.field(path).filter(|field| field.kind.has_values()).map(|field| field.path.as_str())
        });
        // Where records have no such field, sets are made of their ids.
        let collected = found.unwrap_or(&dotted);
        let sort = sort::sort(field, catalogue)?;
        let checked = self.records.filters.check(field.filter.as_ref())?;
        Ok(SaveSet {
            filter: self.records.filters.records(&checked)?,
            sort,
            document_type: document_type.to_owned(),
            path: path.to_owned(),
            user_id: arguments::text(field, "userId").map(str::to_owned),
            name: arguments::text(field, "name").map(str::to_owned),
            view: self.view.label(&catalogue.id),
            sqon: field.filter.as_ref().map(|filter| filter.given.clone()).unwrap_or_default(),
            segments: collected.split('.').map(str::to_owned).collect(),
            prefix: catalogue.source_prefix.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        })
    }
}
