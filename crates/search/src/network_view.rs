//! The network of a catalogue, as one identity sees it: its fields without those that the catalogue hides, and the
//! nodes that are catalogues of this server.

use std::sync::Arc;

use async_trait::async_trait;
use cantata_catalogue::{NetworkField, flat_name};
use cantata_federation::{ForwardedHeader, LocalCatalogue, LocalCatalogues, Network};
use cantata_graphql::{GraphqlRequest, NetworkAnswer, NetworkQuestion};
use futures_util::future::join_all;

use crate::served_catalogue::ServedCatalogue;

/// The network of a catalogue, as one identity sees it.
#[derive(Clone)]
pub(crate) struct NetworkView {
    pub(crate) network: Arc<Network>,
    pub(crate) locals: Arc<LocalNodes>,
}

/// The catalogues of this server that are nodes, by the number of the node.
pub(crate) struct LocalNodes(pub(crate) Vec<Option<Arc<ServedCatalogue>>>);

impl NetworkView {
    /// Returns the fields of the network but those that the catalogue hides or masks, whatever node has them.
    pub(crate) fn fields(&self, own: &ServedCatalogue) -> Arc<Vec<NetworkField>> {
        let mut fields = self.network.fields(&*self.locals);
        if !own.view.hidden_fields.is_empty() {
            let redacted = own.catalogue.full_mapping.expand_redactions(&own.view.hidden_fields);
            let names = redacted.hidden.iter().chain(redacted.masked.keys()).map(|path| flat_name(path));
            let names: Vec<String> = names.collect();
            let is_at_or_below = |field: &str, name: &str| {
                field.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with("__"))
            };
            let is_hidden = |field: &NetworkField| names.iter().any(|name| is_at_or_below(&field.name, name));
            Arc::make_mut(&mut fields).retain(|field| !is_hidden(field));
        }
        fields
    }

    /// Asks the nodes; all questions of a request at once.
    pub(crate) async fn ask(&self, questions: &[NetworkQuestion], headers: &[ForwardedHeader]) -> Vec<NetworkAnswer> {
        let asked = questions.iter().map(|question| self.network.ask(question, &*self.locals, headers));
        join_all(asked).await
    }
}

#[async_trait]
impl LocalCatalogues for LocalNodes {
    fn catalogue(&self, node: usize) -> Option<LocalCatalogue> {
        let served = self.0.get(node)?.as_ref()?;
        let fields = served.catalogue.root.aggregations.iter();
        let fields = fields.map(|field| NetworkField { name: field.name.clone(), kind: field.kind });
        Some(LocalCatalogue {
            document_type: served.catalogue.document_type.clone(),
            fields: fields.collect(),
            suppression_threshold: served.view.suppression_threshold,
        })
    }

    async fn query(&self, node: usize, request: GraphqlRequest) -> Vec<u8> {
        let Some(Some(served)) = self.0.get(node) else { return Vec::new() };
        match served.prepare(&request) {
            Ok(prepared) => served.execute(&prepared).await,
            Err(rejected) => rejected.bytes,
        }
    }
}
