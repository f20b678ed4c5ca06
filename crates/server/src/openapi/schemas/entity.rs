//! Entities and their pages, in the form that clients of the original server read.

use cantata_core::ObjectId;
use cantata_store::FileLocation;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};

/// Which entities are listed, and how.
#[derive(IntoParams)]
#[into_params(parameter_in = Query, rename_all = "camelCase")]
pub(crate) struct EntityQuery {
    /// The object id
    id: Option<String>,
    /// The analysis id
    gnos_id: Option<String>,
    /// The file name
    file_name: Option<String>,
    /// The study id
    project_code: Option<String>,
    /// `open` or `controlled`
    access: Option<String>,
    /// Show only these members, separated by commas or given one by one
    fields: Option<Vec<String>>,
    /// The number of the page, from 0
    page: Option<u64>,
    /// How many a page has; 10 if not given, 2000 at most
    size: Option<u64>,
}

/// A file as storage servers see it; members not asked for are left out.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Entity {
    /// The object id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<uuid::Uuid>, nullable = false)]
    id: Option<ObjectId>,
    /// The analysis id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    gnos_id: Option<String>,
    /// The file name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    file_name: Option<String>,
    /// The study id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    project_code: Option<String>,
    /// `open` or `controlled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    access: Option<&'static str>,
}

impl Entity {
    /// Shows the members asked for; none asked for means all.
    pub(crate) fn of(file: FileLocation, fields: &[&str]) -> Self {
        let is_shown = |name: &str| fields.is_empty() || fields.contains(&name);
        Self {
            id: is_shown("id").then_some(file.object_id),
            gnos_id: is_shown("gnosId").then(|| file.analysis_id.to_string()),
            file_name: is_shown("fileName").then_some(file.name),
            project_code: is_shown("projectCode").then_some(file.study_id),
            access: is_shown("access").then(|| file.access.as_str()),
        }
    }
}

/// How a page is sorted; always by id.
#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct Sort {
    sorted: bool,
    empty: bool,
    unsorted: bool,
}

/// Which page it is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pageable {
    sort: Sort,
    page_size: u64,
    page_number: u64,
    offset: u64,
    paged: bool,
    unpaged: bool,
}

/// One page of entities.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct EntityPage {
    /// The entities.
    content: Vec<Entity>,
    /// Which page it is.
    pageable: Pageable,
    /// How many match in all; not with `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    total_elements: Option<u64>,
    /// How many pages there are; not with `after`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    total_pages: Option<u64>,
    /// What `after` is for the next page; only with `after`, and not with the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<uuid::Uuid>, nullable = false)]
    next: Option<ObjectId>,
    /// Whether it is the last page.
    last: bool,
    /// How many a page has.
    size: u64,
    /// The number of the page, from 0.
    number: u64,
    /// How it is sorted.
    sort: Sort,
    /// How many this page has.
    number_of_elements: usize,
    /// Whether it is the first page.
    first: bool,
    /// Whether it has none.
    empty: bool,
}

impl EntityPage {
    pub(crate) fn new(content: Vec<Entity>, number: u64, size: u64, total: u64) -> Self {
        let sort = Sort { sorted: true, empty: false, unsorted: false };
        let total_pages = total.div_ceil(size.max(1));
        Self {
            pageable: Pageable {
                sort: sort.clone(),
                page_size: size,
                page_number: number,
                offset: number.saturating_mul(size),
                paged: true,
                unpaged: false,
            },
            total_elements: Some(total),
            total_pages: Some(total_pages),
            next: None,
            last: number.saturating_add(1) >= total_pages,
            size,
            number,
            sort,
            number_of_elements: content.len(),
            first: number == 0,
            empty: content.is_empty(),
            content,
        }
    }

    /// Makes a page of a listing by key; `last_id` is the id of its last entity.
    pub(crate) fn after(content: Vec<Entity>, size: u64, last_id: Option<ObjectId>) -> Self {
        let is_full = content.len() as u64 >= size;
        Self {
            total_elements: None,
            total_pages: None,
            next: last_id.filter(|_| is_full),
            last: !is_full,
            ..Self::new(content, 0, size, 0)
        }
    }
}
