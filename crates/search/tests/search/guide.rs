//! The search guide and the search part of the README, tried on the documents of `cantata demo`.
//!
//! An example is a block of GraphQL, a filter as JSON, or a call of curl. What follows it says what it answers: a line
//! such as `Total: 1234`, or a block `json answer` with the whole body. `<setId>` stands for the id of the set that was
//! saved last.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cantata_access::Identity;
use cantata_demo::catalogue::{Documents, FILE_INDEX, catalogue_files, mapping};
use cantata_engine::{ImportChunk, IndexAdministration, SearchEngine};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_graphql::Request;
use cantata_search::{ConfigSource, Found, SearchService, ServedCatalogue};
use cantata_sqon::operators::OPERATORS;
use cantata_sqon::operators::group::GroupOp;
use serde_json::{Value, json};
use tempfile::TempDir;

/// What `cantata demo` takes unless it is told otherwise.
const SEED: u64 = 1;
const COUNT: u64 = 10_000;

const TOTAL_OF_A_FILTER: &str = "query($filters: JSON) { file { hits(filters: $filters) { total } } }";
const SET_ID: &str = "<setId>";

fn read(path: &str) -> String {
    fs_err::read_to_string(format!("{}/../../{path}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// A block of code with what it is said to answer.
struct Example {
    place: String,
    language: String,
    text: String,
    total: Option<u64>,
    answer: Option<String>,
}

impl Example {
    fn is_checked(&self) -> bool {
        self.total.is_some() || self.answer.is_some()
    }

    fn request(&self, set_id: &str) -> Value {
        let text = self.text.replace(SET_ID, set_id);
        match self.language.as_str() {
            "graphql" => json!({ "query": text }),
            "json" => json!({ "query": TOTAL_OF_A_FILTER, "variables": { "filters": self.json(&text) } }),
            "sh" => self.request_of(&text),
            other => panic!("{}: nobody knows how to run {other:?}", self.place),
        }
    }

    /// Returns the request that a call of curl sends, whether by POST or by GET.
    fn request_of(&self, command: &str) -> Value {
        let argument = |start: &str| command.split_once(start)?.1.split_once('\'').map(|(argument, _)| argument);
        if let Some(body) = argument("-d '") {
            return self.json(body);
        }
        let query = argument("'query=").unwrap_or_else(|| panic!("{}: no request", self.place));
        json!({ "query": query, "variables": argument("'variables=").map(|variables| self.json(variables)) })
    }

    fn json(&self, text: &str) -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{}: {error} in {text}", self.place))
    }
}

/// Returns the blocks of a document, each with what follows it.
fn examples(path: &str) -> Vec<Example> {
    let document = read(path);
    let mut lines = (1..).zip(document.lines());
    let mut examples: Vec<Example> = Vec::new();
    let mut is_next = false;
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            let text = text.join("\n");
            match language {
                "json answer" => {
                    assert!(is_next, "{path}:{number}: an answer to nothing");
                    examples.last_mut().unwrap().answer = Some(text);
                }
                _ => {
                    let place = format!("{path}:{number}");
                    examples.push(Example { place, language: language.to_owned(), text, total: None, answer: None });
                }
            }
            is_next = language != "json answer";
        } else if let Some(total) = line.strip_prefix("Total: ") {
            assert!(is_next, "{path}:{number}: a total of nothing");
            examples.last_mut().unwrap().total = Some(total.trim_end_matches('.').parse().unwrap());
        } else if !line.is_empty() {
            is_next = false;
        }
    }
    examples
}

/// The catalogues of the demo.
struct Demo {
    service: SearchService,
    served: Arc<ServedCatalogue>,
    _folder: TempDir,
}

impl Demo {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let engine = Arc::new(EmbeddedEngine::open(&folder.path().join("search")).unwrap());
        engine.create_index(FILE_INDEX, Some(&mapping(FILE_INDEX))).await.unwrap();
        let report = engine.import_chunk(FILE_INDEX, documents(), None).await.unwrap();
        assert_eq!((report.taken, report.refused.len()), (COUNT, 0));
        let configs = folder.path().join("configs");
        for (path, text) in catalogue_files() {
            let path = configs.join(path);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        let source = ConfigSource::Folder(configs, Box::default());
        let service = SearchService::start(engine, source).await.unwrap();
        let Found::Served(served) = service.catalogues().find("files", &Identity::unchecked()) else {
            panic!("the files are not served")
        };
        Self { service, served, _folder: folder }
    }

    async fn answer(&self, request: Value) -> Value {
        let request: Request = serde_json::from_value(request).unwrap();
        let body = match self.served.prepare(&request) {
            Ok(prepared) => self.service.run(&self.served, &prepared).await,
            Err(refused) => refused.bytes,
        };
        serde_json::from_slice(&body).unwrap()
    }
}

fn documents() -> ImportChunk {
    let mut bytes = Vec::new();
    Documents::new(SEED, COUNT).write_to(&mut bytes).unwrap();
    let mut chunk = ImportChunk { source: "demo".to_owned(), end: COUNT, ..ImportChunk::default() };
    let mut start = 0;
    for (line, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        chunk.documents.push((line, start..start + text.len()));
        start += text.len();
    }
    chunk.bytes = bytes;
    chunk
}

/// Returns every difference between what the examples say and what they answer.
async fn differences(demo: &Demo, examples: &[Example]) -> Vec<String> {
    let mut differences = Vec::new();
    let mut set_id = String::new();
    for example in examples.iter().filter(|example| example.is_checked()) {
        let body = demo.answer(example.request(&set_id)).await;
        if let Some(id) = body["data"]["saveSet"]["setId"].as_str() {
            id.clone_into(&mut set_id);
        }
        if let Some(total) = example.total {
            let found = &body["data"]["file"]["hits"]["total"];
            if body.get("errors").is_some() || *found != json!(total) {
                differences.push(format!("{}: Total: {total}, but it answers {body}", example.place));
            }
        }
        if let Some(answer) = &example.answer {
            let said = example.json(&answer.replace(SET_ID, &set_id));
            if said != body {
                differences.push(format!("{}: it answers {body}", example.place));
            }
        }
    }
    differences
}

#[tokio::test(flavor = "multi_thread")]
async fn the_examples_answer_what_the_text_says() {
    let demo = Demo::start().await;
    let mut found = Vec::new();
    let mut checked = HashMap::new();
    for path in ["docs/search.md", "README.md"] {
        let examples = examples(path);
        checked.insert(path, examples.iter().filter(|example| example.is_checked()).count());
        found.extend(differences(&demo, &examples).await);
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert!(checked["docs/search.md"] > 40 && checked["README.md"] > 0, "{checked:?}");
}

#[test]
fn every_operator_and_alias_has_an_example() {
    let mut used = HashSet::new();
    for example in
        examples("docs/search.md").iter().filter(|example| example.language == "json" && example.is_checked())
    {
        collect(&example.json(&example.text), &mut used);
    }
    let groups = GroupOp::ALL.into_iter().map(GroupOp::name);
    let operators = OPERATORS.into_iter().flat_map(|operator| operator.aliases.iter().chain([&operator.name]).copied());
    let lacking: Vec<&str> = groups.chain(operators).filter(|name| !used.contains(*name)).collect();
    assert!(lacking.is_empty(), "no example: {lacking:?}");
}

/// Collects the operators of a filter.
fn collect(filter: &Value, used: &mut HashSet<String>) {
    used.extend(filter["op"].as_str().map(str::to_owned));
    filter["content"].as_array().into_iter().flatten().for_each(|part| collect(part, used));
}
