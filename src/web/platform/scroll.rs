//! Bringing a part of the page into view.

use super::media;
use leptos::prelude::document;
use web_sys::{ScrollIntoViewOptions, ScrollLogicalPosition};

/// Shows the headline where inputs and answer stand below each other, so that what was just read is seen to matter.
pub fn to_answer() {
    if !media::matches("(max-width: 1000px)") {
        return;
    }
    if let Some(headline) = document().get_element_by_id("headline") {
        headline.scroll_into_view();
    }
}

/// Shows the first element that a selector finds, moving no further than needed: not at all where it is in view.
pub fn to_nearest(selector: &str) {
    let Ok(Some(element)) = document().query_selector(selector) else { return };
    let place = ScrollIntoViewOptions::new();
    place.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&place);
}
