//! The source prefix: where documents wrap the record in an object, plans use paths from the document, the catalogue
//! paths from that object.

use cantata_engine::{Filter, SearchPlan, SortKey};
use cantata_mapping::RECORD_ID;

use crate::set_command::SetCommand;

/// Prefixes every path of a plan.
pub(super) fn add(prefix: &str, plan: &mut SearchPlan, commands: &mut [SetCommand]) {
    if prefix.is_empty() {
        return;
    }
    let prefix = PathPrefix(prefix);
    plan.filters.iter_mut().for_each(|filter| prefix.filter(filter));
    plan.hits.iter_mut().for_each(|hits| prefix.sort(&mut hits.sort));
    for facet in &mut plan.facets {
        prefix.path(&mut facet.field);
        prefix.filter(&mut facet.elements);
        for ancestor in &mut facet.ancestors {
            prefix.path(&mut ancestor.path);
            prefix.filter(&mut ancestor.filter);
        }
    }
    for command in commands {
        if let SetCommand::SaveSet(set) = command {
            add_to_records(prefix.0, &mut set.filter, &mut set.sort);
        }
    }
}

/// Prefixes the paths of a filter and of sort keys.
pub(super) fn add_to_records(prefix: &str, filter: &mut Filter, sort: &mut [SortKey]) {
    if !prefix.is_empty() {
        PathPrefix(prefix).filter(filter);
        PathPrefix(prefix).sort(sort);
    }
}

struct PathPrefix<'p>(&'p str);

impl PathPrefix<'_> {
    fn path(&self, path: &mut String) {
        path.insert(0, '.');
        path.insert_str(0, self.0);
    }

    fn sort(&self, keys: &mut [SortKey]) {
        let of_fields = keys.iter_mut().filter(|key| !key.is_score());
        of_fields.filter_map(|key| key.field.as_mut()).for_each(|field| self.path(field));
    }

    fn filter(&self, filter: &mut Filter) {
        match filter {
            Filter::All | Filter::None => {}
            Filter::And(parts) | Filter::Or(parts) => parts.iter_mut().for_each(|part| self.filter(part)),
            Filter::Not(inner) => self.filter(inner),
            Filter::Nested { path, inner } => {
                self.path(path);
                self.filter(inner);
            }
            Filter::Terms { field, .. } if field.as_str() == RECORD_ID => {}
            Filter::Terms { field, .. }
            | Filter::Range { field, .. }
            | Filter::Exists { field }
            | Filter::Pattern { field, .. }
            | Filter::Wildcard { field, .. }
            | Filter::Fuzzy { field, .. } => self.path(field),
        }
    }
}
