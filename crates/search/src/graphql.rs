//! Running a GraphQL request on a catalogue.

use std::sync::{Arc, PoisonError};

use cantata_engine::{Answer, EngineError, Plan};
use cantata_graphql::{Answers, CommandOutcome, ErrorBody, PlanContext, Prepared, Request};
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
        let prepared = self.schema.prepare(request);
        if prepared.is_err() {
            self.tally.note_refused();
        }
        prepared
    }

    /// Searches an index of the engine.
    pub(crate) async fn search(&self, index: &str, plan: Plan) -> Result<Answer, EngineError> {
        let answer = self.engine.search(index, Arc::new(plan)).await;
        if let Err(error @ EngineError::Failed(_)) = &answer {
            tracing::warn!(catalogue = self.catalogue.id, %error, "a search failed");
        }
        if answer.is_err() {
            self.tally.note_failed();
        }
        answer
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
        served.tally.note_run();
        let (sets, failure) = match served.load_sets(prepared.sets_needed()).await {
            Ok(sets) => (sets, None),
            // To plan without them would be to say that there are none; nothing that is planned is run.
            Err(error) => (prepared.sets_needed().iter().map(|id| (id.clone(), Vec::new())).collect(), Some(error)),
        };
        let mut planned = prepared.plan(&PlanContext { now: now(), sets: &sets, view: &served.view });
        let mut answers = Answers::default();
        if let Some(error) = failure {
            answers.commands = planned.commands.iter().map(|_| CommandOutcome::from(&error)).collect();
            answers.records = Some(Err(error.clone()));
            answers.sets = Some(Err(error));
            return planned.write(&answers).body;
        }
        for command in &planned.commands {
            answers.commands.push(served.execute(command).await);
        }
        if let Some(plan) = planned.records.take() {
            answers.records = Some(served.search_records(plan).await);
        }
        if let Some(plan) = planned.sets.take() {
            answers.sets = Some(served.search_sets(plan).await);
        }
        let written = planned.write(&answers);
        served.tell_of_cut_fields(&written.cut_fields);
        written.body
    }
}

/// Returns the moment that `now` stands for.
pub(crate) fn now() -> Moment {
    Moment::from_millis(Timestamp::now().as_millisecond()).unwrap_or(Moment::MAX)
}
