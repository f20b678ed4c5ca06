//! The examples of README.md and docs/, run as they are printed, from top to bottom.
//!
//! A document is one shell in the working folder of a server, whose address and key replace the printed ones.
//! Every block of a language that can be run is run here, is run by the test of its document (`guide`,
//! `client::guide`), or is named with the reason why it is not; a new one that is neither fails.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::demo::ready;
use crate::process::{Server, cantata, outcome};

const README: &[&str] = &["README.md"];
const ON_THE_DEMO: &[&str] = &["docs/guide/researcher.md", "docs/downloads.md", "docs/indexing.md"];
const ON_A_NETWORK: &[&str] = &["docs/federation.md"];
const GUIDES: &[&str] = &["docs/guide/data-manager.md", "docs/guide/submitter.md"];
const OPERATOR: &[&str] = &["docs/guide/operator.md", "docs/security.md"];
const OPERATIONS: &[&str] = &["docs/operations.md", "docs/import.md"];

/// Documents whose examples other tests run, each with what it answers.
const TESTED_ELSEWHERE: [&str; 3] = ["docs/cli.md", "docs/python.md", "docs/search.md"];

/// Blocks that are not run: the document, how the block begins, and why.
const NOT_RUN: &[(&str, &str, &str)] = &[
    ("README.md", "make demo", "starts what the other examples use, and all tests"),
    ("docs/benchmarks.md", "make bench-portal-day", "takes hours"),
    ("docs/formats.md", "CANTATA_WRITE_FIXTURE=", "writes into the repository, at a release"),
    ("docs/guide/operator.md", "make build", "builds, and starts a server for other machines"),
    ("docs/guide/operator.md", "docker compose", "needs Docker"),
    ("docs/guide/operator.md", "helm install", "needs a cluster"),
    ("docs/migration.md", "export SONG_DATABASE_URL=", "needs the database of a SONG server; `song_db` tests it"),
    ("docs/migration.md", "export ES_HOST=", "needs a search cluster"),
    ("docs/migration.md", "cantata import --index file_centric", "needs what was exported from a search cluster"),
    ("docs/operations.md", "createdb", "needs PostgreSQL; `database` tests it"),
    ("docs/operations.md", "ES_HOST=", "needs a search cluster"),
    ("docs/operations.md", "KAFKA_BOOTSTRAP_SERVERS=", "needs Kafka"),
    ("docs/operations.md", "BIND_ADDR=0.0.0.0", "starts a server for other machines"),
    ("docs/operations.md", "journalctl", "needs systemd"),
    ("docs/security.md", "AUTH_MODE=api-key,oidc", "needs an identity provider; `keycloak` tests it"),
];

/// Blocks that are run until they work, because the server notices the block before within a moment.
const EVENTUALLY: &[(&str, &str)] = &[
    ("README.md", "curl -sG http://127.0.0.1:5050/plants/"),
    ("docs/guide/data-manager.md", "mkdir -p configs"),
    ("docs/guide/data-manager.md", "cantata reindex"),
    ("docs/federation.md", "query ($filters"),
    ("docs/federation.md", "cantata query"),
];

/// Blocks that show a refusal.
const REFUSED: &[(&str, &str)] = &[("README.md", "# An invalid submission.")];

/// What stands in the documents for the server and the key of the reader.
const PRINTED_SERVERS: [&str; 2] = ["http://127.0.0.1:5050", "https://catalogue.example.org"];
const PRINTED_KEY: &str = "cantata_…";

/// Makes every failure of a command count, also of one whose output goes to another. An error status, and errors of
/// GraphQL beside a 200, are failures of curl.
const PRELUDE: &str = r#"exec 2>&1
fail() { echo "$*" >> "$RECORD/failures"; }
cantata() { command cantata "$@" || { local code=$?; fail "exit code $code: cantata $*"; return $code; }; }
curl() {
  command curl --fail-with-body "$@" > "$RECORD/answer"
  local code=$?
  cat "$RECORD/answer"
  if grep -q '"errors":\[{' "$RECORD/answer"; then code=1; fi
  if [ $code != 0 ]; then fail "exit code $code: curl $*"; fi
  return $code
}
trap 'fail "exit code $?: $BASH_COMMAND"' ERR
"#;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A block of code that can be run.
struct Example {
    line: usize,
    language: String,
    text: String,
}

impl Example {
    fn is_one_of(&self, document: &str, blocks: &[(&str, &str)]) -> bool {
        blocks.iter().any(|(of, beginning)| *of == document && self.text.starts_with(beginning))
    }

    fn is_not_run(&self, document: &str) -> bool {
        NOT_RUN.iter().any(|(of, beginning, _)| *of == document && self.text.starts_with(beginning))
    }

    /// Returns the shell commands that run the block once.
    fn commands(&self) -> String {
        let text = &self.text;
        match self.language.as_str() {
            "sh" => text.clone(),
            "python" => {
                let package = root().join("clients/python/src");
                format!("PYTHONPATH='{}' python3 <<'END_OF_PYTHON'\n{text}END_OF_PYTHON\n", package.display())
            }
            "graphql" => {
                let curl = "curl -sG \"$CANTATA_URL/files/graphql\" --data-urlencode query@-";
                format!("{curl} <<'END_OF_QUERY'\n{text}END_OF_QUERY\n")
            }
            other => panic!("line {}: nobody knows how to run {other:?}; commands are `sh`", self.line),
        }
    }

    /// Returns the shell commands that run the block and end the shell if it does not do what it should.
    fn script(&self, document: &str) -> String {
        let commands = self.commands();
        let run = if self.is_one_of(document, EVENTUALLY) {
            format!(
                "for attempt in $(seq 200); do\n: > \"$RECORD/failures\"\n{commands}\
                 [ -s \"$RECORD/failures\" ] || break\nsleep 0.3\ndone\n"
            )
        } else {
            format!(": > \"$RECORD/failures\"\n{commands}")
        };
        let check = if self.is_one_of(document, REFUSED) {
            "[ -s \"$RECORD/failures\" ] || { echo 'it should be refused'; exit 1; }\n"
        } else {
            "if [ -s \"$RECORD/failures\" ]; then cat \"$RECORD/failures\"; exit 1; fi\n"
        };
        format!("echo '--- {document}:{}'\n{run}{check}", self.line)
    }
}

/// Returns the blocks of a document that can be run.
fn examples(document: &str) -> Vec<Example> {
    let text = fs_err::read_to_string(root().join(document)).unwrap();
    let mut lines = (1..).zip(text.lines());
    let mut found = Vec::new();
    while let Some((line, start)) = lines.next() {
        let Some(language) = start.trim_start().strip_prefix("```") else { continue };
        let block = lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim() != "```");
        let text: String = block.map(|line| format!("{line}\n")).collect();
        let language = language.split(' ').next().unwrap_or_default().to_owned();
        if ["sh", "bash", "shell", "console", "python", "sql", "graphql"].contains(&language.as_str()) {
            found.push(Example { line, language, text });
        }
    }
    found
}

/// Returns README.md and every document below docs/.
fn documents() -> Vec<String> {
    let root = root();
    let mut found = vec!["README.md".to_owned()];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "md") {
                found.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
            }
        }
    }
    found
}

/// Runs the documents one after the other beside a server whose data folder is in the working folder.
fn run(command: &str, flags: &[&str], documents: &[&str]) {
    let (folder, record) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let data = folder.path().join("cantata-data");
    let configs = folder.path().join("configs");
    fs_err::create_dir(&configs).unwrap();
    let configs_path = format!("--configs-path={}", configs.display());
    let mut flags = flags.to_vec();
    let mut key = String::new();
    if command == "serve" {
        flags.push(&configs_path);
        let create = ["key", "create", "--name", "reader", "--scope", "song.WRITE"];
        let (code, stdout, stderr) = outcome(cantata(&create).arg("--data-dir").arg(&data));
        assert_eq!(code, 0, "{stderr}");
        stdout.lines().next().unwrap().clone_into(&mut key);
    }
    let server = Server::start(command, &data, &flags);
    if command == "demo" {
        ready(&server);
    }
    let url = format!("http://{}", server.address);
    for document in documents {
        let examples = examples(document);
        assert!(examples.iter().any(|example| !example.is_not_run(document)), "{document}: nothing is run");
        let blocks = examples.iter().filter(|example| !example.is_not_run(document));
        let mut script: String = blocks.map(|example| example.script(document)).collect();
        for printed in PRINTED_SERVERS {
            script = script.replace(printed, &url);
        }
        let script = format!("{PRELUDE}{}", script.replace(PRINTED_KEY, &key));
        let (succeeded, output) = shell(&script, folder.path(), record.path(), &url);
        assert!(succeeded, "an example of {document} fails; all that was written until then:\n{output}");
    }
}

/// Runs a script with `cantata` on the path; returns whether it succeeds, and what it writes.
fn shell(script: &str, folder: &Path, record: &Path, url: &str) -> (bool, String) {
    let binary = Path::new(env!("CARGO_BIN_EXE_cantata")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-c", script]).current_dir(folder).env_clear().stdin(Stdio::null());
    command.env("PATH", path).env("CANTATA_URL", url).env("RECORD", record);
    command.envs(std::env::var_os("HOME").map(|home| ("HOME", home)));
    let output = command.output().unwrap();
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn those_of_the_readme_work_on_the_demo() {
    run("demo", &[], README);
}

#[test]
fn those_for_finding_data_work_on_the_demo() {
    run("demo", &[], ON_THE_DEMO);
}

#[test]
fn those_about_networks_work_on_the_network_of_the_demo() {
    run("demo", &["--network=3"], ON_A_NETWORK);
}

#[test]
fn those_of_the_guides_work_on_an_empty_server_with_keys() {
    run("serve", &["--auth-mode=api-key"], GUIDES);
}

#[test]
fn those_for_operators_work_on_an_empty_server() {
    // Keys are made through the running server, which has to take them.
    run("serve", &["--auth-mode=api-key"], OPERATOR);
    run("serve", &[], OPERATIONS);
}

#[test]
fn each_is_run_or_is_named_with_a_reason() {
    let run: HashSet<&str> =
        [README, ON_THE_DEMO, ON_A_NETWORK, GUIDES, OPERATOR, OPERATIONS].concat().into_iter().collect();
    let mut left = Vec::new();
    for document in documents().iter().filter(|document| !TESTED_ELSEWHERE.contains(&document.as_str())) {
        let examples = examples(document);
        let is_left = |example: &&Example| !run.contains(document.as_str()) && !example.is_not_run(document);
        left.extend(examples.iter().filter(is_left).map(|example| format!("{document}:{}", example.line)));
    }
    assert!(left.is_empty(), "neither run nor named in NOT_RUN: {left:?}");
}

#[test]
fn what_is_named_is_there() {
    let not_run = NOT_RUN.iter().map(|(document, beginning, _)| (*document, *beginning));
    for (document, beginning) in not_run.chain(EVENTUALLY.iter().copied()).chain(REFUSED.iter().copied()) {
        let count = examples(document).iter().filter(|example| example.text.starts_with(beginning)).count();
        assert_eq!(count, 1, "{document} has {count} blocks that begin with {beginning:?}");
    }
}
