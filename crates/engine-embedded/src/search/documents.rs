//! Bringing the documents of records that were found.

use cantata_engine::{Document, EngineError};

use crate::segment::fetch;
use crate::snapshot::Snapshot;

/// Returns the documents of places: the segment, and the row in it. Those of one segment are brought together.
///
/// # Errors
///
/// If a segment cannot be read.
pub(crate) fn documents_of(snapshot: &Snapshot, places: &[(usize, usize)]) -> Result<Vec<Document>, EngineError> {
    let mut documents: Vec<Option<Document>> = vec![None; places.len()];
    for (segment, view) in snapshot.views.iter().enumerate() {
        let of_segment: Vec<usize> = (0..places.len()).filter(|&place| places[place].0 == segment).collect();
        if of_segment.is_empty() {
            continue;
        }
        let rows: Vec<usize> = of_segment.iter().map(|&place| places[place].1).collect();
        let fetched = fetch(&view.segment, &rows)
            .map_err(|error| EngineError::Failed(format!("a segment cannot be read: {error}")))?;
        for (place, document) in of_segment.into_iter().zip(fetched) {
            documents[place] = Some(document);
        }
    }
    Ok(documents.into_iter().flatten().collect())
}
