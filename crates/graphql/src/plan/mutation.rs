//! Mutations, which create, rename, share and delete saved sets. Each becomes a command for the caller.

use super::{PlanError, Planner, SETS_DISABLED, arguments, sort, suppression};
use crate::output::{JsonSelection, Output, TargetIndex};
use crate::request::SelectedField;
use crate::set_command::{SaveSet, SetCommand};

impl<'p> Planner<'p> {
    pub(super) fn mutation(&mut self, field: &'p SelectedField) -> Result<Output, PlanError> {
        let catalogue = &self.schema.index_schema(TargetIndex::Records).catalogue;
        if !catalogue.flags.enable_sets {
            return Err(SETS_DISABLED.into());
        }
        if self.view.suppression_threshold.is_some() {
            return Err(suppression::NO_SETS_ERROR.into());
        }
        let text = |name: &str| arguments::text(field, name).unwrap_or_default().to_owned();
        let command = match field.name.as_str() {
            "renameSet" => SetCommand::RenameSet { set_id: text("setId"), name: text("name") },
            "shareSet" => {
                let given = arguments::list(field, "with").unwrap_or_default();
                let shared_with = given.into_iter().filter_map(|with| with.as_str().map(str::to_owned)).collect();
                SetCommand::ShareSet { set_id: text("setId"), shared_with }
            }
            "deleteSet" => SetCommand::DeleteSet { set_id: text("setId") },
            _ => SetCommand::SaveSet(Box::new(self.save_set(field)?)),
        };
        self.commands.push(command);
        Ok(Output::Command {
            index: self.commands.len() - 1,
            selection: JsonSelection::of(&field.children),
            path: self.path.clone(),
        })
    }

    fn save_set(&mut self, field: &SelectedField) -> Result<SaveSet, PlanError> {
        let catalogue = &self.schema.index_schema(TargetIndex::Records).catalogue;
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
        // Where records have no such field, the set consists of their ids.
        let collected = found.unwrap_or(&dotted);
        let sort = sort::parse(field, catalogue)?;
        sort::reject_score(&sort)?;
        let filter = self.records.filters.validate(field.filter.as_ref())?;
        Ok(SaveSet {
            filter: self.records.filters.compile(&filter)?,
            sort,
            document_type: document_type.to_owned(),
            path: path.to_owned(),
            user_id: arguments::text(field, "userId").map(str::to_owned),
            name: arguments::text(field, "name").map(str::to_owned),
            view: self.view.fingerprint(&catalogue.id),
            sqon: field.filter.as_ref().map(|filter| filter.given.clone()).unwrap_or_default(),
            segments: collected.split('.').map(str::to_owned).collect(),
            prefix: catalogue.source_prefix.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        })
    }
}
