//! The last resort.

use decodescope::web::panic_banner;
use leptos::prelude::document;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn the_banner_comes_first_in_the_page_and_only_once() {
    panic_banner::show("first");
    panic_banner::show("second");
    let banner = document().body().unwrap().first_element_child().unwrap();
    assert_eq!(banner.id(), panic_banner::ID);
    assert_ne!(banner.next_element_sibling().unwrap().id(), panic_banner::ID);
    assert_eq!(banner.get_attribute("role").as_deref(), Some("alert"));
    assert!(banner.text_content().unwrap().contains("reload"));
    banner.remove();
}
