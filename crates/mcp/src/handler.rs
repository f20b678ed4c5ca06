//! The protocol handler: dispatches requests to tools, resources and the prompt.

use http::Extensions;
use http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};

use crate::caller_context::CallerContext;
use crate::server::McpServices;
use crate::tool_result::to_call_result;
use crate::{prompt, resources, tools};

const INSTRUCTIONS: &str = "Cantata keeps metadata of studies, analyses and files, and searches catalogues of them. To \
    answer a question about the data: list_catalogues, then get_catalogue_fields for the names and types of its fields, \
    then build_sqon with every condition in one call, then execute_query with the filter as it came back. Never guess \
    the name of a field. To prepare a submission: describe_analysis_types, then validate_analysis, which stores nothing.";

/// The context of a request of a client.
type Context = RequestContext<RoleServer>;

/// Which page of a list is asked for.
type PageRequest = Option<PaginatedRequestParams>;

type Answer<T> = Result<T, ErrorData>;

/// Handles the requests of one client.
#[derive(Clone)]
pub(crate) struct McpHandler {
    pub(crate) services: McpServices,
}

impl McpHandler {
    fn caller(&self, context: &Context) -> CallerContext<'_> {
        CallerContext::new(&self.services, request_of(context))
    }
}

/// Returns the extensions of the HTTP request of a call. Without one the sender is anonymous.
fn request_of(context: &Context) -> &Extensions {
    static NOTHING: std::sync::LazyLock<Extensions> = std::sync::LazyLock::new(Extensions::new);
    context.extensions.get::<Parts>().map_or(&NOTHING, |parts| &parts.extensions)
}

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_prompts().build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("cantata", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(&self, _: PageRequest, _: Context) -> Answer<ListToolsResult> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(&self, call: CallToolRequestParams, context: Context) -> Answer<CallToolResponse> {
        let result = tools::call(&self.services, request_of(&context), &call.name, call.arguments).await;
        let result = result.transpose().ok_or_else(|| {
            let text = format!("There is no tool {:?}; tools/list shows which there are", call.name);
            ErrorData::invalid_params(text, None)
        })?;
        Ok(to_call_result(result).into())
    }

    async fn list_resources(&self, _: PageRequest, context: Context) -> Answer<ListResourcesResult> {
        Ok(ListResourcesResult::with_all_items(resources::all(&self.caller(&context))))
    }

    async fn list_resource_templates(&self, _: PageRequest, _: Context) -> Answer<ListResourceTemplatesResult> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(&self, wanted: ReadResourceRequestParams, context: Context) -> Answer<ReadResourceResponse> {
        Ok(resources::read(&self.caller(&context), &wanted.uri)?.into())
    }

    async fn list_prompts(&self, _: PageRequest, _: Context) -> Answer<ListPromptsResult> {
        Ok(ListPromptsResult::with_all_items(vec![prompt::description()]))
    }

    async fn get_prompt(&self, wanted: GetPromptRequestParams, context: Context) -> Answer<GetPromptResponse> {
        Ok(prompt::messages(&self.caller(&context), &wanted)?.into())
    }
}
