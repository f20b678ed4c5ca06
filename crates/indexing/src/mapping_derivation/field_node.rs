//! Field nodes: the tree of fields that the analysis types describe, and how two trees are joined.
//!
//! A join only widens: it accepts whatever one side accepts. So the order in which analysis types are joined does not
//! matter.

/// A field: what is known of its values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FieldNode {
    pub(super) kind: NodeKind,
    /// Whether it may have a list of values.
    pub(super) is_list: bool,
    /// Its display name.
    pub(super) title: Option<String>,
    /// What it means.
    pub(super) description: Option<String>,
    /// Its possible values, if the schema enumerates them.
    pub(super) values: Values,
    pub(super) role: FieldRole,
}

/// Values with their labels.
pub(super) type Values = Vec<(String, Option<String>)>;

/// What a field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldRole {
    /// It is shown first.
    Prominent,
    /// It is shown after those.
    Normal,
    /// It identifies something, so it makes no facet.
    Identifier,
    /// It is not shown at first.
    Secondary,
}

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum NodeKind {
    Keyword,
    Boolean,
    Long,
    Double,
    Date,
    Ip,
    /// An object; without fields if none is known.
    Object(Fields),
    /// Anything at all, which can be shown and not searched.
    Opaque,
}

/// The fields of an object, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Fields(pub(super) Vec<(String, FieldNode)>);

/// Two kinds of one field that were joined.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    /// The dotted path.
    pub(super) path: String,
    pub(super) first: &'static str,
    pub(super) second: &'static str,
    pub(super) joined: &'static str,
}

impl FieldNode {
    pub(super) fn new(kind: NodeKind) -> Self {
        Self { kind, is_list: false, title: None, description: None, values: Vec::new(), role: FieldRole::Normal }
    }

    pub(super) fn titled(self, title: &str) -> Self {
        Self { title: Some(title.to_owned()), ..self }
    }

    pub(super) fn with_role(self, role: FieldRole) -> Self {
        Self { role, ..self }
    }

    pub(super) fn list(self) -> Self {
        Self { is_list: true, ..self }
    }

    /// Returns the type of the field in a mapping.
    pub(super) fn type_name(&self) -> &'static str {
        match &self.kind {
            NodeKind::Keyword => "keyword",
            NodeKind::Boolean => "boolean",
            NodeKind::Long => "long",
            NodeKind::Double => "double",
            NodeKind::Date => "date",
            NodeKind::Ip => "ip",
            NodeKind::Object(_) if self.is_list => "nested",
            NodeKind::Object(_) => "object",
            NodeKind::Opaque => "anything",
        }
    }

    /// Joins another description of the field; the path is for conflicts.
    pub(super) fn join(&mut self, other: FieldNode, path: &str, conflicts: &mut Vec<Conflict>) {
        let (first, second) = (self.type_name(), other.type_name());
        self.is_list |= other.is_list;
        self.title = other.title.or(self.title.take());
        self.description = other.description.or(self.description.take());
        self.values = match self.values.is_empty() || other.values.is_empty() {
            // One side does not enumerate its values, so there may be others.
            true => Vec::new(),
            false => merge_values(std::mem::take(&mut self.values), other.values),
        };
        let kind = std::mem::replace(&mut self.kind, NodeKind::Opaque);
        self.kind = match (kind, other.kind) {
            (NodeKind::Object(mut fields), NodeKind::Object(more)) => {
                fields.join(more, path, conflicts);
                NodeKind::Object(fields)
            }
            (one, two) if one == two => one,
            (NodeKind::Long | NodeKind::Double, NodeKind::Long | NodeKind::Double) => NodeKind::Double,
            (NodeKind::Object(_) | NodeKind::Opaque, _) | (_, NodeKind::Object(_) | NodeKind::Opaque) => {
                NodeKind::Opaque
            }
            _ => NodeKind::Keyword,
        };
        if first != second {
            conflicts.push(Conflict { path: path.to_owned(), first, second, joined: self.type_name() });
        }
    }
}

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&FieldNode> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    /// Returns the field at a dotted path.
    pub(super) fn at(&self, path: &str) -> Option<&FieldNode> {
        match path.split_once('.') {
            None => self.get(path),
            Some((name, rest)) => match &self.get(name)?.kind {
                NodeKind::Object(fields) => fields.at(rest),
                _ => None,
            },
        }
    }

    /// Adds a field that is not there yet.
    pub(super) fn push(&mut self, name: &str, node: FieldNode) {
        self.0.push((name.to_owned(), node));
    }

    /// Joins a field at a dotted path; objects around it are created.
    pub(super) fn join_at(&mut self, path: &str, node: FieldNode, above: &str, conflicts: &mut Vec<Conflict>) {
        let (name, node) = match path.split_once('.') {
            None => (path, node),
            Some((name, rest)) => {
                let mut inner = Fields::default();
                inner.join_at(rest, node, &join_path(above, name), conflicts);
                (name, FieldNode::new(NodeKind::Object(inner)))
            }
        };
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.join(node, &join_path(above, name), conflicts),
            None => self.push(name, node),
        }
    }

    pub(super) fn join(&mut self, other: Fields, above: &str, conflicts: &mut Vec<Conflict>) {
        for (name, node) in other.0 {
            self.join_at(&name, node, above, conflicts);
        }
    }
}

/// Merges the values of both sides; labels of the second win.
pub(super) fn merge_values(mut values: Values, more: Values) -> Values {
    for (value, label) in more {
        match values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, known)) => *known = label.or(known.take()),
            None => values.push((value, label)),
        }
    }
    values
}

/// Returns the path of a name below another path, which is empty for the root.
pub(super) fn join_path(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") }
}
