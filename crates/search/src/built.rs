//! A catalogue that is ready, whoever asks: what each sees of it is made when it is asked for, and kept by what is seen.
//!
//! Schema, introspection and everything that was read of requests belong to what is seen, so nothing of one view can
//! reach another.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use cantata_access::Identity;
use cantata_catalogue::introspection::{CatalogueBody, FailedCatalogue};
use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueError, View};
use cantata_engine::SearchEngine;
use cantata_graphql::CatalogueSchema;
use cantata_mapping::{Covers, IndexMapping};
use jiff::Timestamp;

use crate::catalogues::ServedCatalogue;
use crate::tally::SearchTally;

/// How many faces are kept. There are few, as they follow from rules, not from identities.
const MOST_FACES: usize = 64;

/// A catalogue that is ready.
pub(crate) struct BuiltCatalogue {
    /// With all its fields.
    pub(crate) catalogue: Arc<Catalogue>,
    config: CatalogueConfig,
    mapping: Arc<IndexMapping>,
    engine: Arc<dyn SearchEngine>,
    faces: Mutex<HashMap<FaceKey, Arc<Face>>>,
    cut_fields: Arc<Mutex<HashSet<String>>>,
    generated_at: String,
}

/// What the face of a view depends on; which records it has is not part of it.
#[derive(PartialEq, Eq, Hash)]
struct FaceKey {
    covers: Covers,
    below: Option<u64>,
    is_everything: bool,
}

impl FaceKey {
    fn of(view: &View) -> Self {
        Self { covers: view.covers.clone(), below: view.below, is_everything: view.is_everything() }
    }
}

/// What is known of a catalogue before anything is asked.
struct Face {
    catalogue: Arc<Catalogue>,
    schema: CatalogueSchema,
    introspection: Arc<CatalogueBody>,
}

impl BuiltCatalogue {
    pub(crate) fn build(
        engine: &Arc<dyn SearchEngine>,
        config: &CatalogueConfig,
        mapping: &Arc<IndexMapping>,
    ) -> Result<Self, CatalogueError> {
        let built = Self {
            catalogue: Arc::new(Catalogue::build(config, mapping)?),
            config: config.clone(),
            mapping: Arc::clone(mapping),
            engine: Arc::clone(engine),
            faces: Mutex::default(),
            cut_fields: Arc::default(),
            generated_at: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        };
        built.face(&View::unruled())?;
        Ok(built)
    }

    /// Returns the catalogue as an identity sees it.
    ///
    /// # Errors
    ///
    /// If nothing can be served of what is left.
    pub(crate) fn seen_by(
        &self,
        identity: &Identity,
        tally: &Arc<SearchTally>,
    ) -> Result<Arc<ServedCatalogue>, FailedCatalogue> {
        let view = self.catalogue.view(identity);
        let face = self.face(&view).map_err(|error| FailedCatalogue {
            id: self.catalogue.id.clone(),
            document_type: self.catalogue.document_type.clone(),
            description: self.catalogue.description.clone(),
            error,
        })?;
        Ok(Arc::new(ServedCatalogue {
            catalogue: Arc::clone(&face.catalogue),
            schema: face.schema.clone(),
            introspection: Arc::clone(&face.introspection),
            view,
            engine: Arc::clone(&self.engine),
            cut_fields: Arc::clone(&self.cut_fields),
            tally: Arc::clone(tally),
        }))
    }

    fn face(&self, view: &View) -> Result<Arc<Face>, CatalogueError> {
        let key = FaceKey::of(view);
        let mut faces = self.faces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(face) = faces.get(&key) {
            return Ok(Arc::clone(face));
        }
        let catalogue = match view.covers.is_empty() {
            true => Arc::clone(&self.catalogue),
            false => Arc::new(Catalogue::build_covered(&self.config, &self.mapping, &view.covers)?),
        };
        let face = Arc::new(Face {
            schema: CatalogueSchema::build(Arc::clone(&catalogue))?,
            introspection: Arc::new(CatalogueBody::new(&catalogue, view, self.generated_at.clone())),
            catalogue,
        });
        if faces.len() >= MOST_FACES {
            faces.clear();
        }
        faces.insert(key, Arc::clone(&face));
        Ok(face)
    }
}
