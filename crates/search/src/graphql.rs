//! Running a GraphQL request on a catalogue.

use std::sync::{Arc, PoisonError};

use cantata_engine::{Answer, EngineError, Plan};
use cantata_graphql::{Answers, ErrorBody, PlanContext, Prepared, Request};
use cantata_mapping::Moment;
use jiff::Timestamp;

use crate::catalogues::ServedCatalogue;
use crate::service::SearchService;

impl ServedCatalogue {
    /// Reads a request.
    ///
    /// # Errors
    ///
    /// If it cannot be run: the body to answer.
    pub fn prepare(&self, request: &Request) -> Result<Prepared, ErrorBody> {
        self.schema.prepare(request)
    }

    /// Says in the log which fields have lists of which only the first values are shown, each once.
    fn tell_of_cut_fields(&self, fields: &[String]) {
        if fields.is_empty() {
            return;
        }
        let mut told = self.cut_fields.lock().unwrap_or_else(PoisonError::into_inner);
        for field in fields {
            if told.insert(field.clone()) {
                tracing::warn!(
                    catalogue = self.catalogue.id,
                    field,
                    "documents have lists in this field, of which only the first values are shown; \
                     set isArray for it in extended.json, or make it nested if it holds objects"
                );
            }
        }
    }
}

impl SearchService {
    /// Runs a request and returns the body of the answer.
    pub async fn run(&self, served: &ServedCatalogue, prepared: &Prepared) -> Vec<u8> {
        let catalogue = &served.catalogue;
        let sets = self.load_sets(catalogue, prepared.sets_needed()).await;
        let mut planned = prepared.plan(&PlanContext { now: now(), sets: &sets, restriction: None });
        let mut answers = Answers::default();
        for command in &planned.commands {
            answers.commands.push(self.execute(catalogue, command).await);
        }
        if let Some(plan) = planned.records.take() {
            answers.records = Some(self.search(&catalogue.index, plan).await);
        }
        if let Some(plan) = planned.sets.take() {
            answers.sets = Some(self.search_sets(catalogue, plan).await);
        }
        let written = planned.write(&answers);
        served.tell_of_cut_fields(&written.cut_fields);
        written.body
    }

    pub(crate) async fn search(&self, index: &str, plan: Plan) -> Result<Answer, EngineError> {
        self.engine.search(index, Arc::new(plan)).await
    }
}

/// Returns the moment that `now` stands for.
pub(crate) fn now() -> Moment {
    Moment::from_millis(Timestamp::now().as_millisecond()).unwrap_or(Moment::MAX)
}
