//! What the mapping makes of the paths of documents: which open rows, and which fields their scalars go to.

use cantata_mapping::{Field, FieldKind, IndexMapping};
use hashbrown::HashMap;

use super::paths::Paths;
use crate::key::Class;

/// What stands at a path of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Role {
    /// An object, or a list of them.
    Container,
    /// A list of objects, each of which is a row.
    Nested,
    /// The values of a field.
    Values,
    /// A flattened object, or something in one: the path of that field.
    Flattened(String),
    /// Something that is kept but not searched.
    Opaque,
    /// Something that the mapping does not know yet.
    Unknown,
}

impl Role {
    /// Returns the role of a path in a path of another role.
    pub(crate) fn of(mapping: &IndexMapping, outer: &Role, dotted: &str) -> Self {
        match outer {
            Self::Opaque | Self::Values => return Self::Opaque,
            Self::Flattened(field) => return Self::Flattened(field.clone()),
            Self::Container | Self::Nested | Self::Unknown => {}
        }
        match mapping.entry(dotted) {
            None if dotted == "_id" => Self::Opaque,
            None => Self::Unknown,
            Some(field) if !field.enabled => Self::Opaque,
            Some(field) => match field.kind {
                FieldKind::Object => Self::Container,
                FieldKind::Nested => Self::Nested,
                FieldKind::Flattened => Self::Flattened(dotted.to_owned()),
                FieldKind::Unsupported(_) => Self::Opaque,
                _ => Self::Values,
            },
        }
    }
}

/// Returns the roles of all paths.
pub(crate) fn roles(mapping: &IndexMapping, paths: &Paths) -> Vec<Role> {
    let mut roles = vec![Role::Container];
    for path in 1..paths.len() as u32 {
        roles.push(Role::of(mapping, &roles[paths.parent(path) as usize], paths.dotted(path)));
    }
    roles
}

/// Returns the fields that read the values of a field: itself, its multi-fields, and those it is copied to with
/// theirs.
pub(crate) fn readers<'m>(mapping: &'m IndexMapping, field: &'m Field) -> impl Iterator<Item = &'m Field> {
    let copies = field.copy_to.iter().filter_map(|target| mapping.field(target));
    std::iter::once(field).chain(copies).flat_map(|reader| {
        let others = reader.multi_fields.iter().filter_map(|path| mapping.entry(path));
        std::iter::once(reader).chain(others)
    })
}

/// What the documents of a segment look like to the mapping.
pub(crate) struct Layout<'m> {
    pub(crate) levels: Vec<LevelPlan>,
    pub(crate) fields: Vec<FieldPlan<'m>>,
    /// For each path, in the order of the paths.
    pub(crate) paths: Vec<PathPlan>,
}

pub(crate) struct LevelPlan {
    pub(crate) path: String,
    pub(crate) parent: usize,
    pub(crate) children: Vec<usize>,
}

pub(crate) struct FieldPlan<'m> {
    pub(crate) path: String,
    pub(crate) class: Class,
    pub(crate) level: usize,
    /// What reads the values.
    pub(crate) reader: &'m Field,
    /// The paths whose scalars go to the field.
    pub(crate) sources: Vec<u32>,
}

#[derive(Default)]
pub(crate) struct PathPlan {
    /// The level whose rows the objects at this path are.
    pub(crate) opens: Option<usize>,
    /// The fields that the scalars go to.
    pub(crate) fields: Vec<usize>,
    /// The field whose values are the scalars of this path, if its dictionary may give them back.
    pub(crate) own: Option<usize>,
}

impl<'m> Layout<'m> {
    pub(crate) fn new(mapping: &'m IndexMapping, paths: &Paths) -> Self {
        let mut layout = Layout { levels: levels(mapping), fields: Vec::new(), paths: Vec::new() };
        let places: HashMap<String, usize> =
            layout.levels.iter().enumerate().map(|(place, level)| (level.path.clone(), place)).collect();
        let mut known = HashMap::new();
        let mut rows = Vec::with_capacity(paths.len());
        for (path, role) in roles(mapping, paths).iter().enumerate() {
            let path = path as u32;
            let outer = rows.get(paths.parent(path) as usize).copied().unwrap_or_default();
            let opens = (*role == Role::Nested).then(|| places[paths.dotted(path)]);
            rows.push(opens.unwrap_or(outer));
            let mut plan = PathPlan { opens, ..PathPlan::default() };
            let mut feed = |name: &str, reader: &'m Field| {
                let (Some(class), Some(&level)) = (Class::of(&reader.kind), places.get(reader.row_path())) else {
                    return None;
                };
                if !layout.encloses(level, outer) {
                    return None;
                }
                let place = *known.entry(name.to_owned()).or_insert_with(|| {
                    let sources = Vec::new();
                    layout.fields.push(FieldPlan { path: name.to_owned(), class, level, reader, sources });
                    layout.fields.len() - 1
                });
                if layout.fields[place].sources.last() != Some(&path) {
                    layout.fields[place].sources.push(path);
                    plan.fields.push(place);
                }
                Some((place, class))
            };
            let own = match role {
                Role::Values => mapping.entry(paths.dotted(path)).and_then(|field| {
                    let places: Vec<_> = readers(mapping, field).map(|reader| feed(&reader.path, reader)).collect();
                    places.first().copied().flatten()
                }),
                Role::Flattened(field) => mapping.entry(field).and_then(|field| {
                    feed(&field.path, field);
                    feed(paths.dotted(path), field)
                }),
                _ => None,
            };
            // Dates and addresses are not kept as they were written, so their dictionaries cannot give them back.
            plan.own = own
                .filter(|(_, class)| !matches!(class, Class::Millis | Class::Nanos | Class::Ip))
                .map(|(place, _)| place);
            layout.paths.push(plan);
        }
        layout
    }

    /// Returns whether a level is another one or lies around it.
    fn encloses(&self, outer: usize, mut level: usize) -> bool {
        while level != outer && level != 0 {
            level = self.levels[level].parent;
        }
        level == outer
    }
}

fn levels(mapping: &IndexMapping) -> Vec<LevelPlan> {
    let mut levels = vec![LevelPlan { path: String::new(), parent: 0, children: Vec::new() }];
    for path in mapping.nested_paths() {
        let around = mapping.entry(path).map(Field::row_path).unwrap_or_default();
        let parent = levels.iter().position(|level| level.path == around).unwrap_or_default();
        let place = levels.len();
        levels[parent].children.push(place);
        levels.push(LevelPlan { path: path.to_owned(), parent, children: Vec::new() });
    }
    levels
}
