//! The fields that every analysis and every file has, whatever their types say.

use super::node::{Fields, Kind, Node, Role, Values};

/// Returns what the members of an analysis are. The data that its types describe comes last, so that whatever it is, there
/// is room for the rest.
pub(super) fn analysis(data: Fields) -> Fields {
    let mut fields = Fields(vec![
        keyword("analysisId", "Analysis ID", Role::Id),
        keyword("studyId", "Study", Role::Telling),
        state(),
        analysis_type(),
        date("createdAt", "Submitted", Role::Quiet),
        date("updatedAt", "Changed", Role::Quiet),
        date("firstPublishedAt", "First published", Role::Usual),
        date("publishedAt", "Published", Role::Usual),
        ("files".to_owned(), Node::new(Kind::Object(file())).list().titled("Files")),
    ]);
    fields.0.extend(data.0);
    fields
}

/// Returns the names of the members of an analysis that no type describes.
pub(super) fn is_fixed(name: &str) -> bool {
    const MORE: [&str; 2] = ["analysisStateHistory", "analysisTypeId"];
    let top = name.split('.').next().unwrap_or_default();
    MORE.contains(&top) || analysis(Fields::default()).get(top).is_some()
}

fn file() -> Fields {
    let mut access = Node::new(Kind::Keyword).titled("Access").with_role(Role::Telling);
    access.values = labelled([("open", "Open"), ("controlled", "Controlled")]);
    Fields(vec![
        keyword("objectId", "Object ID", Role::Id),
        keyword("studyId", "Study", Role::Quiet),
        keyword("analysisId", "Analysis ID", Role::Id),
        keyword("fileName", "File name", Role::Telling),
        ("fileSize".to_owned(), Node::new(Kind::Long).titled("File size").with_role(Role::Telling)),
        keyword("fileType", "File type", Role::Telling),
        keyword("fileMd5sum", "MD5 checksum", Role::Id),
        ("fileAccess".to_owned(), access),
        keyword("dataType", "Data type", Role::Telling),
        ("info".to_owned(), Node::new(Kind::Opaque).titled("More about the file")),
    ])
}

fn state() -> (String, Node) {
    let mut state = Node::new(Kind::Keyword).titled("State").with_role(Role::Quiet);
    state.values = labelled([("PUBLISHED", "Published"), ("UNPUBLISHED", "Unpublished"), ("SUPPRESSED", "Suppressed")]);
    ("analysisState".to_owned(), state)
}

fn analysis_type() -> (String, Node) {
    let fields = Fields(vec![
        keyword("name", "Analysis type", Role::Telling),
        ("version".to_owned(), Node::new(Kind::Long).titled("Version of the analysis type").with_role(Role::Quiet)),
    ]);
    ("analysisType".to_owned(), Node::new(Kind::Object(fields)).titled("Analysis type"))
}

fn keyword(name: &str, title: &str, role: Role) -> (String, Node) {
    (name.to_owned(), Node::new(Kind::Keyword).titled(title).with_role(role))
}

fn date(name: &str, title: &str, role: Role) -> (String, Node) {
    (name.to_owned(), Node::new(Kind::Date).titled(title).with_role(role))
}

fn labelled<const N: usize>(values: [(&str, &str); N]) -> Values {
    values.into_iter().map(|(value, label)| (value.to_owned(), Some(label.to_owned()))).collect()
}
