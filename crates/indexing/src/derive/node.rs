//! What is known of the values at a place, and what two sources of knowledge make together.
//!
//! Joining never makes a place narrower: whatever one side takes, the whole takes. So it does not matter in which order
//! analysis types are joined.

/// What is known of the values at a place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// Whether there may be a list of them.
    pub(super) is_list: bool,
    /// What people read.
    pub(super) title: Option<String>,
    /// The values that there can be, if the schema counts them up.
    pub(super) values: Values,
    pub(super) role: Role,
}

/// Values, each with what people read instead.
pub(super) type Values = Vec<(String, Option<String>)>;

/// What a field is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// What people look at first.
    Telling,
    /// A field like others.
    Usual,
    /// It tells one thing from another.
    Id,
    /// Hardly anybody asks for it.
    Quiet,
}

/// The kinds of values.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Keyword,
    Boolean,
    Long,
    Double,
    Date,
    Ip,
    /// Objects; without fields, of which nothing is known.
    Object(Fields),
    /// Anything at all, which can be shown and not searched.
    Opaque,
}

/// The fields of an object, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Fields(pub(super) Vec<(String, Node)>);

/// Two kinds at one place that had to be brought together.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    /// The dotted path.
    pub(super) path: String,
    pub(super) first: &'static str,
    pub(super) second: &'static str,
    pub(super) taken: &'static str,
}

impl Node {
    pub(super) fn new(kind: Kind) -> Self {
        Self { kind, is_list: false, title: None, values: Vec::new(), role: Role::Usual }
    }

    pub(super) fn titled(self, title: &str) -> Self {
        Self { title: Some(title.to_owned()), ..self }
    }

    pub(super) fn with_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    pub(super) fn list(self) -> Self {
        Self { is_list: true, ..self }
    }

    /// Returns the type that the place gets in a mapping.
    pub(super) fn type_name(&self) -> &'static str {
        match &self.kind {
            Kind::Keyword => "keyword",
            Kind::Boolean => "boolean",
            Kind::Long => "long",
            Kind::Double => "double",
            Kind::Date => "date",
            Kind::Ip => "ip",
            Kind::Object(_) if self.is_list => "nested",
            Kind::Object(_) => "object",
            Kind::Opaque => "anything",
        }
    }

    /// Takes in what else is known of the place; the path is for telling of what does not go together.
    pub(super) fn join(&mut self, other: Node, path: &str, conflicts: &mut Vec<Conflict>) {
        let (first, second) = (self.type_name(), other.type_name());
        self.is_list |= other.is_list;
        self.title = other.title.or(self.title.take());
        self.values = match self.values.is_empty() || other.values.is_empty() {
            // One side does not count its values up, so there may be others.
            true => Vec::new(),
            false => united(std::mem::take(&mut self.values), other.values),
        };
        let kind = std::mem::replace(&mut self.kind, Kind::Opaque);
        self.kind = match (kind, other.kind) {
            (Kind::Object(mut fields), Kind::Object(more)) => {
                fields.join(more, path, conflicts);
                Kind::Object(fields)
            }
            (one, two) if one == two => one,
            (Kind::Long | Kind::Double, Kind::Long | Kind::Double) => Kind::Double,
            (Kind::Object(_) | Kind::Opaque, _) | (_, Kind::Object(_) | Kind::Opaque) => Kind::Opaque,
            _ => Kind::Keyword,
        };
        if first != second {
            conflicts.push(Conflict { path: path.to_owned(), first, second, taken: self.type_name() });
        }
    }
}

impl Fields {
    pub(super) fn get(&self, name: &str) -> Option<&Node> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, node)| node)
    }

    /// Returns what is known at a dotted path.
    pub(super) fn at(&self, path: &str) -> Option<&Node> {
        match path.split_once('.') {
            None => self.get(path),
            Some((name, rest)) => match &self.get(name)?.kind {
                Kind::Object(fields) => fields.at(rest),
                _ => None,
            },
        }
    }

    /// Adds a field that is not there yet.
    pub(super) fn push(&mut self, name: &str, node: Node) {
        self.0.push((name.to_owned(), node));
    }

    /// Takes in what else is known of a dotted path; objects around it are made.
    pub(super) fn join_at(&mut self, path: &str, node: Node, above: &str, conflicts: &mut Vec<Conflict>) {
        let (name, node) = match path.split_once('.') {
            None => (path, node),
            Some((name, rest)) => {
                let mut inner = Fields::default();
                inner.join_at(rest, node, &joined(above, name), conflicts);
                (name, Node::new(Kind::Object(inner)))
            }
        };
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => known.join(node, &joined(above, name), conflicts),
            None => self.push(name, node),
        }
    }

    pub(super) fn join(&mut self, other: Fields, above: &str, conflicts: &mut Vec<Conflict>) {
        for (name, node) in other.0 {
            self.join_at(&name, node, above, conflicts);
        }
    }
}

/// Returns the values of both sides, each once; what the second calls them counts.
pub(super) fn united(mut values: Values, more: Values) -> Values {
    for (value, label) in more {
        match values.iter_mut().find(|(known, _)| *known == value) {
            Some((_, known)) => *known = label.or(known.take()),
            None => values.push((value, label)),
        }
    }
    values
}

/// Returns the path of a name below another path; the root has the empty one.
pub(super) fn joined(above: &str, name: &str) -> String {
    if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") }
}
