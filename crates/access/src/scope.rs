//! Authorization by scopes.
//!
//! A scope is compared as a whole and with its case: nothing in it is a pattern, so that no name of a study can reach
//! beyond itself. A scope of the form `X.DENY` takes away whatever other scopes would allow for `X`, and wins over all
//! of them. The names of scopes are configurable; [`ScopeRules::new`] rejects
//! ambiguous ones.

use std::collections::BTreeSet;

use crate::{AuthMethod, Identity};

/// The suffix of the scope that allows to read a study.
const READ: &str = ".READ";

/// The suffix of the scope that denies.
const DENY: &str = ".DENY";

/// The names of scopes, and what each allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeRules {
    study_prefix: String,
    study_suffix: String,
    system: String,
    /// The scopes that allow to read everything, and that deny everything.
    system_read: String,
    system_deny: String,
}

/// Why names of scopes are rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScopeError {
    /// The text before the study is invalid.
    #[error("expected letters, digits or `_` and one other character at the end, such as STUDY.")]
    Prefix,
    /// The text after the study is invalid.
    #[error(
        "expected one character that is no letter, then letters, digits or `_`, such as .WRITE, not .READ or .DENY"
    )]
    Suffix,
    /// The scope for everything is invalid.
    #[error("expected a name, a dot and a word, such as song.WRITE, that cannot be the scope of a study")]
    System,
}

impl Default for ScopeRules {
    fn default() -> Self {
        Self::from_parts("STUDY.", ".WRITE", "song.WRITE")
    }
}

impl ScopeRules {
    /// Creates rules: `<prefix><study><suffix>` allows to write a study, `system` allows everything.
    ///
    /// # Errors
    ///
    /// If a scope could be read in two ways.
    pub fn new(study_prefix: &str, study_suffix: &str, system: &str) -> Result<Self, ScopeError> {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let is_name = |text: &str| !text.is_empty() && text.chars().all(is_word);
        let mut before = study_prefix.chars();
        let mark = before.next_back();
        if mark.is_none_or(is_word) || !is_name(before.as_str()) {
            return Err(ScopeError::Prefix);
        }
        let mut after = study_suffix.chars();
        let mark = after.next();
        if mark.is_none_or(is_word) || !is_name(after.as_str()) || [READ, DENY].contains(&study_suffix) {
            return Err(ScopeError::Suffix);
        }
        let is_of_study = system.starts_with(study_prefix)
            && [study_suffix, READ, DENY].iter().any(|suffix| system.ends_with(suffix))
            && system.len() > study_prefix.len() + study_suffix.len();
        let has_parts = system.rsplit_once('.').is_some_and(|(name, word)| !name.is_empty() && is_name(word));
        if is_of_study || !has_parts || system.ends_with(READ) || system.ends_with(DENY) {
            return Err(ScopeError::System);
        }
        Ok(Self::from_parts(study_prefix, study_suffix, system))
    }

    fn from_parts(study_prefix: &str, study_suffix: &str, system: &str) -> Self {
        let name = system.rsplit_once('.').map_or(system, |(name, _)| name);
        Self {
            study_prefix: study_prefix.to_owned(),
            study_suffix: study_suffix.to_owned(),
            system: system.to_owned(),
            system_read: [name, READ].concat(),
            system_deny: [name, DENY].concat(),
        }
    }

    /// Returns the scope that allows everything.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// Returns the scope that allows to change a study.
    pub fn for_study(&self, study: &str) -> String {
        [&self.study_prefix, study, &self.study_suffix].concat()
    }

    /// Returns whether a scope names a study but not what is allowed there, as `STUDY.ABC` does. It allows nothing.
    pub fn lacks_verb(&self, scope: &str) -> bool {
        let is_of_system = [&self.system, &self.system_read, &self.system_deny].iter().any(|known| *known == scope);
        let has_verb = |rest: &str| {
            let mut studies = [READ, DENY, &self.study_suffix].into_iter().filter_map(|verb| rest.strip_suffix(verb));
            studies.any(|study| !study.is_empty())
        };
        !is_of_system && scope.strip_prefix(&self.study_prefix).is_some_and(|rest| !has_verb(rest))
    }

    /// Returns whether an identity may do everything.
    pub fn is_administrator(&self, identity: &Identity) -> bool {
        identity.auth_method == AuthMethod::Unchecked
            || (identity.has_scope(&self.system) && !identity.has_scope(&self.system_deny))
    }

    /// Returns whether an identity may read what belongs to no study in particular.
    pub fn can_read_everything(&self, identity: &Identity) -> bool {
        self.is_administrator(identity)
            || (identity.has_scope(&self.system_read) && !identity.has_scope(&self.system_deny))
    }

    /// Returns whether an identity may read every study, without exception.
    pub fn can_read_every_study(&self, identity: &Identity) -> bool {
        self.can_read_everything(identity) && !identity.scopes.iter().any(|scope| scope.ends_with(DENY))
    }

    /// Returns whether an identity may read a study.
    pub fn can_read(&self, identity: &Identity, study: &str) -> bool {
        let is_allowed = || {
            self.can_read_everything(identity)
                || [READ, &self.study_suffix].iter().any(|suffix| self.has_for_study(identity, study, suffix))
        };
        !self.is_denied(identity, study) && is_allowed()
    }

    /// Returns whether an identity may change a study.
    pub fn can_write(&self, identity: &Identity, study: &str) -> bool {
        let is_allowed = || self.is_administrator(identity) || self.has_for_study(identity, study, &self.study_suffix);
        !self.is_denied(identity, study) && is_allowed()
    }

    /// Returns whether an identity may do everything that a scope allows.
    pub fn covers(&self, identity: &Identity, scope: &str) -> bool {
        if scope.ends_with(DENY) {
            return true;
        }
        if scope == self.system {
            return self.is_administrator(identity);
        }
        if scope == self.system_read {
            return self.can_read_everything(identity);
        }
        if let Some(study) = self.study_of(scope, READ) {
            return self.can_read(identity, study);
        }
        match self.study_of(scope, &self.study_suffix) {
            Some(study) => self.can_write(identity, study),
            None => identity.has_scope(scope),
        }
    }

    /// Returns the scopes of a delegate of an identity: those that the identity covers, and all that it is denied.
    pub(crate) fn limited(&self, scopes: &[String], identity: &Identity) -> BTreeSet<String> {
        let covered = scopes.iter().filter(|scope| self.covers(identity, scope));
        covered.chain(identity.scopes.iter().filter(|scope| scope.ends_with(DENY))).cloned().collect()
    }

    fn study_of<'a>(&self, scope: &'a str, suffix: &str) -> Option<&'a str> {
        scope.strip_suffix(suffix)?.strip_prefix(self.study_prefix.as_str())
    }

    /// Returns whether an identity is denied a study, whatever else it may do.
    pub fn is_denied(&self, identity: &Identity, study: &str) -> bool {
        self.has_for_study(identity, study, DENY)
    }

    /// Compares without allocating: this runs for every request.
    fn has_for_study(&self, identity: &Identity, study: &str, suffix: &str) -> bool {
        let named =
            |scope: &str| scope.strip_suffix(suffix)?.strip_prefix(&self.study_prefix).map(|name| name == study);
        identity.scopes.iter().any(|scope| named(scope) == Some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(scopes: &[&str]) -> Identity {
        Identity {
            auth_method: AuthMethod::ApiKey,
            scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
            ..Identity::anonymous()
        }
    }

    #[test]
    fn a_study_scope_reaches_its_study_and_no_other() {
        let rules = ScopeRules::default();
        let writer = with(&["STUDY.ABC.WRITE"]);
        assert!(rules.can_write(&writer, "ABC") && rules.can_read(&writer, "ABC"));
        for other in ["ABC-2", "AB", "abc", "ABC.", "ABC ", ".ABC", "A.C", "ABC.WRITE", "", ".*", "ABC/../XYZ", "XYZ"] {
            assert!(!rules.can_write(&writer, other), "{other}");
            assert!(!rules.can_read(&writer, other), "{other}");
        }
        assert!(!rules.is_administrator(&writer) && !rules.can_read_everything(&writer));
    }

    #[test]
    fn letters_of_patterns_in_scopes_are_letters() {
        let rules = ScopeRules::default();
        for scope in ["STUDY.*.WRITE", "STUDY..*.WRITE", "STUDY.%.WRITE", "STUDY.[A-Z]+.WRITE", "*", "STUDY.", ".WRITE"]
        {
            assert!(!rules.can_write(&with(&[scope]), "ABC"), "{scope}");
        }
        assert!(rules.can_write(&with(&["STUDY.A.*.WRITE"]), "A.*"));
        assert!(!rules.can_write(&with(&["STUDY.A.*.WRITE"]), "A.B"));
    }

    #[test]
    fn a_scope_of_a_study_says_what_it_allows() {
        let rules = ScopeRules::default();
        for incomplete in ["STUDY.ABC", "STUDY.ABC.", "STUDY.ABC.write", "STUDY.", "STUDY..WRITE", "STUDY.WRITE"] {
            assert!(rules.lacks_verb(incomplete), "{incomplete}");
        }
        for complete in ["STUDY.ABC.WRITE", "STUDY.A.B.READ", "STUDY.ABC.DENY", "song.WRITE", "secrets", "study.ABC"] {
            assert!(!rules.lacks_verb(complete), "{complete}");
        }
        assert!(!ScopeRules::from_parts("song.", ".WRITE", "song.WRITE").lacks_verb("song.READ"));
    }

    #[test]
    fn reading_needs_less_than_writing() {
        let rules = ScopeRules::default();
        let reader = with(&["STUDY.ABC.READ"]);
        assert!(rules.can_read(&reader, "ABC") && !rules.can_write(&reader, "ABC"));
        let reader = with(&["song.READ"]);
        assert!(rules.can_read(&reader, "ABC") && !rules.can_write(&reader, "ABC") && !rules.is_administrator(&reader));
    }

    #[test]
    fn denial_wins() {
        let rules = ScopeRules::default();
        let denied = with(&["song.WRITE", "STUDY.ABC.WRITE", "STUDY.ABC.READ", "STUDY.ABC.DENY"]);
        assert!(!rules.can_write(&denied, "ABC") && !rules.can_read(&denied, "ABC"));
        assert!(rules.can_write(&denied, "XYZ"));
        let denied = with(&["song.WRITE", "song.READ", "song.DENY", "STUDY.ABC.WRITE"]);
        assert!(!rules.is_administrator(&denied) && !rules.can_read_everything(&denied));
        assert!(rules.can_write(&denied, "ABC") && !rules.can_write(&denied, "XYZ"));
    }

    #[test]
    fn who_acts_for_somebody_may_do_no_more_than_they_may() {
        let rules = ScopeRules::default();
        let curator = with(&["STUDY.A.WRITE", "STUDY.B.READ", "STUDY.C.WRITE", "STUDY.C.DENY", "portal.USE"]);
        for scope in ["STUDY.A.WRITE", "STUDY.A.READ", "STUDY.B.READ", "portal.USE", "STUDY.X.DENY"] {
            assert!(rules.covers(&curator, scope), "{scope}");
        }
        for scope in ["STUDY.B.WRITE", "STUDY.C.WRITE", "STUDY.C.READ", "song.WRITE", "song.READ", "STUDY.*.READ"] {
            assert!(!rules.covers(&curator, scope), "{scope}");
        }
        let administrator = with(&["song.WRITE"]);
        assert!(rules.covers(&administrator, "STUDY.A.WRITE") && rules.covers(&administrator, "song.READ"));
        assert!(!rules.covers(&administrator, "portal.USE"), "a catalogue's own scope is not implied");
        let wanted = ["STUDY.A.WRITE", "song.WRITE"].map(str::to_owned);
        assert!(rules.limited(&wanted, &curator).into_iter().eq(["STUDY.A.WRITE", "STUDY.C.DENY"]));
    }

    #[test]
    fn without_scopes_nothing_is_allowed_and_unchecked_everything() {
        let rules = ScopeRules::default();
        assert!(!rules.can_read(&Identity::anonymous(), "ABC"));
        assert!(rules.can_write(&Identity::unchecked(), "ABC") && rules.is_administrator(&Identity::unchecked()));
    }

    #[test]
    fn a_spelling_that_could_mean_two_things_is_refused() {
        for prefix in ["", "STUDY", ".", "A-B.", "STUDY..", "ÄB."] {
            assert_eq!(ScopeRules::new(prefix, ".WRITE", "song.WRITE"), Err(ScopeError::Prefix), "{prefix}");
        }
        for suffix in ["", "WRITE", ".", ".A-B", "..WRITE", ".READ", ".DENY"] {
            assert_eq!(ScopeRules::new("STUDY.", suffix, "song.WRITE"), Err(ScopeError::Suffix), "{suffix}");
        }
        for system in ["", "song", ".WRITE", "song.", "song.READ", "song.DENY", "STUDY.ALL.WRITE"] {
            assert_eq!(ScopeRules::new("STUDY.", ".WRITE", system), Err(ScopeError::System), "{system}");
        }
        assert!(ScopeRules::new("PROGRAMDATA-", ".WRITE", "song.WRITE").is_ok());
    }
}
