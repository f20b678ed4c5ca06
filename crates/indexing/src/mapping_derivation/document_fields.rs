//! From the fields of an analysis to those of a document.

use cantata_catalogue::{DocumentPaths, DocumentShape};
use serde_json::{Map, Value};
use serde_json_path::{JsonPath, PathElement};

use super::field_node::{FieldNode, FieldRole, Fields, NodeKind};

/// Returns the fields of a document; adds notes.
pub(super) fn fields(shape: &DocumentShape, mut analysis: Fields, notes: &mut Vec<String>) -> Fields {
    match shape {
        DocumentShape::AnalysisCentric => {
            if let Some((_, FieldNode { kind: NodeKind::Object(file), .. })) =
                analysis.0.iter_mut().find(|(name, _)| name == "files")
            {
                file.0.retain(|(name, _)| !["analysisId", "studyId"].contains(&name.as_str()));
            }
            analysis
        }
        DocumentShape::FileCentric => file_centric(analysis),
        DocumentShape::Paths(paths) => fields_by_path(paths, analysis, notes),
    }
}

fn file_centric(mut analysis: Fields) -> Fields {
    let mut fields = Fields::default();
    let mut take = |name: &str| {
        let index = analysis.0.iter().position(|(known, _)| known == name)?;
        Some(analysis.0.remove(index).1)
    };
    let (study, file) = (take("studyId"), take("files"));
    if let Some(FieldNode { kind: NodeKind::Object(file), .. }) = file {
        let own = file.0.into_iter().filter(|(name, _)| !["analysisId", "studyId"].contains(&name.as_str()));
        fields.0.extend(own);
    }
    fields.0.extend(study.map(|study| ("studyId".to_owned(), study)));
    fields.push("analysis", FieldNode::new(NodeKind::Object(analysis)).titled("Analysis"));
    fields
}

/// Follows the paths in a specimen, a value that has every member of the analysis once.
fn fields_by_path(paths: &DocumentPaths, analysis: Fields, notes: &mut Vec<String>) -> Fields {
    let analysis = FieldNode::new(NodeKind::Object(analysis));
    let specimen = specimen(&analysis);
    let whole = || vec![PathMatch { value: &specimen, node: analysis.clone(), is_list_element: false }];
    let elements = paths.each.as_ref().map_or_else(whole, |each| find(each, &specimen, &analysis));
    let mut fields = Fields::default();
    fields.push("analysisId", FieldNode::new(NodeKind::Keyword).titled("Analysis ID").with_role(FieldRole::Identifier));
    for (name, path) in &paths.fields {
        let starts = if path.is_relative { &elements } else { &whole() };
        let found = starts.iter().flat_map(|start| find(&path.path, start.value, &start.node));
        let nodes = found.map(|found| FieldNode { is_list: found.node.is_list || found.is_list_element, ..found.node });
        let node = nodes.reduce(|mut node, more| {
            node.join(more, name, &mut Vec::new());
            node
        });
        let node = node.unwrap_or_else(|| {
            notes.push(format!("field `{name}`: no analysis type says what its path finds; `mapping` can name a type"));
            FieldNode::new(NodeKind::Opaque)
        });
        fields.join_at(name, node, "", &mut Vec::new());
    }
    fields
}

/// A match of a path in a specimen.
struct PathMatch<'v> {
    value: &'v Value,
    node: FieldNode,
    /// Whether it is in a list, so that the path may find several.
    is_list_element: bool,
}

fn find<'v>(path: &JsonPath, value: &'v Value, node: &FieldNode) -> Vec<PathMatch<'v>> {
    let mut all = Vec::new();
    for found in path.query_located(value).iter() {
        let mut at = Some(node.clone());
        let mut is_list_element = false;
        for element in found.location().iter() {
            at = match (element, at) {
                (PathElement::Name(name), Some(FieldNode { kind: NodeKind::Object(fields), .. })) => {
                    fields.get(name).cloned()
                }
                (PathElement::Index(_), at) => {
                    is_list_element = true;
                    at.map(|at| FieldNode { is_list: false, ..at })
                }
                _ => None,
            };
        }
        all.extend(at.map(|node| PathMatch { value: found.node(), node, is_list_element }));
    }
    all
}

fn specimen(node: &FieldNode) -> Value {
    let value = match &node.kind {
        NodeKind::Object(fields) => {
            Value::Object(fields.0.iter().map(|(name, node)| (name.clone(), specimen(node))).collect::<Map<_, _>>())
        }
        _ => Value::Null,
    };
    if node.is_list { vec![value].into() } else { value }
}
