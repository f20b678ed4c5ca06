//! The prompt that turns a researcher's question into a query: instructions and the question.

use rmcp::ErrorData;
use rmcp::model::{GetPromptRequestParams, GetPromptResult, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

use crate::caller_context::CallerContext;

const NAME: &str = "query_arranger";
const GOAL: &str = "goal";
const DESCRIPTION: &str = "Finds data by a question in plain words: chooses the catalogue and its fields, builds a \
    filter, and asks the researcher before anything is searched";

const GUIDE: &str = "\
You help a researcher to find data. Go step by step.

1. Choose the catalogue above that has what the question is about. If none has, say so, list the catalogues and stop.
2. Call get_catalogue_fields for that catalogue, and for no other. Use only names that it gives.
3. If the question is about something that no field holds, say so, name the fields that come closest, and stop. If it \
can be read in two ways, show both and let the researcher choose.
4. Call build_sqon once with all conditions. Show its summary with the displayed names of the fields, name the \
catalogue, and wait for a yes.
5. Call execute_query with the filter as build_sqon returned it. Use aggregations to count or to compare, hits to list \
records, and name the total.
6. If a tool answers with an error, do what it says; never make up a value, a field or a count.";

/// Returns the description of the prompt.
pub(crate) fn description() -> Prompt {
    let goal = PromptArgument::new(GOAL).with_description("What the researcher wants to know").with_required(true);
    Prompt::new(NAME, Some(DESCRIPTION), Some(vec![goal])).with_title("Find data")
}

/// Returns the messages of the prompt.
pub(crate) fn messages(
    caller: &CallerContext<'_>,
    wanted: &GetPromptRequestParams,
) -> Result<GetPromptResult, ErrorData> {
    if wanted.name != NAME {
        let text = format!("There is no prompt {:?}; prompts/list shows which there are", wanted.name);
        return Err(ErrorData::invalid_params(text, None));
    }
    let goal = wanted.arguments.as_ref().and_then(|arguments| arguments.get(GOAL)).and_then(Value::as_str);
    let Some(goal) = goal.filter(|goal| !goal.trim().is_empty()) else {
        let text = format!("The argument {GOAL:?} is missing; it says what the researcher wants to know");
        return Err(ErrorData::invalid_params(text, None));
    };
    let catalogues = caller.catalogues().map(|catalogues| catalogues.introspection().catalogs.0).unwrap_or_default();
    let mut guide = "Catalogues:\n".to_owned();
    for (id, entry) in &catalogues {
        let description = entry.description.as_deref().map(|text| format!(": {text}")).unwrap_or_default();
        guide.push_str(&format!("- {id} (records: {}){description}\n", entry.document_type));
    }
    guide.push('\n');
    guide.push_str(GUIDE);
    let messages = [guide, format!("The question: {goal}")].map(|text| PromptMessage::new_text(Role::User, text));
    Ok(GetPromptResult::new(messages.to_vec()).with_description(DESCRIPTION))
}
