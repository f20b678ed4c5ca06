//! The examples of `docs/cli.md`, run one after the other in one shell.
//!
//! A block of `sh` is an example; a block of `text` after it is what it writes, standard error included. `<id>` stands
//! for an id, `<time>` for a moment. `CANTATA_REWRITE_DOCS=1` writes down what the examples write.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::Server;

const GUIDE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/cli.md");

/// The line that starts the server; here the test does, on a free port.
const SERVE: &str = "cantata serve > serve.log &";

/// What stands between the outputs of two examples.
const END: &str = "--- the end of an example ---";

/// A block of the guide.
struct Block {
    language: String,
    text: String,
}

/// Splits the guide into what is not a block and blocks, in turns.
fn blocks(guide: &str) -> Vec<(String, Block)> {
    let mut found = Vec::new();
    let (mut before, mut lines) = (String::new(), guide.lines());
    while let Some(line) = lines.next() {
        before.push_str(&format!("{line}\n"));
        if let Some(language) = line.strip_prefix("```") {
            let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            let text = text.iter().map(|line| format!("{line}\n")).collect();
            found.push((std::mem::take(&mut before), Block { language: language.to_owned(), text }));
        }
    }
    found.push((before, Block { language: String::new(), text: String::new() }));
    found
}

/// Runs a script with `cantata` on the path, and returns what it writes.
fn run(script: &str, folder: &Path, url: &str) -> String {
    let binary = Path::new(env!("CARGO_BIN_EXE_cantata")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut command = Command::new("bash");
    command.args(["-c", &format!("exec 2>&1\n{script}")]).current_dir(folder).env_clear();
    command.env("PATH", path).env("CANTATA_URL", url).stdin(Stdio::null());
    String::from_utf8(command.output().unwrap().stdout).unwrap().replace('\r', "")
}

/// Replaces what is different each time.
fn general(text: &str) -> String {
    let mut general = String::new();
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while !rest.is_empty() {
            if let Some((length, name)) = [(36, "<id>"), (19, "<time>")].into_iter().find(|(length, name)| {
                let shape =
                    if *name == "<id>" { "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" } else { "0000-00-00T00:00:00" };
                rest.get(..*length).is_some_and(|start| has_shape(start, shape))
            }) {
                general.push_str(name);
                rest = &rest[length..];
                if name == "<time>" {
                    rest = rest.trim_start_matches(|sign: char| sign == '.' || sign.is_ascii_digit());
                }
            } else {
                let sign = rest.chars().next().unwrap();
                general.push(sign);
                rest = &rest[sign.len_utf8()..];
            }
        }
    }
    general
}

fn has_shape(text: &str, shape: &str) -> bool {
    text.chars().zip(shape.chars()).all(|(sign, kind)| match kind {
        'x' => sign.is_ascii_hexdigit(),
        '0' => sign.is_ascii_digit(),
        other => sign == other,
    })
}

#[test]
fn the_examples_write_what_the_guide_says() {
    let guide = fs_err::read_to_string(GUIDE).unwrap();
    let mut blocks = blocks(&guide);
    let folder = tempfile::tempdir().unwrap();
    let examples: Vec<&str> =
        blocks.iter().filter(|(_, block)| block.language == "sh").map(|(_, block)| block.text.as_str()).collect();
    assert!(examples.len() > 12);
    let (preparation, examples) = examples.split_first().unwrap();
    assert!(preparation.contains(SERVE));
    assert_eq!(run(&preparation.replace(SERVE, ""), folder.path(), ""), "");
    let configs = format!("--configs-path={}", folder.path().join("configs").display());
    let server = Server::start("serve", &folder.path().join("cantata-data"), &[&configs]);

    let script: String = examples.iter().map(|example| format!("{example}echo '{END}'\n")).collect();
    let output = run(&script, folder.path(), &format!("http://{}", server.address));
    let mut outputs = output.split(&format!("{END}\n")).map(general).collect::<Vec<_>>().into_iter();
    let mut differences = Vec::new();
    for (_, block) in blocks.iter_mut().filter(|(_, block)| block.language == "text") {
        let written = outputs.next().unwrap();
        if block.text != written {
            differences.push(format!("the guide says:\n{}but it writes:\n{written}", block.text));
            block.text = written;
        }
    }
    assert_eq!(outputs.collect::<String>(), "", "every example has its output");
    if std::env::var_os("CANTATA_REWRITE_DOCS").is_some() {
        let rewritten: String =
            blocks
                .iter()
                .map(|(before, Block { language, text })| {
                    if language.is_empty() && text.is_empty() { before.clone() } else { format!("{before}{text}```\n") }
                })
                .collect();
        fs_err::write(GUIDE, rewritten).unwrap();
        return;
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
