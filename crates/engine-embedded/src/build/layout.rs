//! The layout of a segment by the mapping: which paths open nested rows, and which fields index their scalars.

use cantata_mapping::{Field, FieldKind, IndexMapping};
use hashbrown::HashMap;

use super::path_tree::PathTree;
use crate::value_encoding::ValueClass;

/// What the mapping says of a path.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum PathRole {
    /// An object, or a list of them.
    Container,
    /// A list of objects, each of which is a nested row.
    Nested,
    /// The values of a field.
    Values,
    /// A flattened object, or something in one: the path of that field.
    Flattened(String),
    /// Something that is stored but not indexed.
    Opaque,
    /// Something that the mapping does not have yet.
    Unmapped,
}

impl PathRole {
    /// Returns the role of a path, given that of its parent.
    pub(crate) fn of(mapping: &IndexMapping, parent: &PathRole, dotted: &str) -> Self {
        match parent {
            Self::Opaque | Self::Values => return Self::Opaque,
            Self::Flattened(field) => return Self::Flattened(field.clone()),
            Self::Container | Self::Nested | Self::Unmapped => {}
        }
        match mapping.entry(dotted) {
            None if dotted == "_id" => Self::Opaque,
            None => Self::Unmapped,
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
pub(crate) fn path_roles(mapping: &IndexMapping, paths: &PathTree) -> Vec<PathRole> {
    let mut roles = vec![PathRole::Container];
    for path in 1..paths.len() as u32 {
        roles.push(PathRole::of(mapping, &roles[paths.parent(path) as usize], paths.dotted(path)));
    }
    roles
}

/// Returns the fields that index the values of a field: itself, its multi-fields, and those it is copied to with
/// theirs.
pub(crate) fn reading_fields<'m>(mapping: &'m IndexMapping, field: &'m Field) -> impl Iterator<Item = &'m Field> {
    let copies = field.copy_to.iter().filter_map(|target| mapping.field(target));
    std::iter::once(field).chain(copies).flat_map(|reader| {
        let others = reader.multi_fields.iter().filter_map(|path| mapping.entry(path));
        std::iter::once(reader).chain(others)
    })
}

/// The levels, fields and paths of a segment.
pub(crate) struct SegmentLayout<'m> {
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
    pub(crate) class: ValueClass,
    pub(crate) level: usize,
    /// The field of the mapping that reads the values.
    pub(crate) reader: &'m Field,
    /// The paths whose scalars the field indexes.
    pub(crate) sources: Vec<u32>,
}

#[derive(Default)]
pub(crate) struct PathPlan {
    /// The level whose rows are the objects at this path.
    pub(crate) opens: Option<usize>,
    /// The fields that index the scalars.
    pub(crate) fields: Vec<usize>,
    /// The field whose dictionary can restore the scalars of this path.
    pub(crate) own: Option<usize>,
}

impl<'m> SegmentLayout<'m> {
    pub(crate) fn new(mapping: &'m IndexMapping, paths: &PathTree) -> Self {
        let mut layout = SegmentLayout { levels: levels(mapping), fields: Vec::new(), paths: Vec::new() };
        let level_of: HashMap<String, usize> =
            layout.levels.iter().enumerate().map(|(index, level)| (level.path.clone(), index)).collect();
        let mut known = HashMap::new();
        let mut row_levels = Vec::with_capacity(paths.len());
        for (path, role) in path_roles(mapping, paths).iter().enumerate() {
            let path = path as u32;
            let enclosing = row_levels.get(paths.parent(path) as usize).copied().unwrap_or_default();
            let opens = (*role == PathRole::Nested).then(|| level_of[paths.dotted(path)]);
            row_levels.push(opens.unwrap_or(enclosing));
            let mut plan = PathPlan { opens, ..PathPlan::default() };
            let mut add_to = |name: &str, reader: &'m Field| {
                let (Some(class), Some(&level)) = (ValueClass::of(&reader.kind), level_of.get(reader.row_path()))
                else {
                    return None;
                };
                if !layout.encloses(level, enclosing) {
                    return None;
                }
                let index = *known.entry(name.to_owned()).or_insert_with(|| {
                    let sources = Vec::new();
                    layout.fields.push(FieldPlan { path: name.to_owned(), class, level, reader, sources });
                    layout.fields.len() - 1
                });
                if layout.fields[index].sources.last() != Some(&path) {
                    layout.fields[index].sources.push(path);
                    plan.fields.push(index);
                }
                Some((index, class))
            };
            let own = match role {
                PathRole::Values => mapping.entry(paths.dotted(path)).and_then(|field| {
                    let added: Vec<_> =
                        reading_fields(mapping, field).map(|reader| add_to(&reader.path, reader)).collect();
                    added.first().copied().flatten()
                }),
                PathRole::Flattened(field) => mapping.entry(field).and_then(|field| {
                    add_to(&field.path, field);
                    add_to(paths.dotted(path), field)
                }),
                _ => None,
            };
            // Dates and addresses are not stored as they were written, so their dictionaries cannot restore them.
            plan.own = own
                .filter(|(_, class)| !matches!(class, ValueClass::DateMillis | ValueClass::DateNanos | ValueClass::Ip))
                .map(|(index, _)| index);
            layout.paths.push(plan);
        }
        layout
    }

    /// Returns whether a level is the same as another one or encloses it.
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
        let enclosing = mapping.entry(path).map(Field::row_path).unwrap_or_default();
        let parent = levels.iter().position(|level| level.path == enclosing).unwrap_or_default();
        let index = levels.len();
        levels[parent].children.push(index);
        levels.push(LevelPlan { path: path.to_owned(), parent, children: Vec::new() });
    }
    levels
}
