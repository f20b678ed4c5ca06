//! A live probe of the nodes of networks. A node that does not answer is a warning: it joins its network once it does.

use cantata_catalogue::CatalogueConfigs;
use cantata_catalogue::check::CheckReport;
use cantata_search::{NodeProbe, probe_nodes};

/// Asks the nodes of every network, and adds what is wrong with them to the report.
pub(super) async fn probe(configs: &CatalogueConfigs, report: &mut CheckReport) {
    for configured in &configs.catalogues {
        let Ok(config) = &configured.config else { continue };
        let Some(network) = &config.network else { continue };
        let Some(catalogue) = report.catalogues.iter_mut().find(|catalogue| catalogue.id == configured.id) else {
            continue;
        };
        for NodeProbe { position, name, error, unknown_fields } in probe_nodes(network).await {
            let key = format!("network.remoteNodes[{position}]");
            if let Some(error) = error {
                let expected = "a node that tells its fields: by GraphQL introspection, or of the kind cantata";
                catalogue.misfits.push(config.warning(&key, format!("{name:?}, but {error}"), expected));
            }
            for path in unknown_fields {
                let found = format!("a name for {path:?}, which {name:?} does not have");
                catalogue.misfits.push(config.warning(&format!("{key}.fields"), found, "the path of a field there"));
            }
        }
    }
}
