//! Running a script on an engine and on the model, step by step.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

use super::super::model::{Model, Request, RequestContext, read_path};
use super::super::random::{Script, Step};
use super::{Options, canonical, now};
use crate::translate::{FacetFilter, FilterTranslator, TranslationError};
use crate::{
    BatchReport, Cursor, ExportRequest, HitsRequest, SearchEngine, SearchPlan, SearchResponse, SortKey, WriteOperation,
};

pub(super) type Outcome = Result<(), Box<Mismatch>>;

/// A difference between an engine and the model.
#[derive(Debug)]
pub(super) struct Mismatch {
    /// The step that failed.
    pub(super) step: usize,
    /// What differs.
    pub(super) what: String,
    /// The plan, if the step had one.
    pub(super) plan: String,
    /// What the model says.
    pub(super) expected: Value,
    /// What the engine says.
    pub(super) found: Value,
}

/// Runs a script, and deletes its index afterwards.
pub(super) async fn run(engine: &dyn SearchEngine, script: &Script, options: &Options) -> Outcome {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let index = format!("random-{}-{}", std::process::id(), RUNS.fetch_add(1, Ordering::Relaxed));
    let mapping = IndexMapping::parse(&script.mapping).unwrap();
    if let Err(error) = engine.create_index(&index, Some(&script.mapping)).await {
        return Err(failure("creating the index", &error).at(0));
    }
    let mut pair = EngineAndModel { engine, index: &index, model: Model::new(mapping), script, options };
    let mut outcome = Ok(());
    for (index, step) in script.steps.iter().enumerate() {
        if let Err(mismatch) = pair.step(step).await {
            outcome = Err(mismatch.at(index));
            break;
        }
    }
    // Whether the index can be removed is the matter of a named case.
    engine.delete_index(&index).await.ok();
    outcome
}

pub(super) struct EngineAndModel<'a> {
    pub(super) engine: &'a dyn SearchEngine,
    pub(super) index: &'a str,
    pub(super) model: Model,
    script: &'a Script,
    pub(super) options: &'a Options,
}

impl EngineAndModel<'_> {
    async fn step(&mut self, step: &Step) -> Outcome {
        match step {
            Step::Write(batch) => self.write(batch).await,
            Step::Search(request) => self.search(request).await,
            Step::PageThrough(request) => self.page_through(request).await,
            Step::Export(request, export) => self.export(request, export).await,
        }
    }

    async fn write(&mut self, batch: &[WriteOperation]) -> Outcome {
        let report = self.engine.write(self.index, batch.to_vec()).await.map_err(|error| failure("a write", &error))?;
        let expected = self.model.write(batch);
        same("the rejected documents", json!(expected.rejected_indexes()), json!(report.rejected_indexes()))?;
        // How operations on the same id count is left open.
        let ids: BTreeSet<&str> = batch.iter().map(WriteOperation::id).collect();
        if ids.len() == batch.len() {
            let counts = |report: &BatchReport| json!([report.written, report.deleted]);
            same("the counts of a write", counts(&expected), counts(&report))?;
        }
        let mapping = self.engine.mapping(self.index).await.map_err(|error| failure("the mapping", &error))?;
        match self.options.exceptions.rewritten_mapping {
            false => same("the mapping", json!(self.model.mapping().raw()), json!(mapping.raw()))?,
            true => same("the mapping", kinds(self.model.mapping()), kinds(&mapping))?,
        }
        for id in ids {
            let document = self.engine.document(self.index, id).await.map_err(|error| failure("a document", &error))?;
            let expected = self.model.records().get(id).map(|record| record.source.to_string());
            same("a document", json!(expected), json!(document.as_ref().map(canonical::document)))?;
        }
        Ok(())
    }

    async fn search(&self, request: &Request) -> Outcome {
        let request = self.known_only(request);
        let plan = self.plan(&request).map_err(|error| failure("the translation", &error))?;
        let expected = canonical::answer(&self.model.answer(&request, self.context()), &plan, self.options);
        let shared = Arc::new(plan);
        let mut answer = SearchResponse::default();
        // Twice, because an engine may cache responses.
        for _ in 0..2 {
            let found = self.engine.search(self.index, Arc::clone(&shared)).await;
            answer = found.map_err(|error| failure("a search", &error).with_plan(&shared))?;
            let found = canonical::answer(&answer, &shared, self.options);
            same("an answer", expected.clone(), found).map_err(|mismatch| mismatch.with_plan(&shared))?;
        }
        self.check_properties(&request, &answer).await?;
        self.check_scores(&request).await
    }

    async fn page_through(&self, request: &Request) -> Outcome {
        let request = self.known_only(request);
        let mut everything = request.clone();
        everything.hits[0].size = usize::MAX;
        let expected = self.model.answer(&everything, self.context()).hits.remove(0);
        let mut plan = self.plan(&request).map_err(|error| failure("the translation", &error))?;
        let mut found = Vec::new();
        loop {
            let answer = self.engine.search(self.index, Arc::new(plan.clone())).await;
            let mut answer = answer.map_err(|error| failure("a page", &error).with_plan(&plan))?;
            let Some(page) = answer.hits.pop() else { return same("the pages", json!(1), json!(0)) };
            same("a total", json!(expected.total), json!(page.total)).map_err(|error| error.with_plan(&plan))?;
            let Some(last) = page.hits.last() else { break };
            let sort = &plan.hits[0].sort;
            let cursor = Cursor::parse(&last.cursor.to_json(), sort, self.model.mapping())
                .map_err(|error| failure("a cursor", &error).with_plan(&plan))?;
            plan.hits[0].after = Some(cursor);
            found.extend(page.hits);
            if found.len() > expected.hits.len() {
                break;
            }
        }
        same("the pages", canonical::hits(&expected.hits), canonical::hits(&found))
            .map_err(|error| error.with_plan(&plan))
    }

    async fn export(&self, request: &Request, export: &ExportRequest) -> Outcome {
        let sqon = request.sqons[0].as_ref();
        let mut export = ExportRequest { sort: self.known_keys(&export.sort), ..export.clone() };
        let expected = self.model.export(sqon, &export, self.context());
        export.filter = self.translation().filter(sqon).map_err(|error| failure("the translation", &error))?;
        let planned = format!("{export:?}");
        let with_plan = |mismatch: Box<Mismatch>| Box::new(Mismatch { plan: planned.clone(), ..*mismatch });
        let running = self.engine.export(self.index, export.clone()).await;
        let mut running = running.map_err(|error| with_plan(failure("an export", &error)))?;
        same("the total of an export", json!(expected.len()), json!(running.total())).map_err(with_plan)?;
        let mut found = Vec::new();
        while let Some(page) = running.next().await.map_err(|error| with_plan(failure("an export", &error)))? {
            let fits = !page.hits.is_empty() && page.hits.len() <= export.page_size;
            same("the size of an export's page", json!(true), json!(fits)).map_err(with_plan)?;
            found.extend(page.hits);
        }
        same("an export", canonical::hits(&expected), canonical::hits(&found)).map_err(with_plan)
    }

    pub(super) fn context(&self) -> RequestContext<'_> {
        RequestContext { now: now(), sets: &self.script.sets }
    }

    pub(super) fn translation(&self) -> FilterTranslator<'_> {
        FilterTranslator::new(self.model.mapping(), now(), &self.script.sets)
    }

    fn plan(&self, request: &Request) -> Result<SearchPlan, TranslationError> {
        let translation = self.translation();
        let mut plan = SearchPlan::default();
        let filter = |index: usize| translation.filter(request.sqons[index].as_ref());
        for hits in &request.hits {
            let filter = plan.add_filter(filter(hits.filter)?);
            plan.hits.push(HitsRequest { filter, ..hits.clone() });
        }
        for query in &request.facets {
            let mut facet = query.request.clone();
            let sqon = request.sqons[facet.filter].as_ref();
            let FacetFilter { records, elements, ancestors } =
                translation.facet_filter(sqon, &facet.field, query.filter_themselves)?;
            facet.filter = plan.add_filter(records);
            (facet.elements, facet.ancestors) = (elements, ancestors);
            for index in &mut facet.bucket_filters {
                *index = plan.add_filter(filter(*index)?);
            }
            plan.facets.push(facet);
        }
        Ok(plan)
    }

    /// Returns the request without what is asked of fields that the mapping does not have (any more).
    fn known_only(&self, request: &Request) -> Request {
        let mut request = request.clone();
        for hits in &mut request.hits {
            hits.sort = self.known_keys(&hits.sort);
        }
        request.facets.retain(|query| self.is_known(&query.request.field));
        request
    }

    fn known_keys(&self, sort: &[SortKey]) -> Vec<SortKey> {
        let known = sort.iter().filter(|key| key.field.as_ref().is_none_or(|field| self.is_known(field)));
        let resolved = |field: &String| read_path(self.model.mapping(), field).0;
        known.map(|key| SortKey { field: key.field.as_ref().map(resolved), ..key.clone() }).collect()
    }

    fn is_known(&self, field: &str) -> bool {
        let mapping = self.model.mapping();
        mapping.field(field).is_some_and(|field| field.kind.has_values()) || mapping.flattened_key(field).is_some()
    }
}

impl Mismatch {
    fn at(mut self: Box<Self>, step: usize) -> Box<Self> {
        self.step = step;
        self
    }

    pub(super) fn with_plan(mut self: Box<Self>, plan: &SearchPlan) -> Box<Self> {
        self.plan = format!("{plan:?}");
        self
    }
}

/// Returns the fields of a mapping with their kinds, in any order.
fn kinds(mapping: &IndexMapping) -> Value {
    let fields = mapping.fields().chain(mapping.multi_fields());
    fields.map(|field| (field.path.clone(), Value::String(format!("{:?}", field.kind)))).collect()
}

pub(super) fn same(what: &str, expected: Value, found: Value) -> Outcome {
    if canonical::agree(&expected, &found) { Ok(()) } else { Err(mismatch(what.to_owned(), expected, found)) }
}

/// Returns the mismatch for an error of any kind.
pub(super) fn failure(what: &str, error: &dyn ToString) -> Box<Mismatch> {
    mismatch(format!("{what} failed"), json!("no failure"), json!(error.to_string()))
}

fn mismatch(what: String, expected: Value, found: Value) -> Box<Mismatch> {
    Box::new(Mismatch { step: 0, what, plan: String::new(), expected, found })
}
