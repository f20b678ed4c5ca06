//! The catalogues that are served at one moment.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use cantata_access::Identity;
use cantata_catalogue::introspection::{
    AmbiguousBody, CatalogueBody, CatalogueState, FailedCatalogue, NotFoundBody, Resolution, ServerBody, Status,
    resolve,
};
use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueError, ConfiguredCatalogue, Mode, View};
use cantata_engine::SearchEngine;
use cantata_graphql::CatalogueSchema;
use cantata_mapping::IndexMapping;

use crate::built::BuiltCatalogue;
use crate::tally::SearchTally;

/// A catalogue that can be searched, as somebody sees it.
pub struct ServedCatalogue {
    /// The catalogue, with the fields that can be seen.
    pub catalogue: Arc<Catalogue>,
    /// Its GraphQL schema.
    pub schema: CatalogueSchema,
    /// What introspection tells of it.
    pub introspection: Arc<CatalogueBody>,
    /// What is seen of it.
    pub(crate) view: View,
    /// The engine that has its index and its sets.
    pub(crate) engine: Arc<dyn SearchEngine>,
    /// The fields whose lists are cut to their first values, as far as the log has told of them.
    pub(crate) cut_fields: Arc<Mutex<HashSet<String>>>,
    pub(crate) tally: Arc<SearchTally>,
}

/// A catalogue, whether it is ready or not.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) configured: Arc<ConfiguredCatalogue>,
    /// Its engine; nothing if the configuration leads to none.
    pub(crate) engine: Option<Arc<dyn SearchEngine>>,
    /// The mapping that the state follows from; nothing if there was none to be had.
    pub(crate) mapping: Option<Arc<IndexMapping>>,
    pub(crate) state: State,
    pub(crate) turn: Turn,
    /// Goes on with a catalogue of the same id when its configuration changes.
    pub(crate) tally: Arc<SearchTally>,
}

/// Whose turn it is to look at the index of a catalogue. Clones of an entry share it, so it also tells which entries are
/// states of one.
pub(crate) type Turn = Arc<tokio::sync::Mutex<Looks>>;

/// What is remembered from look to look.
#[derive(Debug, Default)]
pub(crate) struct Looks {
    /// How often in a row there was no answer.
    pub(crate) silent: usize,
    /// How many looks ago the index was last searched.
    pub(crate) since_search: usize,
}

/// Whether a catalogue is ready.
#[derive(Clone)]
pub(crate) enum State {
    Available(Arc<BuiltCatalogue>),
    /// It was ready, and its mapping cannot be had since.
    Disturbed(Arc<BuiltCatalogue>, Arc<FailedCatalogue>),
    Failed(Arc<FailedCatalogue>),
}

impl Entry {
    fn state(&self) -> CatalogueState<'_> {
        match &self.state {
            State::Available(built) => CatalogueState::Available(&built.catalogue),
            State::Disturbed(_, failed) | State::Failed(failed) => CatalogueState::Failed(failed),
        }
    }

    /// Says whether the index is made by this server.
    pub(crate) fn has_source(&self) -> bool {
        self.index().is_some_and(|(_, config)| config.source.is_some())
    }

    /// Returns what is wrong.
    pub(crate) fn problem(&self) -> Option<&CatalogueError> {
        match &self.state {
            State::Available(_) => None,
            State::Disturbed(_, failed) | State::Failed(failed) => Some(&failed.error),
        }
    }
}

/// All catalogues.
#[derive(Clone)]
pub struct Catalogues {
    pub(crate) mode: Mode,
    pub(crate) entries: Vec<Entry>,
}

/// What a name in an address leads to.
pub enum Found {
    /// A catalogue that is ready.
    Served(Arc<ServedCatalogue>),
    /// A catalogue that was ready, and what is wrong with its engine or its index since. Searching it is worth a try.
    Disturbed(Arc<ServedCatalogue>, Arc<FailedCatalogue>),
    /// A catalogue that cannot be served.
    Failed(Arc<FailedCatalogue>),
    /// Several catalogues.
    Ambiguous(AmbiguousBody),
    /// None.
    Unknown(NotFoundBody),
}

impl Catalogues {
    /// Returns how catalogues are addressed.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the catalogues whose configuration can be used, with their engines.
    pub fn configured(&self) -> impl Iterator<Item = (&CatalogueConfig, &Arc<dyn SearchEngine>)> {
        self.entries.iter().filter_map(Entry::index).map(|(engine, config)| (config, engine))
    }

    /// Returns the id of each catalogue, and how often it was searched.
    pub fn tallies(&self) -> impl Iterator<Item = (&str, &SearchTally)> {
        self.entries.iter().map(|entry| (entry.configured.id.as_str(), &*entry.tally))
    }

    /// Returns the present state of an entry.
    pub(crate) fn entry(&self, turn: &Turn) -> Option<&Entry> {
        self.entries.iter().find(|entry| Arc::ptr_eq(&entry.turn, turn))
    }

    fn states(&self) -> Vec<CatalogueState<'_>> {
        self.entries.iter().map(Entry::state).collect()
    }

    /// Returns what introspection tells of the server.
    pub fn introspection(&self) -> ServerBody {
        ServerBody::new(self.mode, &self.states())
    }

    /// Returns how the catalogues are, taken together.
    pub fn status(&self) -> Status {
        Status::of(&self.states())
    }

    /// Returns the only catalogue of a server that has one, as an identity sees it.
    pub fn only(&self, identity: &Identity) -> Option<Found> {
        match (self.mode, &self.entries[..]) {
            (Mode::Single, [entry]) => Some(found(entry, identity)),
            _ => None,
        }
    }

    /// Returns what an id or a document type leads to, as an identity sees it.
    pub fn find(&self, name: &str, identity: &Identity) -> Found {
        match resolve(name, &self.states()) {
            Resolution::One(place) => found(&self.entries[place], identity),
            Resolution::Ambiguous(ids) => Found::Ambiguous(AmbiguousBody::new(name, ids)),
            Resolution::Unknown => Found::Unknown(NotFoundBody::new(name)),
        }
    }
}

fn found(entry: &Entry, identity: &Identity) -> Found {
    let seen = |built: &BuiltCatalogue| {
        built.seen_by(identity, &entry.tally).map_err(|failed| Found::Failed(Arc::new(failed)))
    };
    let found = match &entry.state {
        State::Available(built) => seen(built).map(Found::Served),
        State::Disturbed(built, failed) => seen(built).map(|served| Found::Disturbed(served, Arc::clone(failed))),
        State::Failed(failed) => Ok(Found::Failed(Arc::clone(failed))),
    };
    found.unwrap_or_else(|failed| failed)
}
