//! What the protocol asks of a server, handed on to tools, resources and the prompt.

use std::sync::Arc;

use cantata_access::Identity;
use http::Extensions;
use http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::catalogues::Asking;
use crate::door::Services;
use crate::outcome::result;
use crate::{prompt, resources, tools};

const INSTRUCTIONS: &str = "Cantata keeps metadata of studies, analyses and files, and searches catalogues of them. To \
    answer a question about the data: list_catalogues, then get_catalogue_fields for the names and types of its fields, \
    then build_sqon with every condition in one call, then execute_query with the filter as it came back. Never guess \
    the name of a field. To prepare a submission: describe_analysis_types, then validate_analysis, which stores nothing.";

/// Answers the requests of one client.
#[derive(Clone)]
pub(crate) struct Handler {
    services: Services,
}

impl Handler {
    pub(crate) fn new(services: Services) -> Self {
        Self { services }
    }

    fn asking<'a>(&'a self, identity: &'a Identity) -> Asking<'a> {
        Asking { search: self.services.search.as_ref(), identity }
    }

    fn identity(&self, context: &RequestContext<RoleServer>) -> Arc<Identity> {
        self.services.permissions.identity(request_of(context))
    }
}

/// Returns what is known of the request that a call came with. Without one there is no sender, who may do nothing.
fn request_of(context: &RequestContext<RoleServer>) -> &Extensions {
    static NOTHING: std::sync::LazyLock<Extensions> = std::sync::LazyLock::new(Extensions::new);
    context.extensions.get::<Parts>().map_or(&NOTHING, |parts| &parts.extensions)
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("cantata", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        call: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let outcome = tools::call(&self.services, request_of(&context), &call.name, call.arguments).await;
        let outcome = outcome.ok_or_else(|| {
            ErrorData::invalid_params(
                format!("There is no tool {:?}; tools/list shows which there are", call.name),
                None,
            )
        })?;
        Ok(result(outcome).into())
    }

    async fn list_resources(
        &self,
        _page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let identity = self.identity(&context);
        Ok(ListResourcesResult::with_all_items(resources::all(&self.asking(&identity))))
    }

    async fn list_resource_templates(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        wanted: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let identity = self.identity(&context);
        Ok(resources::read(&self.asking(&identity), &wanted.uri)?.into())
    }

    async fn list_prompts(
        &self,
        _page: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(vec![prompt::description()]))
    }

    async fn get_prompt(
        &self,
        wanted: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let identity = self.identity(&context);
        Ok(prompt::messages(&self.asking(&identity), &wanted)?.into())
    }
}
