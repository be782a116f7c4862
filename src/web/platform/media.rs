//! Media queries asked once.

use leptos::prelude::window;

/// Whether a media query holds now; false where the browser does not know it.
pub fn matches(query: &str) -> bool {
    window().match_media(query).ok().flatten().is_some_and(|list| list.matches())
}
