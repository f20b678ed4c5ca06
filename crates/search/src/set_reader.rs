//! Whose saved sets a client may use and change.
//!
//! A set is private until its owner shares it: by link, with groups, or with everybody; only the owner may change it. A set
//! without an owner, which was saved without a credential or before sets had owners, is everybody's. Without authentication
//! every set is.

use cantata_access::{AuthMethod, Identity};
use cantata_engine::Filter;
use cantata_mapping::TypedValue;
use serde_json::Value;

/// The member with the owner of a set.
pub(crate) const OWNER: &str = "owner";

/// The member that says how a set is shared.
pub(crate) const SHARED_WITH: &str = "sharedWith";

/// Shares a set with those who know its id.
const LINK: &str = "link";

/// Shares a set with everybody, who then find it in lists, too.
const EVERYBODY: &str = "everybody";

/// What precedes the name of a group.
const GROUP_PREFIX: &str = "group:";

/// A client, as far as sets are concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetReader {
    /// Whether every set is its own, because there is no authentication.
    owns_all: bool,
    /// Who it is; none for a client without a credential.
    pub(crate) owner: Option<String>,
    /// With what sets are shared that it finds in lists.
    shares: Vec<String>,
}

impl SetReader {
    /// Returns the reader of an identity.
    pub(crate) fn of(identity: &Identity) -> Self {
        let name = &identity.name;
        let owner = match (identity.auth_method, &identity.person) {
            (AuthMethod::Anonymous | AuthMethod::Unchecked, _) => None,
            (_, Some(person)) => Some(format!("person:{person}")),
            // Each kind of credential has names of its own, which another issuer has given.
            (AuthMethod::ApiKey, None) => Some(format!("key:{name}")),
            (AuthMethod::Introspection, None) => Some(format!("key-of-another-server:{name}")),
            (AuthMethod::Token | AuthMethod::Session, None) => Some(format!("token:{name}")),
        };
        let is_known = owner.is_some();
        let groups = identity.groups().into_iter().map(|group| format!("{GROUP_PREFIX}{group}"));
        Self {
            owns_all: identity.auth_method == AuthMethod::Unchecked,
            owner,
            shares: std::iter::once(EVERYBODY.to_owned()).chain(groups.filter(|_| is_known)).collect(),
        }
    }

    /// Returns the filter over the sets that are listed; nothing if all are.
    pub(crate) fn filter(&self) -> Option<Filter> {
        let terms = |field: &str, values: &[String]| Filter::Terms {
            field: field.to_owned(),
            values: values.iter().cloned().map(TypedValue::Text).collect(),
        };
        let own = self.owner.as_ref().map(|owner| terms(OWNER, std::slice::from_ref(owner)));
        let listed = [Some(unowned_filter()), own, Some(terms(SHARED_WITH, &self.shares))];
        (!self.owns_all).then(|| Filter::or(listed.into_iter().flatten()))
    }

    /// Returns the filter over the sets that belong to the client, if it has an identity that can own sets.
    pub(crate) fn own_filter(&self) -> Option<Filter> {
        let owner = self.owner.clone()?;
        Some(Filter::Terms { field: OWNER.to_owned(), values: vec![TypedValue::Text(owner)] })
    }

    /// Returns whether the client may change a set.
    pub(crate) fn can_change(&self, set: &Value) -> bool {
        let owner = set.get(OWNER).and_then(Value::as_str);
        self.owns_all || owner.is_none() || owner == self.owner.as_deref()
    }

    /// Returns whether the client may use a set whose id it knows.
    pub(crate) fn can_use(&self, set: &Value) -> bool {
        let mut shared = set.get(SHARED_WITH).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        self.can_change(set) || shared.any(|with| with == LINK || self.shares.iter().any(|share| share == with))
    }
}

/// Returns the filter over the sets without an owner.
pub(crate) fn unowned_filter() -> Filter {
    Filter::Exists { field: OWNER.to_owned() }.negated()
}

/// Returns the first of these texts that is no known way to share a set.
pub(crate) fn unknown_share(shared_with: &[String]) -> Option<&String> {
    shared_with.iter().find(|with| {
        let is_group = with.strip_prefix(GROUP_PREFIX).is_some_and(|group| !group.trim().is_empty());
        *with != LINK && *with != EVERYBODY && !is_group
    })
}
