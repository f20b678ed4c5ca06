//! Analysis types: registering, listing, and the compiled form that submissions are checked with.

use std::fmt::Display;
use std::sync::Arc;

use cantata_core::analysis_type::{check_registrable_name, check_type_name};
use cantata_core::{
    AnalysisType, AnalysisTypeId, Error, ErrorId, ErrorOrigin, PartialTypeOptions, Result, Timestamp, TypeOptions,
};
use cantata_schema::{PayloadValidator, check_registration, render_schema};
use cantata_store::{NewAnalysisType, TypeQuery};
use moka::sync::Cache;
use serde::Serialize;
use serde_json::Value;

use crate::MetadataService;
use crate::external::check_rules;

/// What a compiled type takes beside its own schema: the base that all types share is compiled with it.
const BASE_BYTES: usize = 256 << 10;

/// How many bytes a compiled schema takes for each byte of its text.
const COMPILED_RATIO: usize = 64;

/// A type that takes more than one part in this many of the cache is not cached.
const MAX_ENTRY_DIVISOR: usize = 4;

/// The registration of an analysis type.
#[derive(Debug, Clone)]
pub struct TypeRegistration {
    /// The type's name.
    pub name: Option<String>,
    /// The dynamic schema.
    pub schema: Option<Value>,
    /// The extra validations; those left out are inherited.
    pub options: PartialTypeOptions,
}

/// A registered version as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RegisteredType {
    /// The type's name.
    pub name: String,
    /// The version.
    pub version: u32,
    /// When it was registered.
    pub created_at: Timestamp,
    /// The extra validations in force.
    pub options: TypeOptions,
    /// The schema, unless hidden.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// Which form of a type's schema to return.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaView {
    /// The base schema and the dynamic one together.
    Rendered,
    /// The dynamic one as registered.
    Unrendered,
    /// Nothing.
    Hidden,
}

impl RegisteredType {
    fn of(registered: AnalysisType, view: SchemaView) -> Self {
        let schema = match view {
            SchemaView::Rendered => Some(render_schema(&registered.schema)),
            SchemaView::Unrendered => Some(registered.schema),
            SchemaView::Hidden => None,
        };
        Self {
            name: registered.id.name,
            version: registered.id.version,
            created_at: registered.created_at,
            options: registered.options,
            schema,
        }
    }
}

/// One page of registered versions.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TypePage {
    /// How many were asked for.
    pub limit: u64,
    /// How many were skipped.
    pub offset: u64,
    /// How many match in all.
    pub count: u64,
    /// The versions.
    pub result_set: Vec<RegisteredType>,
}

/// A type version with its compiled validator.
pub(crate) struct CompiledType {
    pub(crate) id: AnalysisTypeId,
    pub(crate) options: TypeOptions,
    pub(crate) validator: PayloadValidator,
    /// An estimate of its size in memory.
    bytes: usize,
}

impl CompiledType {
    /// Rejects files, given by name and type, whose type this version does not allow.
    pub(crate) fn check_file_types<'a>(
        &self,
        origin: ErrorOrigin,
        files: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<()> {
        let allowed = &self.options.file_types;
        if allowed.is_empty() {
            return Ok(());
        }
        let formats = allowed.join(", ");
        let violations: Vec<String> = files
            .filter(|(_, file_type)| !allowed.iter().any(|allowed| allowed == file_type))
            .map(|(name, _)| format!("#: {name} name is not supported, supported formats are {formats}"))
            .collect();
        if violations.is_empty() { Ok(()) } else { Err(Error::schema_violation(origin, violations.join(","))) }
    }
}

/// Caches compiled type versions by their size in memory; a version never changes, so no entry is ever stale.
pub(crate) struct TypeCache {
    compiled: Cache<AnalysisTypeId, Arc<CompiledType>>,
    max_entry_bytes: usize,
}

impl TypeCache {
    /// Creates a cache of this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let weigh = |_: &AnalysisTypeId, compiled: &Arc<CompiledType>| {
            // A single one is far smaller.
            u32::try_from(compiled.bytes).unwrap_or(u32::MAX)
        };
        let compiled = Cache::builder().max_capacity(bytes as u64).weigher(weigh).build();
        Self { compiled, max_entry_bytes: bytes / MAX_ENTRY_DIVISOR }
    }

    fn insert(&self, id: AnalysisTypeId, compiled: &Arc<CompiledType>) {
        if compiled.bytes <= self.max_entry_bytes {
            self.compiled.insert(id, Arc::clone(compiled));
        }
    }
}

impl MetadataService {
    /// Registers the next version of a type.
    pub async fn register_type(&self, registration: TypeRegistration) -> Result<RegisteredType> {
        let name = registration.name.ok_or_else(|| {
            Error::malformed_parameter(ErrorOrigin::AnalysisTypeService, "The analysisType name field cannot be null")
        })?;
        check_registrable_name(&name)?;
        match &registration.options.external_validations {
            Some(rules) => check_rules(rules)?,
            // An import may have brought rules that nobody could register; a new version does not inherit them.
            None => {
                if let Some(latest) = self.store.analysis_type(&name, None).await? {
                    check_rules(&latest.options.external_validations).map_err(|error| {
                        let text = format!(
                            "{}; the rule is inherited from version {}, because the registration has no \
                             externalValidations: send others, or [] for none",
                            error.text, latest.id.version
                        );
                        Error { text, ..error }
                    })?;
                }
            }
        }
        let schema = registration
            .schema
            .filter(|schema| !schema.is_null())
            .ok_or_else(|| Error::schema_violation(ErrorOrigin::AnalysisTypeService, "Schema field cannot be null"))?;
        let checked = tokio::task::spawn_blocking(move || check_registration(&schema).map(|()| schema)).await;
        let schema = checked.map_err(|error| {
            tracing::error!(%error, "checking a schema failed");
            let text = "#: the schema cannot be checked";
            Error::new(ErrorOrigin::AnalysisTypeService, ErrorId::MalformedJsonSchema, text)
        })??;
        let new = NewAnalysisType { name, schema, options: registration.options, created_at: Timestamp::now() };
        Ok(RegisteredType::of(self.store.register_type(new).await?, SchemaView::Rendered))
    }

    /// Returns one page of the registered versions.
    pub async fn list_types(&self, query: &TypeQuery, view: SchemaView) -> Result<TypePage> {
        let (count, types) = self.store.list_types(query).await?;
        let result_set = types.into_iter().map(|registered| RegisteredType::of(registered, view)).collect();
        Ok(TypePage { limit: query.limit, offset: query.offset, count, result_set })
    }

    /// Returns one version of a type.
    pub async fn analysis_type(&self, name: &str, version: u64, view: SchemaView) -> Result<RegisteredType> {
        check_type_name(name)?;
        let registered = match u32::try_from(version) {
            Ok(version) => self.store.analysis_type(name, Some(version)).await?,
            Err(_) => None,
        };
        let latest = self.store.latest_type_version(name).await?;
        registered
            .map(|registered| RegisteredType::of(registered, view))
            .ok_or_else(|| unknown_version(name, version, latest))
    }

    /// Returns the newest versions of a type, from one to `limit`, and how many there are in all.
    pub async fn type_versions(&self, name: &str, view: SchemaView, limit: u64) -> Result<TypePage> {
        check_type_name(name)?;
        let page = self.list_types(&TypeQuery { limit, ..TypeQuery::versions_of(name) }, view).await?;
        if page.result_set.is_empty() {
            return Err(unknown_type(name));
        }
        Ok(page)
    }

    /// Returns the compiled version that a submission or update names, or the latest if it names none.
    pub(crate) async fn compiled_type(
        &self,
        name: &str,
        version: Option<i64>,
        origin: ErrorOrigin,
    ) -> Result<Arc<CompiledType>> {
        let latest = self.store.latest_type_version(name).await?.ok_or_else(|| unknown_type(name))?;
        let version = match version {
            None => latest,
            Some(version) if version == i64::from(latest) => latest,
            Some(version) if self.settings.enforce_latest => return Err(not_latest(origin, name, version, latest)),
            Some(version) => match u32::try_from(version) {
                Ok(known) if (1..latest).contains(&known) => known,
                _ => return Err(unknown_version(name, version, Some(latest))),
            },
        };
        self.compiled_version(name, version).await
    }

    /// Returns a compiled version that is known to be registered.
    pub(crate) async fn compiled_version(&self, name: &str, version: u32) -> Result<Arc<CompiledType>> {
        let id = AnalysisTypeId { name: name.to_owned(), version };
        if let Some(compiled) = self.types.compiled.get(&id) {
            return Ok(compiled);
        }
        let registered = self.store.analysis_type(name, Some(version)).await?;
        let registered = registered.ok_or_else(|| unknown_type(name))?;
        let compiled = Arc::new(CompiledType {
            validator: PayloadValidator::compile(&registered.schema)?,
            bytes: BASE_BYTES + COMPILED_RATIO * registered.schema.to_string().len(),
            options: registered.options,
            id: registered.id,
        });
        self.types.insert(id, &compiled);
        Ok(compiled)
    }

    /// Rejects a type version that is not the latest, if the settings say so.
    pub(crate) async fn require_latest(&self, id: &AnalysisTypeId, origin: ErrorOrigin) -> Result<()> {
        if !self.settings.enforce_latest {
            return Ok(());
        }
        match self.store.latest_type_version(&id.name).await? {
            Some(latest) if latest != id.version => Err(not_latest(origin, &id.name, id.version.into(), latest)),
            _ => Ok(()),
        }
    }
}

fn unknown_type(name: &str) -> Error {
    let text = format!("The analysisType with name '{name}' was not found; GET /schemas lists the registered ones");
    Error::new(ErrorOrigin::AnalysisTypeService, ErrorId::AnalysisTypeNotFound, text)
}

fn unknown_version(name: &str, version: impl Display, latest: Option<u32>) -> Error {
    let Some(latest) = latest else { return unknown_type(name) };
    let text = format!(
        "The analysisType with name '{name}' and version '{version}' was not found; its versions are 1 to {latest}"
    );
    Error::new(ErrorOrigin::AnalysisTypeService, ErrorId::AnalysisTypeNotFound, text)
}

fn not_latest(origin: ErrorOrigin, name: &str, version: i64, latest: u32) -> Error {
    let text = format!(
        "Must use the latest version '{latest}' while enforceLatest=true, \
         but using version '{version}' of analysisType '{name}' instead"
    );
    Error::new(origin, ErrorId::AnalysisTypeIncorrectVersion, text)
}

#[cfg(test)]
mod tests {
    use cantata_schema::builtin_types;

    use super::*;

    #[test]
    fn compiled_types_are_cached_by_their_size() {
        const CACHE_BYTES: usize = 1 << 20;
        let cache = TypeCache::new(CACHE_BYTES);
        let insert = |version: u32, bytes: usize| {
            let id = AnalysisTypeId { name: "type".to_owned(), version };
            let validator = PayloadValidator::compile(&builtin_types()[0].schema).unwrap();
            let compiled = CompiledType { id: id.clone(), options: TypeOptions::default(), validator, bytes };
            cache.insert(id, &Arc::new(compiled));
            cache.compiled.run_pending_tasks();
        };
        insert(1, CACHE_BYTES / 2);
        assert_eq!(cache.compiled.weighted_size(), 0, "a large one is not cached");
        (0..20).for_each(|version| insert(version, CACHE_BYTES / 8));
        let size = cache.compiled.weighted_size();
        assert!(0 < size && size <= CACHE_BYTES as u64, "{size} bytes are cached");
    }
}
