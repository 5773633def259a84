//! What an MCP client may ask of the bridge, whichever transport and era it comes through.
#![expect(deprecated, reason = "logging is deprecated from 2026-07-28 on, and part of the handshake era")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, ClientCapabilities,
    CompleteRequestParams, CompleteResult, ContentBlock, GetPromptRequestParams, GetPromptResponse,
    GetTaskParams, GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, LoggingLevel, PaginatedRequestParams, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, SetLevelRequestParams, SubscriptionFilter, Tool,
    UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::away::Away;
use super::declared::call::Asked;
use super::unread::{NO_ROOM, Unread};
use super::{arguments, built_in, changes, declared, exec, jobs, list, probe, prompts, resources, tasks};
use crate::config::Timings;
use crate::jobs::Keeper;
use crate::registry::Registry;
use crate::sources::Sources;
use crate::tools::index::Tasks;
use crate::tools::{Catalog, Toolbox};

const INSTRUCTIONS: &str = "Runs Lua on live ComputerCraft (CC:Tweaked) computers. Call `list-computers` to see which are linked \
     and `exec-lua` to run code on one of them; `probe-computers` asks every one for a sign of life. Code in \
     `exec-lua` runs with everything that the computer may do: files, peripherals, turtle movement, HTTP.";

/// What the server needs of the rest of the bridge.
#[derive(Debug)]
pub struct Settings {
    pub registry: Arc<Registry>,
    pub probe_timeout: Duration,
    pub exec_timeout: Duration,
    pub timings: Timings,
    pub shutdown: CancellationToken,
    pub toolbox: Arc<Toolbox>,
    /// Calls that have asked their clients something.
    pub away: Away<Asked>,
    /// The same of jobs that are no tasks yet.
    pub early: Away<()>,
    pub jobs: Arc<Keeper>,
    pub sources: Sources,
}

/// One client's server. A copy serves one session, or one request of the stateless era.
#[derive(Debug, Clone)]
pub struct McpServer {
    settings: Arc<Settings>,
    info: Arc<ServerConfig>,
    tools: Arc<[Tool]>,
    /// Ends with the last copy of this client's server: what runs on its behalf ends with it.
    client: Arc<Client>,
}

/// What is kept for one client.
#[derive(Debug)]
pub struct Client {
    ended: CancellationToken,
    _guard: DropGuard,
    /// What the client wants to have logged; nothing until it says so.
    level: Mutex<Option<LoggingLevel>>,
    /// Somebody tells the client of changes already, however often it says that it is initialized.
    told: AtomicBool,
}

impl Client {
    fn new() -> Arc<Self> {
        let ended = CancellationToken::new();
        Arc::new(Self {
            _guard: ended.clone().drop_guard(),
            ended,
            level: Mutex::default(),
            told: AtomicBool::new(false),
        })
    }

    /// Tells whether a message of this level is to be sent.
    pub fn wants(&self, level: LoggingLevel) -> bool {
        let wanted = *self.level.lock();
        wanted.is_some_and(|wanted| severity(level) >= severity(wanted))
    }
}

/// How bad it is; the SDK has the levels in this order.
pub fn severity(level: LoggingLevel) -> u8 {
    level as u8
}

impl McpServer {
    pub fn new(settings: Settings) -> Self {
        let mut capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_completions()
            .enable_logging()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_tasks()
            .build();
        // The bridge's own tools never change.
        if settings.toolbox.is_used() {
            capabilities.tools.get_or_insert_default().list_changed = Some(true);
        }
        let implementation =
            Implementation::new("mcp-bridge", env!("CARGO_PKG_VERSION")).with_title("ComputerCraft bridge");
        let info =
            ServerConfig::new(capabilities).with_server_info(implementation).with_instructions(INSTRUCTIONS);
        Self {
            settings: Arc::new(settings),
            info: Arc::new(info),
            tools: built_in::all().into(),
            client: Client::new(),
        }
    }

    /// A server for one more client.
    #[must_use]
    pub fn for_client(&self) -> Self {
        Self { client: Client::new(), ..self.clone() }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Calls a tool: one of the bridge's own, or a declared one.
    async fn call(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let given = request.arguments.take().unwrap_or_default();
        let result = match &*request.name {
            built_in::PROBE => match arguments::Given(given).end("there are none") {
                Ok(()) => probe::probe(&self.settings, &context.ct).await,
                Err(error) => error_result(error.to_string()),
            },
            built_in::LIST => match arguments::List::read(given) {
                Ok(arguments) => list::list(&self.settings.registry, &self.settings.sources, &arguments),
                Err(error) => error_result(error.to_string()),
            },
            built_in::EXEC => match arguments::Exec::read(given) {
                Ok(arguments) => {
                    if tasks::are_known(&context)
                        && let Some(outcome) = Box::pin(tasks::exec(&self.settings, &arguments)).await
                    {
                        return outcome;
                    }
                    exec::exec(&self.settings, arguments, &context).await
                }
                Err(error) => error_result(error.to_string()),
            },
            job @ (built_in::START
            | built_in::STATUS
            | built_in::OUTPUT
            | built_in::RESULT
            | built_in::CANCEL
            | built_in::JOBS) => Box::pin(jobs::call(&self.settings, job, given)).await,
            other => {
                let catalog = self.settings.toolbox.current();
                let Some(tool) = catalog.get(other) else {
                    if let Some(why) = catalog.why_not(other) {
                        let text = format!("the tool `{other}` is broken, and was not called:\n{why}");
                        return Ok(error_result(text).into());
                    }
                    return Err(ErrorData::invalid_params(unknown_tool(other, &catalog), None));
                };
                if tool.tasks == Tasks::Required && !tasks::are_known(&context) {
                    let needed = ClientCapabilities::builder().enable_tasks().build();
                    return Err(ErrorData::missing_required_client_capability(needed));
                }
                request.arguments = Some(given);
                if tool.tasks != Tasks::Never
                    && tasks::are_known(&context)
                    && let Some(outcome) =
                        Box::pin(tasks::call(&self.settings, tool, &request, &context)).await
                {
                    return outcome;
                }
                let call = declared::call(&self.settings, &self.client, tool.clone(), request, &context);
                // Boxed, so that the bridge's own tools do not carry the room that it needs.
                return Box::pin(call).await;
            }
        };
        Ok(result.into())
    }
}

fn unknown_tool(name: &str, catalog: &Catalog) -> String {
    let own = built_in::NAMES.into_iter();
    let known: Vec<&str> = own.chain(catalog.tools().iter().map(|tool| &*tool.listed.name)).collect();
    format!("unknown tool `{name}`; there are {}", known.join(", "))
}

/// A result whose only content is this text.
pub fn text_result(text: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

/// A result with structured content, whose text is the JSON of that.
pub fn structured(content: Value, is_error: bool) -> CallToolResult {
    if is_error { CallToolResult::structured_error(content) } else { CallToolResult::structured(content) }
}

/// A tool's own error: the model reads it.
pub fn error_result(text: String) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        (*self.info).clone()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut tools = self.tools.to_vec();
        tools.extend(self.settings.toolbox.current().tools().iter().map(|tool| tool.listed.clone()));
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let own = self.tools.iter().find(|tool| tool.name == name).cloned();
        own.or_else(|| self.settings.toolbox.current().get(name).map(|tool| tool.listed.clone()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let unread = Unread::of(&context);
        // Boxed, so that requests of other kinds do not carry the room that it needs.
        let response = Box::pin(self.call(request, context)).await?;
        Ok(match (&response, unread) {
            (CallToolResponse::Complete(result), Some(unread)) if !unread.takes(result) => {
                error_result(NO_ROOM.to_owned()).into()
            }
            _ => response,
        })
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let task = Box::pin(tasks::get(&self.settings, &request.task_id, &context)).await?;
        match Unread::of(&context) {
            Some(unread) if !unread.takes(&task) => Err(ErrorData::internal_error(NO_ROOM, None)),
            _ => Ok(GetTaskResult::new(task)),
        }
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Box::pin(tasks::update(&self.settings, &request.task_id, request.input_responses)).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Box::pin(tasks::cancel(&self.settings, &request.task_id)).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        resources::list(&self.settings.registry, request.and_then(|request| request.cursor).as_deref())
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(vec![resources::template()]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        resources::read(&self.settings, &request.uri).map(Into::into)
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::all()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&self.settings.registry, &request.name, request.arguments.as_ref()).map(Into::into)
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(prompts::complete(&self.settings.registry, &request.argument))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        *self.client.level.lock() = Some(request.level);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.resources_list_changed = requested.resources_list_changed.filter(|wanted| *wanted);
        accepted.tools_list_changed =
            requested.tools_list_changed.filter(|wanted| *wanted && self.settings.toolbox.is_used());
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        Box::pin(changes::listen(&self.settings, context)).await;
        Ok(())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        if self.client.told.swap(true, Ordering::Relaxed) {
            return;
        }
        let client = Arc::downgrade(&self.client);
        let (settings, ended) = (self.settings.clone(), self.client.ended.clone());
        // From now on, not from when the task first runs.
        let heard = changes::Heard::from_now(&settings);
        tokio::spawn(changes::tell(settings, context.peer, ended, client, heard));
    }
}
