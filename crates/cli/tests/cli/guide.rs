//! The search guide and the search part of the README, tried on `cantata demo`.
//!
//! An example is a block of GraphQL, a filter as JSON, or a call of curl. What follows it says what it answers: a line
//! such as `Total: 1234`, or a block `json answer` with the whole body. `<setId>` is the id of the set that was saved
//! last, `<id>` in an answer for the id of a document, which is another one in each demo.

use std::collections::{HashMap, HashSet};

use cantata_sqon::operators::OPERATORS;
use cantata_sqon::operators::group::GroupOp;
use serde_json::{Value, json};

use crate::demo::ready;
use crate::process::Server;

const TOTAL_OF_A_FILTER: &str = "query($filters: JSON) { file { hits(filters: $filters) { total } } }";
const SET_ID: &str = "<setId>";
const ID: &str = "<id>";

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

/// Returns whether a body is what an answer says.
fn is_as_said(said: &Value, body: &Value) -> bool {
    match (said, body) {
        (Value::String(said), Value::String(_)) if said == ID => true,
        (Value::Array(said), Value::Array(body)) => {
            said.len() == body.len() && said.iter().zip(body).all(|(said, body)| is_as_said(said, body))
        }
        (Value::Object(said), Value::Object(body)) => {
            said.len() == body.len()
                && said.iter().all(|(key, said)| body.get(key).is_some_and(|body| is_as_said(said, body)))
        }
        _ => said == body,
    }
}

/// Returns every difference between what the examples say and what they answer.
fn differences(demo: &Server, examples: &[Example]) -> Vec<String> {
    let mut differences = Vec::new();
    let mut set_id = String::new();
    for example in examples.iter().filter(|example| example.is_checked()) {
        let (_, body) = demo.request("POST", "/files/graphql", &example.request(&set_id).to_string());
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
            if !is_as_said(&said, &body) {
                differences.push(format!("{}: it answers {body}", example.place));
            }
        }
    }
    differences
}

#[test]
fn the_examples_answer_what_the_text_says() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Server::start("demo", folder.path(), &[]);
    ready(&demo);
    let mut found = Vec::new();
    let mut checked = HashMap::new();
    for path in ["docs/search.md", "README.md"] {
        let examples = examples(path);
        checked.insert(path, examples.iter().filter(|example| example.is_checked()).count());
        found.extend(differences(&demo, &examples));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    let guide = examples("docs/search.md");
    let unchecked = guide.iter().filter(|example| example.language != "json" && !example.is_checked());
    let unchecked: Vec<&str> = unchecked.map(|example| example.place.as_str()).collect();
    assert!(unchecked.is_empty(), "nothing says what these answer: {unchecked:?}");
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
