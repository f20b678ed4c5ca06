//! The config files of the two catalogues that are made of the submissions, as they lie in `configs`.

const CONFIGS: [(&str, &str); 12] = [
    ("analyses/base.json", include_str!("../configs/analyses/base.json")),
    ("analyses/charts.json", include_str!("../configs/analyses/charts.json")),
    ("analyses/facets.json", include_str!("../configs/analyses/facets.json")),
    ("analyses/matchbox.json", include_str!("../configs/analyses/matchbox.json")),
    ("analyses/source.json", include_str!("../configs/analyses/source.json")),
    ("analyses/table.json", include_str!("../configs/analyses/table.json")),
    ("files/base.json", include_str!("../configs/files/base.json")),
    ("files/charts.json", include_str!("../configs/files/charts.json")),
    ("files/facets.json", include_str!("../configs/files/facets.json")),
    ("files/matchbox.json", include_str!("../configs/files/matchbox.json")),
    ("files/source.json", include_str!("../configs/files/source.json")),
    ("files/table.json", include_str!("../configs/files/table.json")),
];

/// Returns the config files of the catalogues `files` and `analyses`: the path of each in the folder of all configs, and
/// its text.
pub fn configs() -> &'static [(&'static str, &'static str)] {
    &CONFIGS
}
