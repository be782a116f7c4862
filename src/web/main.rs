//! Starts the page: the panic banner first, then the root component into `#app`.

use decodescope::web::{app::App, panic_banner};
use leptos::prelude::document;
use leptos::wasm_bindgen::JsCast;

fn main() {
    panic_banner::install();
    let Some(root) = document().get_element_by_id("app").and_then(|element| element.dyn_into().ok()) else {
        return panic_banner::show("the page has no element called app");
    };
    leptos::mount::mount_to(root, App).forget();
}
