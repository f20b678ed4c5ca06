//! Saved sets: kept as documents of an index of their own, so that they are searched like everything else.
//!
//! A set belongs to the view that it was saved under: what is in it, and what it was made by, may be more than others
//! can see. To anybody else it is a set that is not there.

use std::collections::HashMap;

use cantata_engine::{Answer, EngineError, ExportRequest, Operation, Plan};
use cantata_graphql::{Code, Command, CommandOutcome, SaveSet, sets_mapping};
use jiff::Timestamp;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::catalogues::ServedCatalogue;

/// How many values a set may have.
const LARGEST_SET: usize = 1_000_000;

/// How many records are read at a time.
const PAGE: usize = 1000;

/// The longest name of a set.
const LONGEST_NAME: usize = 500;

/// The member of a set that says under which view it was saved.
const VIEW: &str = "view";

impl ServedCatalogue {
    /// Returns the members of sets, as far as there are such sets.
    pub(crate) async fn load_sets(&self, ids: &[String]) -> Result<HashMap<String, Vec<String>>, EngineError> {
        let mut sets = HashMap::new();
        for id in ids {
            let set = self.own_set(id).await.inspect_err(|error| {
                tracing::warn!(catalogue = self.catalogue.id, %error, "a saved set cannot be read");
            });
            if let Some(set) = set? {
                let members = set.get("ids").and_then(Value::as_array).into_iter().flatten();
                sets.insert(id.clone(), members.filter_map(Value::as_str).map(str::to_owned).collect());
            }
        }
        Ok(sets)
    }

    /// Returns a set that was saved under this view.
    async fn own_set(&self, id: &str) -> Result<Option<Value>, EngineError> {
        match self.engine.document(&self.catalogue.sets.index, id).await {
            Ok(document) => {
                let set = document.and_then(|document| serde_json::to_value(document.root()).ok());
                Ok(set.filter(|set| self.is_own(set)))
            }
            Err(EngineError::IndexNotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn is_own(&self, set: &Value) -> bool {
        match (set.get(VIEW).and_then(Value::as_str), self.view.label(&self.catalogue.id)) {
            (of_set, Some(own)) => of_set.map_or_else(|| self.view.is_everything(), |of_set| of_set == own),
            (of_set, None) => of_set.is_none(),
        }
    }

    /// Searches the sets; where none was ever saved there are none.
    pub(crate) async fn search_sets(&self, plan: Plan) -> Result<Answer, EngineError> {
        self.make_sets_index().await?;
        self.search(&self.catalogue.sets.index, plan).await
    }

    async fn make_sets_index(&self) -> Result<(), EngineError> {
        match self.engine.mapping(&self.catalogue.sets.index).await {
            Ok(_) => Ok(()),
            Err(EngineError::IndexNotFound(_)) => {
                match self.engine.create_index(&self.catalogue.sets.index, Some(&sets_mapping())).await {
                    // Somebody else may have been faster.
                    Err(EngineError::IndexExists(_)) => Ok(()),
                    made => made,
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Does what a mutation asks for.
    pub(crate) async fn execute(&self, command: &Command) -> CommandOutcome {
        let done = match command {
            Command::SaveSet(save) => self.save_set(save).await,
            Command::RenameSet { set_id, name } => self.rename_set(set_id, name).await,
            Command::DeleteSet { set_id } => self.delete_set(set_id).await,
        };
        done.unwrap_or_else(|error| {
            tracing::warn!(catalogue = self.catalogue.id, %error, "a saved set cannot be changed");
            CommandOutcome::from(&error)
        })
    }

    async fn save_set(&self, save: &SaveSet) -> Result<CommandOutcome, EngineError> {
        self.make_sets_index().await?;
        let request =
            ExportRequest { filter: save.filter.clone(), sort: save.sort.clone(), limit: None, page_size: PAGE };
        let mut export = self.export_records(request).await?;
        let mut seen = std::collections::HashSet::new();
        let mut ids: Vec<String> = Vec::new();
        while let Some(page) = export.next().await? {
            for member in page.hits.iter().flat_map(|hit| save.members_of(hit)) {
                if seen.insert(member.clone()) {
                    ids.push(member);
                }
            }
            if ids.len() > LARGEST_SET {
                let message = format!("the set would have more than {LARGEST_SET} values; narrow its filter");
                return Ok(CommandOutcome::Failed { code: Code::BadUserInput, message });
            }
        }
        let set_id = Uuid::new_v4().to_string();
        let mut set = json!({
            "setId": set_id,
            "createdAt": format!("{:.3}", Timestamp::now()),
            "size": ids.len(),
            "ids": ids,
            "type": save.document_type,
            "path": save.path,
            "sqon": save.sqon,
            "userId": save.user_id,
            "name": save.name,
        });
        if let Some(view) = &save.view {
            set[VIEW] = view.as_str().into();
        }
        self.put_set(&set_id, &set).await?;
        Ok(CommandOutcome::Set(set))
    }

    async fn rename_set(&self, id: &str, name: &str) -> Result<CommandOutcome, EngineError> {
        if name.trim().is_empty() || name.chars().count() > LONGEST_NAME {
            let message = format!("name: found {} characters; expected 1 to {LONGEST_NAME}", name.chars().count());
            return Ok(CommandOutcome::Failed { code: Code::BadUserInput, message });
        }
        let Some(mut set) = self.own_set(id).await? else { return Ok(unknown_set(id)) };
        set.as_object_mut().map(|set: &mut Map<String, Value>| set.insert("name".to_owned(), Value::from(name)));
        self.put_set(id, &set).await?;
        Ok(CommandOutcome::Set(set))
    }

    async fn delete_set(&self, id: &str) -> Result<CommandOutcome, EngineError> {
        if self.own_set(id).await?.is_none() {
            return Ok(CommandOutcome::Deleted(false));
        }
        let report =
            self.engine.write(&self.catalogue.sets.index, vec![Operation::Delete { id: id.to_owned() }]).await?;
        Ok(CommandOutcome::Deleted(report.deleted > 0))
    }

    async fn put_set(&self, id: &str, set: &Value) -> Result<(), EngineError> {
        let source = set.to_string().into_bytes();
        let report =
            self.engine.write(&self.catalogue.sets.index, vec![Operation::Put { id: id.to_owned(), source }]).await?;
        match report.refused.into_iter().next() {
            Some(refusal) => Err(EngineError::Failed(refusal.reason)),
            None => Ok(()),
        }
    }
}

fn unknown_set(id: &str) -> CommandOutcome {
    CommandOutcome::Failed { code: Code::BadUserInput, message: format!("there is no set of the id {id:?}") }
}
