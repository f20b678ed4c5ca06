//! What an index is at one moment: its mapping, its segments, and which of their documents are still there.
//!
//! A snapshot never changes. Readers take the current one and work on it for as long as they like; writers make the
//! next one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use cantata_mapping::IndexMapping;

use crate::bitset::Bitset;
use crate::search::{Answered, GlobalDictionary};
use crate::segment::{Segment, SoughtId};

/// A segment as a snapshot sees it.
#[derive(Clone)]
pub(crate) struct View {
    pub(crate) segment: Arc<Segment>,
    /// The documents that are still there; nothing: all.
    pub(crate) live: Option<Arc<Bitset>>,
}

impl View {
    /// Returns how many documents are still there.
    pub(crate) fn documents(&self) -> usize {
        self.live.as_ref().map_or_else(|| self.segment.documents(), |live| live.count())
    }

    /// Returns the row of a document that is still there.
    pub(crate) fn row_of(&self, id: &SoughtId<'_>) -> Option<usize> {
        self.segment.row_of(id).filter(|&row| self.live.as_ref().is_none_or(|live| live.contains(row)))
    }

    /// Takes a document away.
    pub(crate) fn remove(&mut self, row: usize) {
        let live = self.live.get_or_insert_with(|| Arc::new(Bitset::full(self.segment.documents())));
        Arc::make_mut(live).remove(row);
    }
}

/// An index at one moment.
pub(crate) struct Snapshot {
    pub(crate) mapping: Arc<IndexMapping>,
    pub(crate) views: Vec<View>,
    /// The values of fields over all segments, made when they are first asked for.
    dictionaries: Mutex<HashMap<String, Arc<GlobalDictionary>>>,
    /// What was asked of it and what it answered.
    pub(crate) answered: Answered,
}

impl Snapshot {
    pub(crate) fn new(mapping: Arc<IndexMapping>, views: Vec<View>) -> Self {
        Self { mapping, views, dictionaries: Mutex::default(), answered: Answered::default() }
    }

    pub(crate) fn documents(&self) -> usize {
        self.views.iter().map(View::documents).sum()
    }

    /// Returns the segment and the row of a document.
    pub(crate) fn place_of(&self, id: &str) -> Option<(usize, usize)> {
        let id = SoughtId::new(id);
        self.views.iter().enumerate().find_map(|(segment, view)| Some((segment, view.row_of(&id)?)))
    }

    /// Returns the values of a field over all segments.
    pub(crate) fn dictionary(&self, field: &str) -> Arc<GlobalDictionary> {
        let known = self.dictionaries.lock().unwrap_or_else(PoisonError::into_inner).get(field).cloned();
        known.unwrap_or_else(|| {
            let made = Arc::new(GlobalDictionary::new(&self.views, field));
            let mut all = self.dictionaries.lock().unwrap_or_else(PoisonError::into_inner);
            all.insert(field.to_owned(), Arc::clone(&made));
            made
        })
    }
}
