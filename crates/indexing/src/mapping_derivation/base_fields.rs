//! The fields that every analysis and every file has, whatever their types say.

use super::field_node::{FieldNode, FieldRole, Fields, NodeKind, Values};

/// Returns the fields of an analysis. The data that its types describe comes last, so that it cannot take the room of the
/// others.
pub(super) fn analysis(data: Fields) -> Fields {
    let mut fields = Fields(vec![
        keyword("analysisId", "Analysis ID", FieldRole::Identifier),
        keyword("studyId", "Study", FieldRole::Prominent),
        state(),
        analysis_type(),
        date("createdAt", "Submitted", FieldRole::Secondary),
        date("updatedAt", "Changed", FieldRole::Secondary),
        date("firstPublishedAt", "First published", FieldRole::Normal),
        date("publishedAt", "Published", FieldRole::Normal),
        ("files".to_owned(), FieldNode::new(NodeKind::Object(file())).list().titled("Files")),
    ]);
    fields.0.extend(data.0);
    fields
}

/// Returns the names of the members of an analysis that no type describes.
pub(super) fn is_base_field(name: &str) -> bool {
    const MORE: [&str; 2] = ["analysisStateHistory", "analysisTypeId"];
    let top = name.split('.').next().unwrap_or_default();
    MORE.contains(&top) || analysis(Fields::default()).get(top).is_some()
}

fn file() -> Fields {
    let mut access = FieldNode::new(NodeKind::Keyword).titled("Access").with_role(FieldRole::Prominent);
    access.values = labelled([("open", "Open"), ("controlled", "Controlled")]);
    Fields(vec![
        keyword("objectId", "Object ID", FieldRole::Identifier),
        keyword("studyId", "Study", FieldRole::Secondary),
        keyword("analysisId", "Analysis ID", FieldRole::Identifier),
        keyword("fileName", "File name", FieldRole::Prominent),
        ("fileSize".to_owned(), FieldNode::new(NodeKind::Long).titled("File size").with_role(FieldRole::Prominent)),
        keyword("fileType", "File type", FieldRole::Prominent),
        keyword("fileMd5sum", "MD5 checksum", FieldRole::Identifier),
        ("fileAccess".to_owned(), access),
        keyword("dataType", "Data type", FieldRole::Prominent),
        ("info".to_owned(), FieldNode::new(NodeKind::Opaque).titled("More about the file")),
    ])
}

fn state() -> (String, FieldNode) {
    let mut state = FieldNode::new(NodeKind::Keyword).titled("State").with_role(FieldRole::Secondary);
    state.values = labelled([("PUBLISHED", "Published"), ("UNPUBLISHED", "Unpublished"), ("SUPPRESSED", "Suppressed")]);
    ("analysisState".to_owned(), state)
}

fn analysis_type() -> (String, FieldNode) {
    let fields = Fields(vec![
        keyword("name", "Analysis type", FieldRole::Prominent),
        (
            "version".to_owned(),
            FieldNode::new(NodeKind::Long).titled("Version of the analysis type").with_role(FieldRole::Secondary),
        ),
    ]);
    ("analysisType".to_owned(), FieldNode::new(NodeKind::Object(fields)).titled("Analysis type"))
}

fn keyword(name: &str, title: &str, role: FieldRole) -> (String, FieldNode) {
    (name.to_owned(), FieldNode::new(NodeKind::Keyword).titled(title).with_role(role))
}

fn date(name: &str, title: &str, role: FieldRole) -> (String, FieldNode) {
    (name.to_owned(), FieldNode::new(NodeKind::Date).titled(title).with_role(role))
}

fn labelled<const N: usize>(values: [(&str, &str); N]) -> Values {
    values.into_iter().map(|(value, label)| (value.to_owned(), Some(label.to_owned()))).collect()
}
