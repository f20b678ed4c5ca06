//! Validates values of a submission with the external services that its analysis type names.
//!
//! Each rule has a path and a URL template. The template is expanded with every string at the path, and a GET of the
//! result must return a 2XX status; any other response, or a timeout, rejects the submission. A path without a match
//! makes no call; a value that is not a string is rejected without a call.
//!
//! Calls are concurrent, but the reported failure is always the first one in the order of the rules and, within a rule,
//! of the values. An invalid template is rejected before any call is sent. Within one submission each expanded URL is
//! called once; there is no cache across submissions.

mod path;
mod path_syntax;
mod template;

use std::collections::HashSet;
use std::time::Duration;

use cantata_core::{Error, ErrorOrigin, ExternalValidation, Result};
use cantata_http_client::{ClientSettingsError, HttpClient};
use futures_util::{StreamExt, stream};
use reqwest::{Method, Url};
use serde_json::Value;

pub use self::template::UrlTemplateError;

/// The default timeout of a call to an external service.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// How many concurrent calls one submission may make.
const MAX_CONCURRENT_CALLS: usize = 8;

/// Asks external services whether values are valid.
#[derive(Debug)]
pub struct ExternalValidator {
    http: HttpClient,
}

impl ExternalValidator {
    /// Makes a validator whose calls fail after `timeout`.
    pub fn new(timeout: Duration) -> Result<Self, ClientSettingsError> {
        Ok(Self { http: HttpClient::new(timeout)? })
    }

    /// Rejects a payload with a value that is not a string, or that the service of its rule does not accept.
    pub async fn check(&self, study_id: &str, payload: &Value, rules: &[ExternalValidation]) -> Result<()> {
        let plan = ValidationPlan::new(study_id, payload, rules)?;
        let calls = &plan.calls;
        let mut answers = stream::iter(0..calls.len()).map(|nth| self.send(&calls[nth])).buffered(MAX_CONCURRENT_CALLS);
        while let Some(answer) = answers.next().await {
            answer?;
        }
        plan.error_after_calls.map_or(Ok(()), Err)
    }

    async fn send(&self, call: &ServiceCall<'_>) -> Result<()> {
        if let Some(url) = &call.url {
            match self.http.send(Method::GET, url.clone(), |request| request).await {
                Ok(response) if response.status().is_success() => return Ok(()),
                Ok(response) => {
                    tracing::debug!(path = call.path, status = %response.status(), "external validation refused a value");
                }
                Err(error) => tracing::warn!(path = call.path, %error, "external validation got no answer"),
            }
        }
        Err(violation(format_args!(
            "Value '{}' from path '{}' is not permitted as it failed to validate with external validation source.",
            call.value, call.path
        )))
    }
}

/// Rejects rules at registration that could never check anything, or that show a credential.
pub(crate) fn check_rules(rules: &[ExternalValidation]) -> Result<()> {
    rules.iter().enumerate().try_for_each(|(index, rule)| {
        check_rule(rule).map_err(|error| {
            let text = format!("#/options/externalValidations/{index}/{error}");
            Error::malformed_parameter(ErrorOrigin::AnalysisTypeService, text)
        })
    })
}

/// Why a rule could never check anything, or that it shows a credential; the member at fault comes first.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// The path has another syntax.
    #[error("jsonPath: '{0}' is no path; write it like experiment.donorId or samples[*].donorId")]
    Path(String),
    /// The URL template cannot be used.
    #[error("url: it cannot be used: {0}")]
    Url(#[source] UrlTemplateError),
}

/// Checks the path and the URL template of a rule.
///
/// # Errors
///
/// If the rule could never check anything, or shows a credential.
pub fn check_rule(rule: &ExternalValidation) -> Result<(), RuleError> {
    if path_syntax::PathQuery::parse(&rule.json_path).is_none() {
        return Err(RuleError::Path(rule.json_path.clone()));
    }
    template::check(&rule.url).map_err(RuleError::Url)
}

/// Removes the user and the password from the url of a rule, and says whether it may have had them.
pub fn remove_credentials(rule: &mut ExternalValidation) -> bool {
    let Some(url) = template::without_credentials(&rule.url) else { return false };
    rule.url = url;
    true
}

/// The calls of a submission, in the order in which their failures are reported.
struct ValidationPlan<'a> {
    calls: Vec<ServiceCall<'a>>,
    /// The error to report if all calls succeed: that of the first rule whose path matches other values than strings.
    error_after_calls: Option<Error>,
}

struct ServiceCall<'a> {
    /// The URL; none if no URL can contain the value.
    url: Option<Url>,
    value: &'a str,
    path: &'a str,
}

impl<'a> ValidationPlan<'a> {
    fn new(study_id: &str, payload: &'a Value, rules: &'a [ExternalValidation]) -> Result<Self> {
        let mut plan = Self { calls: Vec::new(), error_after_calls: None };
        let mut planned = HashSet::new();
        for rule in rules {
            let values = match path::strings_at(payload, &rule.json_path) {
                Ok(values) => values,
                Err(found) => {
                    plan.error_after_calls =
                        Some(violation(format_args!("Value at path '{}' must be {found}.", rule.json_path)));
                    break;
                }
            };
            for value in values {
                let url = template::fill(&rule.url, study_id, value).map_err(|reason| {
                    violation(format_args!(
                        "The url '{}' of the external validation of path '{}' cannot be used: {reason}.",
                        rule.url, rule.json_path
                    ))
                })?;
                if url.as_ref().is_none_or(|url| planned.insert(url.clone())) {
                    plan.calls.push(ServiceCall { url, value, path: &rule.json_path });
                }
            }
        }
        Ok(plan)
    }
}

fn violation(text: std::fmt::Arguments<'_>) -> Error {
    Error::schema_violation(ErrorOrigin::SubmitService, format!("#: {text}"))
}
