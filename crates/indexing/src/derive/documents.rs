//! From the fields of an analysis to those of a document, as the shapes make them.

use cantata_catalogue::{DocumentPaths, DocumentShape};
use serde_json::{Map, Value};
use serde_json_path::{JsonPath, PathElement};

use super::node::{Fields, Kind, Node, Role};

/// Returns the fields of a document, and what is to be told of them.
pub(super) fn fields(shape: &DocumentShape, mut analysis: Fields, notes: &mut Vec<String>) -> Fields {
    match shape {
        DocumentShape::AnalysisCentric => {
            if let Some((_, Node { kind: Kind::Object(file), .. })) =
                analysis.0.iter_mut().find(|(name, _)| name == "files")
            {
                file.0.retain(|(name, _)| !["analysisId", "studyId"].contains(&name.as_str()));
            }
            analysis
        }
        DocumentShape::FileCentric => file_centric(analysis),
        DocumentShape::Paths(paths) => found_by(paths, analysis, notes),
    }
}

fn file_centric(mut analysis: Fields) -> Fields {
    let mut fields = Fields::default();
    let (mut study, mut file) = (None, None);
    analysis.0.retain(|(name, node)| match name.as_str() {
        "studyId" => {
            study = Some(node.clone());
            false
        }
        "files" => {
            file = Some(node.clone());
            false
        }
        _ => true,
    });
    if let Some(Node { kind: Kind::Object(file), .. }) = file {
        let own = file.0.into_iter().filter(|(name, _)| !["analysisId", "studyId"].contains(&name.as_str()));
        fields.0.extend(own);
    }
    fields.0.extend(study.map(|study| ("studyId".to_owned(), study)));
    fields.push("analysis", Node::new(Kind::Object(analysis)).titled("Analysis"));
    fields
}

/// Follows the paths in a specimen, a value that has every member of the analysis once.
fn found_by(paths: &DocumentPaths, analysis: Fields, notes: &mut Vec<String>) -> Fields {
    let analysis = Node::new(Kind::Object(analysis));
    let specimen = specimen(&analysis);
    let whole = || vec![Found { value: &specimen, node: analysis.clone(), is_one_of_many: false }];
    let elements = paths.each.as_ref().map_or_else(whole, |each| find(each, &specimen, &analysis));
    let mut fields = Fields::default();
    fields.push("analysisId", Node::new(Kind::Keyword).titled("Analysis ID").with_role(Role::Id));
    for (name, path) in &paths.fields {
        let starts = if path.is_relative { &elements } else { &whole() };
        let found = starts.iter().flat_map(|start| find(&path.path, start.value, &start.node));
        let nodes = found.map(|found| Node { is_list: found.node.is_list || found.is_one_of_many, ..found.node });
        let node = nodes.reduce(|mut node, more| {
            node.join(more, name, &mut Vec::new());
            node
        });
        let node = node.unwrap_or_else(|| {
            notes.push(format!("field `{name}`: no analysis type says what its path finds; `mapping` can name a type"));
            Node::new(Kind::Opaque)
        });
        fields.join_at(name, node, "", &mut Vec::new());
    }
    fields
}

/// What a path finds in a specimen.
struct Found<'v> {
    value: &'v Value,
    node: Node,
    /// Whether it is in a list, so that the path may find several.
    is_one_of_many: bool,
}

fn find<'v>(path: &JsonPath, value: &'v Value, node: &Node) -> Vec<Found<'v>> {
    let mut all = Vec::new();
    for found in path.query_located(value).iter() {
        let mut at = Some(node.clone());
        let mut is_one_of_many = false;
        for element in found.location().iter() {
            at = match (element, at) {
                (PathElement::Name(name), Some(Node { kind: Kind::Object(fields), .. })) => fields.get(name).cloned(),
                (PathElement::Index(_), at) => {
                    is_one_of_many = true;
                    at.map(|at| Node { is_list: false, ..at })
                }
                _ => None,
            };
        }
        all.extend(at.map(|node| Found { value: found.node(), node, is_one_of_many }));
    }
    all
}

fn specimen(node: &Node) -> Value {
    let value = match &node.kind {
        Kind::Object(fields) => {
            Value::Object(fields.0.iter().map(|(name, node)| (name.clone(), specimen(node))).collect::<Map<_, _>>())
        }
        _ => Value::Null,
    };
    if node.is_list { vec![value].into() } else { value }
}
