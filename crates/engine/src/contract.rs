//! The contract of a [`SearchEngine`](crate::SearchEngine), as tests that each engine's crate instantiates.
//!
//! One line in a test file, `cantata_engine::engine_contract!(an_expression_that_makes_a_fresh_engine);`, becomes one
//! test for each named case; [`suite::run_random`] holds an engine against the brute-force [`model`] with the indexes
//! and requests that [`random`] makes.

#![expect(clippy::unwrap_used, reason = "everything here is a test; a failure of the engine is a failed test")]

#[cfg(test)]
mod faulty;
pub mod memory;
pub mod model;
mod named;
pub mod random;
pub mod suite;

use crate::SearchEngine;

/// An engine under test, with what must live as long as it does.
pub trait EngineFixture {
    /// Returns the engine.
    fn engine(&self) -> &dyn SearchEngine;
}

impl<E: SearchEngine> EngineFixture for E {
    fn engine(&self) -> &dyn SearchEngine {
        self
    }
}

/// An engine and its resources, such as a temporary folder.
impl<E: SearchEngine, T> EngineFixture for (E, T) {
    fn engine(&self) -> &dyn SearchEngine {
        &self.0
    }
}

/// Makes one test for each named case of the contract; takes an expression, which may wait, that makes a fresh
/// [`EngineFixture`](crate::contract::EngineFixture).
///
/// An engine with exceptions ([`suite::Exceptions`](crate::contract::suite::Exceptions)) takes the cases that all
/// engines keep to, `common`, and those of `whole_texts`, `unsigned` and `own_scores` that it keeps to, each by its name:
/// `engine_contract!(common, unsigned: an_expression);`
///
/// The list is here and only here: the cases are exported from it too, so the compiler reports a case that is missing
/// in it as dead code.
#[macro_export]
macro_rules! engine_contract {
    ($fixture:expr) => {
        $crate::engine_contract! { common, whole_texts, unsigned, own_scores: $fixture }
    };
    ($($list:ident),+: $fixture:expr) => {
        $($crate::engine_contract! { @list $list tests ($fixture) })+
    };
    (@list whole_texts $purpose:ident $arguments:tt) => {
        $crate::engine_contract! { @$purpose whole_texts $arguments
            texts {
                texts_are_found_as_a_whole
                texts_are_sorted_as_a_whole
            }
        }
    };
    (@list unsigned $purpose:ident $arguments:tt) => {
        $crate::engine_contract! { @$purpose unsigned $arguments
            unsigned {
                unsigned_integers_are_exact
            }
        }
    };
    (@list own_scores $purpose:ident $arguments:tt) => {
        $crate::engine_contract! { @$purpose own_scores $arguments
            exact_scores {
                scores_are_exact
            }
        }
    };
    (@list common $purpose:ident $arguments:tt) => {
        $crate::engine_contract! { @$purpose common $arguments
            indexes {
                a_created_index_is_listed_and_empty
                the_summary_counts_documents
                an_index_cannot_be_made_twice
                an_unknown_index_is_not_found
                a_removed_index_is_gone
                a_wrong_mapping_is_refused
                documents_bring_fields
                a_refused_document_brings_no_fields
                the_mapping_says_what_happens_to_unknown_names
            }
            extending {
                new_fields_are_added
                another_type_is_refused
                meta_is_replaced_as_a_whole
            }
            aliases {
                an_alias_is_as_good_as_its_index
                an_alias_moves_at_once
                a_moving_alias_always_leads_somewhere
                wrong_changes_of_aliases_are_refused
                aliases_come_and_go_with_their_index
            }
            positions {
                the_last_position_holds
                a_position_belongs_to_its_index
                a_refresh_shows_what_was_written_before
            }
            writes {
                a_written_document_is_seen_at_once
                a_replaced_document_is_seen_as_it_is_now
                a_removed_document_is_gone
                values_of_removed_documents_are_not_counted
                the_last_operation_on_an_id_holds
                a_refused_document_stops_nothing
                a_refused_replacement_changes_nothing
                an_empty_batch_changes_nothing
                documents_come_back_as_they_were_given
            }
            values {
                integers_of_64_bits_are_exact
                fractions_and_large_numbers_on_integers
                null_and_empty_are_no_values
                values_are_found_under_all_their_names
                flattened_objects_are_searched_by_key
                booleans_and_addresses
                records_are_found_by_id
            }
            operators {
                lists_on_records
                lists_on_elements
                special_values
                comparisons
                texts_that_are_alike
                words_of_texts
                groups
            }
            dates {
                a_day_is_a_whole_day
                relative_dates
                formats_and_nanoseconds
            }
            pivots {
                conditions_hold_in_one_element
                no_element_has_all_conditions
                other_conditions_stay_with_the_record
                a_pivot_and_its_negation_add_up
                pivots_three_levels_deep
                groups_inside_of_a_pivot
            }
            facets {
                buckets_come_by_count
                nested_facets_count_records
                the_own_filter_is_left_out
                elements_must_pass_the_filter_too
                conditions_narrow_the_levels_below
                some_conditions_select_records_only
                buckets_show_and_filter_their_records
                one_plan_answers_everything
            }
            numeric {
                stats_count_every_value
                histograms_count_records
                ranges_have_their_lower_end
            }
            paging {
                unsorted_records_come_by_id
                equal_records_come_by_id
                sorts_choose_among_values
                offsets_and_totals
                cursors_lead_through_everything
                a_cursor_outlives_its_record
                a_cursor_without_id_passes_equal_records
                the_order_spans_all_writes
            }
            relevance {
                better_records_come_first
                the_best_element_counts
                filters_without_texts_score_zero
                scores_find_nothing_else
                equal_scores_come_by_the_other_keys
                cursors_lead_through_scores
                hidden_records_do_not_show_in_scores
            }
            exports {
                an_export_brings_everything
                an_export_keeps_to_its_request
                an_export_shows_one_state
                exports_may_be_left
            }
        }
    };
    (@tests $list:ident ($fixture:expr) $($area:ident { $($case:ident)+ })+) => {
        $(
            mod $area {
                use super::*;

                $(
                    #[tokio::test]
                    async fn $case() {
                        let fixture = $fixture;
                        let engine = $crate::contract::EngineFixture::engine(&fixture);
                        $crate::contract::cases::$list::$area::$case(engine).await;
                    }
                )+
            }
        )+
    };
    (@exports $list:ident () $($area:ident { $($case:ident)+ })+) => {
        pub mod $list {
            $(
                pub mod $area {
                    pub use super::super::super::named::$area::{$($case),+};
                }
            )+
        }
    };
}

/// The cases, by list and area.
#[doc(hidden)]
pub mod cases {
    engine_contract! { @list common exports () }
    engine_contract! { @list whole_texts exports () }
    engine_contract! { @list unsigned exports () }
    engine_contract! { @list own_scores exports () }
}

#[cfg(test)]
mod tests {
    use super::faulty::Fault;
    use super::memory::MemoryEngine;
    use super::suite::{Options, run_random};

    engine_contract!(MemoryEngine::new());

    /// The translation of filters, evaluated in the simplest way, agrees with the model, which reads them itself.
    #[tokio::test]
    async fn the_translation_agrees_with_the_model() {
        for seed in 0..8 {
            run_random(&MemoryEngine::new(), seed, 250, &Options::default()).await;
        }
    }

    macro_rules! noticed {
        ($($case:ident: $fault:ident in $where:literal,)+) => {
            $(
                #[doc = concat!("An engine that is wrong in ", $where, " is found out.")]
                #[tokio::test]
                #[should_panic(expected = $where)]
                async fn $case() {
                    run_random(&MemoryEngine::with_fault(Fault::$fault), 1, 500, &Options::default()).await;
                }
            )+
        };
    }

    noticed! {
        a_wrong_count_is_noticed: CountsOneMore in "differ in an answer",
        a_lost_record_is_noticed: LosesAHit in "differ in",
        a_forgotten_removal_is_noticed: ForgetsRemovals in "differ in",
        a_repeated_record_is_noticed: RepeatsWhereEqual in "differ in the pages",
    }
}
