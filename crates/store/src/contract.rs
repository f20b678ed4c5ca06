//! What every [`Store`](crate::Store) must do, as tests that each implementation's crate instantiates.
//!
//! An implementation says where its stores live by implementing [`Backend`], and one line in a test file of its crate,
//! `cantata_store::contract_tests!(an_expression_that_makes_a_backend);`, becomes one test for each case, named
//! after the behaviour. Every case gets a backend of its own and starts with an empty store.
//!
//! The cases are grouped as the trait is: studies, types, analyses, files, events, cursors, records. Above these stand
//! concurrency (what holds when many callers come at once), restart (what holds after the store was closed and opened again), and
//! random sequences of operations compared with a model that is too simple to be wrong.

#![expect(clippy::unwrap_used, reason = "everything here is a test; a failure of the store is a failed test")]

mod analyses;
pub mod builders;
mod concurrency;
mod cursors;
mod duplicates;
mod events;
mod files;
mod model;
mod random;
mod records;
mod restart;
mod steps;
mod studies;
mod types;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::Store;

/// How long a case may take before it counts as failed.
const CASE_TIMEOUT: Duration = Duration::from_secs(300);

/// The storage of a store, empty when it is made.
#[async_trait]
pub trait Backend: Send + Sync {
    /// Opens the store.
    ///
    /// The cases drop a store before they open the next one, which must then hold everything that was stored.
    async fn open(&self) -> Arc<dyn Store>;
}

/// Runs one case on a backend, as [`contract_tests!`](crate::contract_tests) does.
pub fn run(backend: &impl Backend, case: impl AsyncFnOnce(&dyn Backend)) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let finished = runtime.block_on(async { tokio::time::timeout(CASE_TIMEOUT, case(backend)).await });
    finished.expect("the case hangs: an operation of the store never returned");
}

/// Makes one test for each case of the contract; takes an expression that makes a fresh
/// [`Backend`](crate::contract::Backend).
///
/// The list is here and only here: the cases are exported from it too, so the compiler reports a case that is missing
/// in it as dead code.
#[macro_export]
macro_rules! contract_tests {
    ($backend:expr) => {
        $crate::contract_tests! { @list tests ($backend) }
    };
    (@list $purpose:ident $arguments:tt) => {
        $crate::contract_tests! { @$purpose $arguments
            studies {
                a_study_reads_back_as_it_was_created
                a_taken_study_id_is_refused_and_the_first_study_kept
                study_ids_are_sorted
                study_ids_are_told_apart_to_the_letter
                unknown_studies_are_absent
                a_new_store_is_healthy_and_empty
            }
            types {
                versions_count_up_per_name
                a_type_reads_back_as_it_was_registered
                omitted_options_are_inherited_and_empty_ones_clear
                no_version_means_the_latest
                unknown_types_are_absent
                seeding_registers_only_names_without_a_version
                listing_filters_by_name_and_version
                listing_sorts_as_asked
                listing_pages_and_counts_everything
                versions_of_a_type_come_newest_first
            }
            analyses {
                an_inserted_analysis_reads_back_to_the_byte
                an_inserted_analysis_has_the_state_it_says
                an_unknown_study_takes_no_analysis
                a_taken_analysis_id_is_refused
                a_replacement_is_the_latest_revision
                a_replacement_from_an_old_revision_is_a_conflict
                a_replacement_of_an_unknown_analysis_is_a_conflict
                old_revisions_keep_their_documents
                documents_come_in_the_order_asked_for
                very_many_documents_can_be_asked_for_at_once
                revisions_never_stored_are_corrupt
                listing_is_ordered_by_analysis_id
                listing_selects_states
                listing_pages
                listing_pages_by_key
                listing_shows_latest_revisions_only
                an_unknown_study_lists_nothing
                counting_follows_the_states
            }
            duplicates {
                checksums_of_any_analysis_count
                checksums_ignore_case
                checksums_with_equal_beginnings_or_ends_differ
                allowed_duplicates_are_stored
                equal_checksums_within_one_payload_are_fine
                the_first_duplicate_in_payload_order_is_named
                an_unknown_study_is_noticed_before_a_duplicate
                a_refused_duplicate_leaves_nothing_behind
                only_published_analyses_count_under_the_narrow_rule
                a_removed_file_is_no_duplicate_any_more
                a_changed_checksum_replaces_the_old_one
                one_of_two_equal_files_may_go
            }
            files {
                a_file_is_found_by_its_object_id
                object_ids_with_equal_beginnings_or_ends_differ
                a_changed_file_is_found_as_it_is_now
                a_file_written_again_is_still_one_file
                a_removed_file_is_gone
                every_combination_of_conditions_is_honoured
                listing_is_ordered_and_pages
                listing_pages_by_object_id
                listing_shows_what_may_be_seen
                conditions_compare_to_the_letter
                search_finds_any_file
                search_finds_one_object_id
                search_matches_the_text_of_object_ids
                search_names_an_analysis_once
                search_stays_within_its_study
                search_forgets_removed_files
            }
            events {
                a_store_without_events_says_so
                every_change_is_one_event
                an_event_holds_the_document_of_its_revision
                what_is_refused_is_no_event
                studies_and_types_are_no_events
                events_page_without_a_gap
                the_latest_event_is_known_when_a_change_returns
                a_waiting_follower_is_woken
                numbers_go_on_after_a_restart
            }
            cursors {
                a_reader_nobody_knows_has_dealt_with_nothing
                a_cursor_only_moves_forward
                only_the_holder_of_the_lease_moves_the_cursor
                a_lease_has_one_holder
                a_lease_that_has_run_out_is_taken_over
                a_lease_that_was_given_back_is_free
                readers_know_nothing_of_each_other
                racing_holders_have_one_winner
                cursors_survive_a_restart
            }
            records {
                a_record_reads_back_as_it_was_written
                records_that_were_never_written_are_absent
                changes_count_up_per_kind_and_are_followed
                a_write_from_an_old_base_changes_nothing
                a_removed_record_is_seen_by_followers_until_it_is_purged
                removed_records_are_purged_by_the_run_after_the_next
                racing_writers_of_a_kind_have_one_winner
                racing_changes_of_a_record_are_all_kept
                records_are_no_events_and_survive_a_restart
            }
            concurrency {
                racing_registrations_get_consecutive_versions
                racing_studies_have_one_winner
                racing_seeds_register_once
                racing_duplicates_have_one_winner
                racing_published_duplicates_have_one_winner
                overlapping_racers_never_share_a_checksum
                racing_replacements_have_one_winner
                no_update_is_lost
                changes_at_once_may_share_commits
                a_follower_sees_every_event_once_and_in_order
                a_failing_insert_fails_alone
                readers_see_whole_revisions
                a_caller_that_leaves_leaves_no_half_analysis
                callers_that_wait_elsewhere_hold_nobody_up
            }
            restart {
                an_empty_store_opens_again
                everything_small_is_there_after_a_restart
                replacements_survive_a_restart
                many_files_survive_restarts
            }
            random {
                sequence_1_agrees_with_the_model
                sequence_2_agrees_with_the_model
                sequence_3_agrees_with_the_model
                sequence_4_agrees_with_the_model
                sequence_5_agrees_with_the_model
                sequence_6_agrees_with_the_model
            }
        }
    };
    (@tests ($backend:expr) $($area:ident { $($case:ident)+ })+) => {
        $(
            mod $area {
                use super::*;

                $(
                    #[test]
                    fn $case() {
                        $crate::contract::run(&$backend, $crate::contract::cases::$area::$case);
                    }
                )+
            }
        )+
    };
    (@exports () $($area:ident { $($case:ident)+ })+) => {
        /// The cases, by area.
        #[doc(hidden)]
        pub mod cases {
            $(
                pub mod $area {
                    pub use super::super::$area::{$($case),+};
                }
            )+
        }
    };
}

contract_tests! { @list exports () }

#[cfg(test)]
mod tests {
    use super::model::MemoryStore;
    use super::{Arc, Backend, Store, async_trait};

    /// A store in memory, which outlives its handles.
    #[derive(Default)]
    struct MemoryBackend(Arc<MemoryStore>);

    #[async_trait]
    impl Backend for MemoryBackend {
        async fn open(&self) -> Arc<dyn Store> {
            Arc::<MemoryStore>::clone(&self.0)
        }
    }

    contract_tests!(MemoryBackend::default());
}
