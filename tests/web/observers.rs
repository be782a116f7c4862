//! Sizes and pixels.

use crate::support::{Seen, mount, sleep};
use decodescope::web::platform::dpr::use_device_pixel_ratio;
use decodescope::web::platform::resize::{CssSize, use_size};
use leptos::html::Div;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlElement;

#[wasm_bindgen_test]
async fn an_elements_size_is_followed_until_it_is_gone() {
    let seen = Seen::new();
    let tell = seen.clone();
    let (root, mounted) = mount(move || {
        let node = NodeRef::<Div>::new();
        let size = use_size(node);
        Effect::new(move |_| tell.add(size.get()));
        view! { <div node_ref=node style:width="320px" style:height="200px"></div> }
    });
    sleep(60).await;
    assert_eq!(seen.all().last(), Some(&Some(CssSize { width: 320, height: 200 })));

    let div: HtmlElement = root.first_element_child().unwrap().unchecked_into();
    div.style().set_property("width", "64px").unwrap();
    sleep(60).await;
    assert_eq!(seen.all().last(), Some(&Some(CssSize { width: 64, height: 200 })));

    // A fraction that rounds to the same pixels is no news.
    let told = seen.all().len();
    div.style().set_property("width", "64.2px").unwrap();
    sleep(60).await;
    assert_eq!(seen.all().len(), told);

    drop(mounted);
    sleep(60).await;
    assert_eq!(seen.all().len(), told);
}

#[wasm_bindgen_test]
fn the_pixel_ratio_is_the_windows() {
    let (_, _mounted) = mount(|| assert_eq!(use_device_pixel_ratio().get_untracked(), window().device_pixel_ratio()));
}
