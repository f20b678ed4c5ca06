//! The documents as bare arrays in memory: for each field one code per row, for each nesting level where the rows of a
//! parent begin. No index, no compression: what the loops of [`super::bare_page`] run over.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};

use serde::Deserialize;
use uuid::Uuid;

use super::corpus::Corpus;
use super::graphql::SortField;
use crate::Outcome;

/// How much is read at a time.
const READ_BUFFER_BYTES: usize = 1 << 20;

/// How many codes there are, that for a missing value included.
pub(super) const CODES: usize = 256;

/// How many levels rows are at: records, donors, specimens, samples.
const LEVELS: usize = 4;

/// A field whose values are counted.
pub(super) struct FacetField {
    pub(super) path: &'static str,
    /// The level of its rows, 0 for records.
    pub(super) level: usize,
}

/// The facets of a page.
pub(super) const FACETS: [FacetField; 12] = [
    FacetField { path: "study_id", level: 0 },
    FacetField { path: "data_category", level: 0 },
    FacetField { path: "data_type", level: 0 },
    FacetField { path: "file_type", level: 0 },
    FacetField { path: "file_access", level: 0 },
    FacetField { path: "analysis.analysis_type", level: 0 },
    FacetField { path: "analysis.experiment.strategy", level: 0 },
    FacetField { path: "analysis.experiment.platform", level: 0 },
    FacetField { path: "donors.gender", level: 1 },
    FacetField { path: "donors.primary_site", level: 1 },
    FacetField { path: "donors.specimens.specimen_type", level: 2 },
    FacetField { path: "donors.specimens.samples.sample_type", level: 3 },
];

/// All documents.
#[derive(Default)]
pub(super) struct Arrays {
    pub(super) ids: Vec<u128>,
    file_ids: Vec<u64>,
    published: Vec<u64>,
    sizes: Vec<u64>,
    /// In the order of [`FACETS`].
    pub(super) columns: [Column; FACETS.len()],
    /// Those of the records are not used.
    pub(super) levels: [Level; LEVELS],
}

/// The values of a field.
#[derive(Default)]
pub(super) struct Column {
    /// One for each row; 0 means no value.
    pub(super) codes: Vec<u8>,
    /// The value of each code, less one.
    values: Vec<String>,
    known: HashMap<String, u8>,
}

/// Where the rows of a level begin: for the row above and for the record, and at the end how many there are.
#[derive(Default)]
pub(super) struct Level {
    pub(super) of_parent: Vec<u32>,
    pub(super) of_record: Vec<u32>,
}

impl Arrays {
    /// The bucket for records without a value, in answers.
    const MISSING: &'static str = "__missing__";

    /// Reads the documents of a file.
    pub(super) fn read(corpus: &Corpus) -> Outcome<Self> {
        let mut arrays = Self::default();
        let mut file = BufReader::with_capacity(READ_BUFFER_BYTES, fs_err::File::open(&corpus.path)?);
        let mut line = Vec::new();
        while file.read_until(b'\n', &mut line)? > 0 {
            arrays.add(&serde_json::from_slice(&line)?)?;
            line.clear();
        }
        arrays.end()?;
        Ok(arrays)
    }

    pub(super) fn documents(&self) -> usize {
        self.ids.len()
    }

    /// Returns what records are sorted by.
    pub(super) fn keys(&self, field: SortField) -> &[u64] {
        match field {
            SortField::FileId => &self.file_ids,
            SortField::Published => &self.published,
            SortField::Size => &self.sizes,
        }
    }

    /// Returns the code of a value; nothing if no row has it.
    pub(super) fn code(&self, facet: usize, value: &str) -> Option<u8> {
        self.columns[facet].known.get(value).copied()
    }

    /// Returns the values of a facet that were counted, with their counts.
    pub(super) fn named(&self, facet: usize, counts: &[u32; CODES]) -> Vec<(String, u64)> {
        let names = [Self::MISSING.to_owned()].into_iter().chain(self.columns[facet].values.iter().cloned());
        let counted = names.zip(counts).filter(|(_, count)| **count > 0);
        counted.map(|(name, count)| (name, u64::from(*count))).collect()
    }

    fn add(&mut self, file: &IndexedFile<'_>) -> Outcome<()> {
        self.begin(0)?;
        self.ids.push(Uuid::parse_str(file.id)?.as_u128());
        self.file_ids.push(file.file_id.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse()?);
        let published: jiff::Timestamp = file.analysis.first_published_at.parse()?;
        self.published.push(u64::try_from(published.as_millisecond())?);
        self.sizes.push(file.size);
        let experiment = &file.analysis.experiment;
        let of_record = [
            Some(file.study_id),
            Some(file.data_category),
            Some(file.data_type),
            Some(file.file_type),
            Some(file.file_access),
            Some(file.analysis.analysis_type),
            Some(experiment.strategy),
            experiment.platform,
        ];
        for (column, value) in self.columns.iter_mut().zip(of_record) {
            column.add(value)?;
        }
        for donor in &file.donors {
            self.begin(1)?;
            self.columns[8].add(donor.gender)?;
            self.columns[9].add(Some(donor.primary_site))?;
            for specimen in &donor.specimens {
                self.begin(2)?;
                self.columns[10].add(Some(specimen.specimen_type))?;
                for sample in &specimen.samples {
                    self.columns[11].add(Some(sample.sample_type))?;
                }
            }
        }
        Ok(())
    }

    /// Notes where the rows below a new row of a level will begin.
    fn begin(&mut self, level: usize) -> Outcome<()> {
        let rows: [usize; LEVELS] = [0, 8, 10, 11].map(|column| self.columns[column].codes.len());
        if level + 1 < LEVELS {
            self.levels[level + 1].of_parent.push(u32::try_from(rows[level + 1])?);
        }
        if level == 0 {
            for (below, rows) in self.levels.iter_mut().zip(rows).skip(1) {
                below.of_record.push(u32::try_from(rows)?);
            }
        }
        Ok(())
    }

    /// Notes where the rows of the last ones end.
    fn end(&mut self) -> Outcome<()> {
        (0..LEVELS).try_for_each(|level| self.begin(level))
    }
}

impl Column {
    fn add(&mut self, value: Option<&str>) -> Outcome<()> {
        let code = match value {
            None => 0,
            Some(value) => match self.known.get(value) {
                Some(code) => *code,
                None => {
                    self.values.push(value.to_owned());
                    let code = u8::try_from(self.values.len())?;
                    self.known.insert(value.to_owned(), code);
                    code
                }
            },
        };
        self.codes.push(code);
        Ok(())
    }
}

#[derive(Deserialize)]
struct IndexedFile<'a> {
    #[serde(rename = "_id")]
    id: &'a str,
    file_id: &'a str,
    file_type: &'a str,
    file_access: &'a str,
    data_type: &'a str,
    data_category: &'a str,
    size: u64,
    study_id: &'a str,
    #[serde(borrow)]
    analysis: AnalysisRow<'a>,
    donors: Vec<DonorRow<'a>>,
}

#[derive(Deserialize)]
struct AnalysisRow<'a> {
    analysis_type: &'a str,
    first_published_at: &'a str,
    #[serde(borrow)]
    experiment: ExperimentRow<'a>,
}

#[derive(Deserialize)]
struct ExperimentRow<'a> {
    platform: Option<&'a str>,
    strategy: &'a str,
}

#[derive(Deserialize)]
struct DonorRow<'a> {
    gender: Option<&'a str>,
    primary_site: &'a str,
    #[serde(borrow)]
    specimens: Vec<SpecimenRow<'a>>,
}

#[derive(Deserialize)]
struct SpecimenRow<'a> {
    specimen_type: &'a str,
    #[serde(borrow)]
    samples: Vec<SampleRow<'a>>,
}

#[derive(Deserialize)]
struct SampleRow<'a> {
    sample_type: &'a str,
}
