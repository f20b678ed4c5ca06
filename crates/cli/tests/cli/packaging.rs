//! What is packaged names only what the server has: metrics, and settings.

use std::collections::BTreeSet;
use std::path::Path;

/// The endings of the series that a histogram has.
const OF_A_HISTOGRAM: [&str; 3] = ["_bucket", "_sum", "_count"];

fn read(path: &str) -> String {
    fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap()
}

/// Returns the names in a text that look like those of metrics.
fn metrics_in(text: &str) -> BTreeSet<String> {
    let words = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
    let metrics = words.filter(|word| {
        ["cantata_", "process_"].iter().any(|start| word.strip_prefix(start).is_some_and(|rest| !rest.is_empty()))
    });
    let without_ending = |word: &str| {
        let ending = OF_A_HISTOGRAM.iter().find(|ending| word.contains("_seconds_") && word.ends_with(**ending));
        ending.map_or(word, |ending| &word[..word.len() - ending.len()]).to_owned()
    };
    metrics.map(without_ending).collect()
}

/// Returns the metrics that the server writes: each is a text in one of these sources.
fn exported() -> BTreeSet<String> {
    let sources = ["collect", "process", "route"].map(|name| read(&format!("crates/server/src/metrics/{name}.rs")));
    let texts: String =
        sources.iter().flat_map(|source| source.split('"').skip(1).step_by(2)).map(|text| format!("{text} ")).collect();
    metrics_in(&texts)
}

#[test]
fn the_dashboard_and_the_alerts_use_metrics_of_the_server() {
    let exported = exported();
    assert!(exported.len() > 25, "{exported:?}");
    let dashboard: serde_json::Value =
        serde_json::from_str(&read("packaging/monitoring/grafana-dashboard.json")).unwrap();
    let used = metrics_in(&dashboard.to_string());
    assert_eq!(used, exported, "the dashboard shows every metric, and no other");
    let alerts = metrics_in(&read("packaging/monitoring/alerts.yml"));
    assert!(alerts.len() > 10 && alerts.is_subset(&exported), "{:?}", alerts.difference(&exported));
}

#[test]
fn the_documentation_lists_the_metrics_of_the_server() {
    let operations = read("docs/operations.md");
    let section = operations.split("\n## ").find(|section| section.starts_with("Metrics\n")).unwrap();
    let names = section.lines().filter(|line| line.starts_with("| `")).filter_map(|line| line.split('|').nth(1));
    let listed = metrics_in(&names.collect::<String>());
    assert_eq!(listed, exported());
}

#[test]
fn the_proxies_name_settings_of_the_server() {
    let reference = read("docs/configuration.md");
    for sample in ["packaging/proxy/nginx.conf", "packaging/proxy/Caddyfile"] {
        let text = read(sample);
        let words = text.split(|sign: char| !sign.is_ascii_alphanumeric() && sign != '_');
        let named: BTreeSet<&str> =
            words.filter(|word| word.contains('_') && *word == word.to_ascii_uppercase()).collect();
        assert!(named.contains("PUBLIC_URL") && named.contains("TRUSTED_PROXIES"), "{sample}: {named:?}");
        for name in named {
            assert!(reference.contains(&format!("| `{name}` |")), "{sample}: {name} is no setting");
        }
        // The address of the server below a path of another site.
        assert!(text.contains("PUBLIC_URL=https://www.example.org/catalogue,"), "{sample}");
    }
}

#[test]
fn the_service_sets_settings_of_the_server() {
    let unit = read("packaging/systemd/cantata.service");
    let reference = read("docs/configuration.md");
    let variables = unit.lines().filter_map(|line| line.strip_prefix("Environment=")?.split_once('='));
    let set: Vec<&str> = variables.map(|(name, _)| name).collect();
    assert!(set.contains(&"DATA_DIR") && set.contains(&"AUTH_MODE"), "{set:?}");
    for name in set {
        assert!(reference.contains(&format!("| `{name}` |")), "{name} is no setting");
    }
    for hardening in ["NoNewPrivileges=yes", "ProtectSystem=strict", "CapabilityBoundingSet=", "UMask=0077"] {
        assert!(unit.lines().any(|line| line == hardening), "{hardening}");
    }
}
