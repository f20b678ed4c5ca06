//! What all commands have in common: readers that leave, colours, help, completions.

use std::io::Read;
use std::process::{Command, Stdio};

use cantata_testkit::Payload;

use super::site::Site;
use crate::process::{cantata, outcome};

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let site = Site::with_study();
    let lines: String = (0..3000).map(|_| format!("{}\n", Payload::new("S").with_files(2).build())).collect();
    let file = site.file("many.ndjson", lines);
    // What is asked for is done all the same.
    let mut child = site.command(&["submit", &file]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    for arguments in [&["export", "-s", "S"][..], &["search", "-s", "S", "-f", "."], &["export", "-s", "S", "--json"]] {
        let mut child = site.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        let _ = stdout.read(&mut [0; 100]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn only_terminals_are_shown_colours() {
    let site = Site::with_study();
    let file = site.file("one.json", Payload::new("S").build().to_string());
    let (_, stdout, stderr) = outcome(site.command(&["submit", &file]).env("TERM", "xterm-256color"));
    assert!(!stdout.contains('\u{1b}') && !stderr.contains('\u{1b}'), "{stdout}{stderr}");
    // `script` gives a command a terminal.
    let on_terminal = |no_colour: &str| {
        let mut command = Command::new("script");
        let client = format!("{} type list --server {}", env!("CARGO_BIN_EXE_cantata"), site.address());
        command.args(["-qec", &client, "/dev/null"]).env("NO_COLOR", no_colour).stdin(Stdio::null());
        command.output().ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (Some(coloured), Some(plain)) = (on_terminal(""), on_terminal("1")) else { return };
    assert!(coloured.contains("\u{1b}[1mname"), "{coloured:?}");
    assert!(plain.contains("name") && !plain.contains("\u{1b}[1m"), "{plain:?}");
}

#[test]
fn every_command_has_help_with_its_variables_and_codes() {
    for command in [
        &["study"][..],
        &["type"],
        &["submit"],
        &["manifest"],
        &["publish"],
        &["unpublish"],
        &["suppress"],
        &["get"],
        &["search"],
        &["export"],
        &["update"],
        &["update-file"],
        &["query"],
        &["download"],
    ] {
        let (code, help, _) = outcome(&mut cantata(&[command, &["--help"]].concat()));
        assert_eq!(code, 0);
        for part in ["CANTATA_URL", "CANTATA_KEY", "--json", "Exit codes: 0"] {
            assert!(help.contains(part), "{command:?}: '{part}' is not in: {help}");
        }
    }
    assert_eq!(outcome(&mut cantata(&["study"])).0, 2);
}

#[test]
fn shells_get_completions() {
    for (shell, part) in [
        ("bash", "update-file"),
        ("zsh", "#compdef cantata"),
        ("fish", "complete -c cantata"),
        ("powershell", "Register-ArgumentCompleter"),
        ("elvish", "edit:completion"),
    ] {
        let (code, script, stderr) = outcome(&mut cantata(&["completions", shell]));
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert!(script.contains(part) && script.contains("dry-run"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("completions");
    fs_err::write(&script, outcome(&mut cantata(&["completions", "bash"])).1).unwrap();
    let checked = Command::new("bash").arg("-n").arg(&script).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    let (code, _, stderr) = outcome(&mut cantata(&["completions", "csh"]));
    assert!(code == 2 && stderr.contains("bash"), "{stderr}");
}
