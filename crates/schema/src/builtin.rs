//! The analysis types that exist before anyone registers one; clients rely on both.

use std::sync::LazyLock;

use cantata_core::AnalysisTypeId;
use serde_json::Value;

/// An analysis type that every server knows.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltinType {
    /// Name and version.
    pub id: AnalysisTypeId,
    /// The dynamic schema, as if it had been registered.
    pub schema: Value,
}

static BUILTIN: LazyLock<[BuiltinType; 2]> = LazyLock::new(|| {
    [
        ("variantCall", include_str!("builtin/variantCall.json")),
        ("sequencingRead", include_str!("builtin/sequencingRead.json")),
    ]
    .map(|(name, text)| BuiltinType {
        id: AnalysisTypeId { name: name.to_owned(), version: 1 },
        schema: serde_json::from_str(text).expect("the embedded schema is JSON"),
    })
});

/// Returns the types that every server knows, in the order of their registration.
pub fn builtin_types() -> &'static [BuiltinType] {
    &*BUILTIN
}
