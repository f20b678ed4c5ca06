//! The reference page of the command line, generated from the commands themselves.
//!
//! `CANTATA_REWRITE_DOCS=1 cargo test -p cantata` rewrites the page.

use std::fmt::Write;

use clap::{Arg, Command};

use super::Cli;
use crate::settings::is_setting;
use crate::settings::reference::assert_page_is_current;

const INTRODUCTION: &str = "# Command line reference

Every command with its arguments and flags, generated from the program. [cli.md](cli.md) explains the client commands with
examples, and [configuration.md](configuration.md) describes the settings.
";

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut program = Cli::for_shells();
    program.build();
    for command in program.get_subcommands() {
        add_command(&mut page, &format!("cantata {}", command.get_name()), command);
    }
    page
}

fn add_command(page: &mut String, path: &str, command: &Command) {
    let about = command.get_long_about().or_else(|| command.get_about()).map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().bin_name(path).render_usage().to_string().replace("Usage: ", "");
    write!(page, "\n## {path}\n\n{}.\n\n```text\n{usage}\n```\n", about.trim_end_matches('.')).expect("a string grows");
    let (settings, own): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(|argument| !argument.is_hide_set()).partition(|argument| is_setting(argument));
    if !own.is_empty() {
        page.push_str("\n| Argument | Default | Meaning |\n|---|---|---|\n");
        own.into_iter().for_each(|argument| page.push_str(&row(argument)));
    }
    if !settings.is_empty() {
        let flags: Vec<String> =
            settings.iter().filter_map(|setting| Some(format!("`--{}`", setting.get_long()?))).collect();
        write!(page, "\nSettings: {}.\n", flags.join(", ")).expect("a string grows");
    }
    for subcommand in command.get_subcommands() {
        add_command(page, &format!("{path} {}", subcommand.get_name()), subcommand);
    }
}

fn row(argument: &Arg) -> String {
    let defaults: Vec<_> = argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = if defaults.is_empty() || !argument.get_action().takes_values() {
        String::new()
    } else {
        format!("`{}`", defaults.join(" "))
    };
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values: Vec<_> = argument.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    let values = match argument.get_action().takes_values() && !values.is_empty() {
        true => format!(" One of: {}.", values.join(", ")),
        false => String::new(),
    };
    let short = argument.get_short().map(|short| format!("-{short}, ")).unwrap_or_default();
    format!("| `{short}{argument}` | {default} | {help}.{values} |\n").replace("|  |", "| |")
}

#[test]
fn the_reference_page_is_up_to_date() {
    assert_page_is_current("cli-reference.md", &page());
}
