//! The root component.

use leptos::prelude::*;

/// The whole page.
#[component]
pub fn App() -> impl IntoView {
    view! {
        <main>
            <h1>"Decodescope"</h1>
        </main>
    }
}
