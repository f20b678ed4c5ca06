//! Small pages while the server starts.
//!
//! The allocator asks for huge pages, which make large answers faster. But what a server allocates while it starts is little
//! and lies in many places: each would take two megabytes of memory, and an idle server a third more.

/// Keeps the kernel from giving the program huge pages until this is dropped.
pub(crate) struct SmallPages {
    /// Whether there were huge pages before.
    #[cfg(target_os = "linux")]
    are_temporary: bool,
}

#[cfg(target_os = "linux")]
impl SmallPages {
    pub(crate) fn begin() -> Self {
        use rustix::thread::{disable_transparent_huge_pages, transparent_huge_pages_are_disabled};
        let are_allowed = transparent_huge_pages_are_disabled().is_ok_and(|disabled| !disabled);
        Self { are_temporary: are_allowed && disable_transparent_huge_pages(true).is_ok() }
    }
}

#[cfg(target_os = "linux")]
impl Drop for SmallPages {
    fn drop(&mut self) {
        if self.are_temporary
            && let Err(error) = rustix::thread::disable_transparent_huge_pages(false)
        {
            tracing::warn!(%error, "huge pages cannot be allowed again: large answers take longer");
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl SmallPages {
    pub(crate) fn begin() -> Self {
        Self {}
    }
}
