//! All queries of a store, compared with the results of the model.

use cantata_core::{AnalysisId, AnalysisState, ObjectId};
use rand::Rng;
use rand::seq::IndexedRandom;
use regex::Regex;

use super::{FILE_NAMES, Pair, STUDIES, TYPES};
use crate::contract::steps::EVERYTHING;
use crate::{
    AnalysisQuery, FileFilter, ObjectIdPattern, PageRange, Revision, StateSet, Store, TypeQuery, TypeSortField,
    VisibleFiles,
};

/// Sends the same query to the store and to the model and asserts that the results are equal.
macro_rules! assert_same {
    ($pair:ident.$question:ident($($argument:expr),*)) => {
        $pair.progress.what = stringify!($question);
        let answer = $pair.store.$question($($argument),*).await.unwrap();
        let expected = $pair.model.$question($($argument),*).await.unwrap();
        assert_eq!(answer, expected, "{:?}", ($(&$argument,)*));
    };
}

impl Pair {
    /// Compares a few queries with random parameters.
    pub(super) async fn ask_some_questions(&mut self) {
        let latest = *self.model.latest_event().borrow();
        assert_eq!(*self.store.latest_event().borrow(), latest);
        let after = self.rng.random_range(0..=latest + 1);
        let limit = self.rng.random_range(0..10);
        assert_same!(self.events_after(after, limit));
        let revisions: Vec<Revision> =
            (0..latest.min(5)).map(|_| Revision(self.rng.random_range(1..=latest))).collect();
        assert_same!(self.documents(&revisions));
        let query = self.random_type_query();
        assert_same!(self.list_types(&query));
        let states = self.random_states();
        let query = AnalysisQuery {
            study_id: self.random_study(),
            states,
            after: None,
            limit: self.rng.random::<bool>().then(|| self.rng.random_range(0..10)),
            offset: self.rng.random_range(0..10),
        };
        assert_same!(self.list_analyses(&query));
        assert_same!(self.count_analyses(&query.study_id, states));
        let filter = self.random_filter();
        let page = PageRange { offset: self.rng.random_range(0..10), limit: self.rng.random_range(0..30) };
        assert_same!(self.list_files(&filter, page));
        let pattern = self.random_pattern();
        let study_id = self.random_study();
        assert_same!(self.search_by_file(&study_id, &pattern));
    }

    /// Compares everything that is stored.
    pub(super) async fn ask_about_everything(&mut self) {
        assert_same!(self.events_after(0, usize::MAX));
        assert_same!(self.study_ids());
        for study_id in STUDIES {
            assert_same!(self.study(study_id));
        }
        for name in TYPES {
            assert_same!(self.latest_type_version(name));
            let latest = self.model.latest_type_version(name).await.unwrap().unwrap_or(0);
            for version in (0..=latest + 1).map(Some).chain([None]) {
                assert_same!(self.analysis_type(name, version));
            }
        }
        for id in self.ids.clone() {
            assert_same!(self.analysis(id));
            for name in FILE_NAMES {
                assert_same!(self.file(ObjectId::of(id, name)));
            }
        }
        assert_same!(self.list_files(&FileFilter::default(), EVERYTHING));
        for study_id in STUDIES {
            assert_same!(self.search_by_file(study_id, &ObjectIdPattern::Any));
            for state in AnalysisState::ALL {
                assert_same!(self.count_analyses(study_id, StateSet::from_iter([state])));
            }
        }
    }

    fn random_study(&mut self) -> String {
        STUDIES[self.rng.random_range(0..STUDIES.len())].to_owned()
    }

    fn random_states(&mut self) -> StateSet {
        AnalysisState::ALL.into_iter().filter(|_| self.rng.random_bool(0.6)).collect()
    }

    fn random_type_query(&mut self) -> TypeQuery {
        let fields = [TypeSortField::Name, TypeSortField::Version];
        TypeQuery {
            names: TYPES.into_iter().filter(|_| self.rng.random_bool(0.3)).map(str::to_owned).collect(),
            versions: (1..5).filter(|_| self.rng.random_bool(0.2)).collect(),
            sort: fields.into_iter().filter(|_| self.rng.random()).collect(),
            descending: self.rng.random(),
            limit: self.rng.random_range(0..10),
            offset: self.rng.random_range(0..5),
        }
    }

    /// Returns the id of a stored file, or sometimes of an unknown one.
    fn random_object_id(&mut self) -> ObjectId {
        let known = self.model.object_ids();
        match known.choose(&mut self.rng) {
            Some(id) if self.rng.random_bool(0.8) => *id,
            _ => ObjectId::of(AnalysisId::from_bytes(self.rng.random()), "x"),
        }
    }

    fn random_filter(&mut self) -> FileFilter {
        let analysis_id = self.ids.choose(&mut self.rng).copied();
        FileFilter {
            object_id: self.rng.random_bool(0.2).then(|| self.random_object_id()),
            analysis_id: analysis_id.filter(|_| self.rng.random_bool(0.2)),
            name: self.rng.random_bool(0.3).then(|| FILE_NAMES[self.rng.random_range(0..4)].to_owned()),
            study_id: self.rng.random_bool(0.4).then(|| self.random_study()),
            access: self.rng.random_bool(0.3).then(|| self.random_access()),
            visible: self.rng.random_bool(0.3).then(|| VisibleFiles {
                studies: [self.random_study()].into(),
                published: [self.random_study()].into(),
            }),
        }
    }

    fn random_pattern(&mut self) -> ObjectIdPattern {
        match self.rng.random_range(0..3) {
            0 => ObjectIdPattern::Any,
            1 => ObjectIdPattern::Exactly(self.random_object_id()),
            _ => {
                let text = self.random_object_id().to_string();
                let start = self.rng.random_range(0..34);
                ObjectIdPattern::Matching(Regex::new(&text[start..start + 2]).unwrap())
            }
        }
    }
}
