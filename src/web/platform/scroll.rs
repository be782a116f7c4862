//! Bringing a part of the page into view.

use super::media;
use leptos::prelude::document;

/// Shows the headline where inputs and answer stand below each other, so that what was just read is seen to matter.
pub fn to_answer() {
    if !media::matches("(max-width: 1000px)") {
        return;
    }
    if let Some(headline) = document().get_element_by_id("headline") {
        headline.scroll_into_view();
    }
}
