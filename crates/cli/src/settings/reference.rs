//! The reference page of the settings, generated from the settings themselves.
//!
//! `CANTATA_REWRITE_DOCS=1 cargo test -p cantata` rewrites the page.

use std::fmt::Write;
use std::path::Path;

use clap::Arg;

use super::sources::{setting_arguments, variable};

const INTRODUCTION: &str = "# Configuration

Every setting is a flag of `cantata serve` and `cantata demo`, an environment variable, and a key of a TOML file. All
three have the same name: `--server-port`, `SERVER_PORT`, `server_port`.

- A flag overrides the environment, the environment the file, the file the default.
- An empty environment variable counts as not set.
- `--config FILE` or the environment variable `CANTATA_CONFIG` names the file. All keys are at its top level:

  ```toml
  server_port = 8080
  data_dir = \"/var/lib/cantata\"
  schemas_enforce_latest = true
  ```

- An invalid value, or a key that is not listed here, ends the program with exit code 2. All problems are reported at
  once, each with its source, what was found and what was expected.
- Settings that are true or false can be given as `--insecure`, `--insecure=true` or `--insecure=false`.
- Of the variables of SONG, `SCHEMAS_ENFORCELATEST`, `SCORE_ACCESSTOKEN` and `SONG_ID` mean the same as
  `SCHEMAS_ENFORCE_LATEST`, `SCORE_ACCESS_TOKEN` and `SERVER_ID`, which win. If another variable of SONG or Arranger is set
  that is not used here, such as `SPRING_PROFILES_ACTIVE` or `PORT`, a warning in the log says what to set instead.
";

fn page() -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut section = String::new();
    for setting in setting_arguments().get_arguments() {
        let heading = setting.get_help_heading().expect("every setting is in a section");
        if heading != section {
            section = heading.to_owned();
            write!(page, "\n## {section}\n\n").expect("writing to a string succeeds");
            page.push_str("| Flag | Variable | TOML key | Default | Meaning |\n|---|---|---|---|---|\n");
        }
        page.push_str(&row(setting));
    }
    page
}

fn row(setting: &Arg) -> String {
    let defaults: Vec<_> = setting.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
    let default = if defaults.is_empty() { "unset".to_owned() } else { format!("`{}`", defaults.join(" ")) };
    let values: Vec<_> = setting.get_possible_values().iter().map(|value| format!("`{}`", value.get_name())).collect();
    let values = if values.is_empty() { String::new() } else { format!(" One of: {}.", values.join(", ")) };
    format!(
        "| `--{}` | `{}` | `{}` | {default} | {}.{values} |\n",
        setting.get_long().expect("every setting is a flag"),
        variable(setting),
        setting.get_id(),
        setting.get_help().expect("every setting has a help text"),
    )
}

/// Compares a page of the documentation with what it must be, or rewrites it.
pub(crate) fn assert_page_is_current(name: &str, page: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    if std::env::var_os("CANTATA_REWRITE_DOCS").is_some() {
        fs_err::write(&file, page).unwrap();
    }
    let written = fs_err::read_to_string(&file).unwrap_or_default();
    assert!(written == page, "docs/{name} is out of date; CANTATA_REWRITE_DOCS=1 cargo test -p cantata");
}

#[test]
fn the_page_lists_every_setting_as_it_is() {
    assert_page_is_current("configuration.md", &page());
}

#[test]
fn flag_variable_and_key_have_one_name() {
    for setting in setting_arguments().get_arguments() {
        let long = setting.get_long().unwrap();
        assert_eq!(long.replace('-', "_"), setting.get_id().as_str());
        assert_eq!(long.replace('-', "_").to_uppercase(), variable(setting));
    }
}
