//! The address carries the scenario.

use crate::support::{Seen, mount, sleep};
use decodescope::web::platform::url;
use leptos::prelude::location;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn a_hash_comes_back_as_it_was_put() {
    let path = location().pathname().unwrap();
    for hash in ["v=1&tp=8&model=glm-5", "v=1&note=a%20b%26c", ""] {
        url::replace_hash(hash).unwrap();
        assert_eq!(url::hash(), hash);
        assert_eq!(location().pathname().unwrap(), path);
    }
    assert!(!url::href().contains('#'), "an empty hash leaves no # behind: {}", url::href());
}

/// The page writes the address itself on every change of a slider. If that came back as a change from outside, the
/// page would read its own link again and again.
#[wasm_bindgen_test]
async fn only_changes_from_outside_are_told_and_only_while_mounted() {
    url::replace_hash("").unwrap();
    let seen = Seen::new();
    let tell = seen.clone();
    let (_, mounted) = mount(move || url::on_hash_change(move |hash| tell.add(hash)));

    url::replace_hash("mine").unwrap();
    sleep(20).await;
    assert!(seen.all().is_empty());

    location().set_hash("theirs").unwrap();
    sleep(20).await;
    assert_eq!(seen.all(), ["theirs"]);

    drop(mounted);
    location().set_hash("later").unwrap();
    sleep(20).await;
    assert_eq!(seen.all(), ["theirs"]);
}

#[wasm_bindgen_test]
async fn back_undoes_a_pushed_hash() {
    url::replace_hash("before").unwrap();
    url::push_hash("after").unwrap();
    leptos::prelude::window().history().unwrap().back().unwrap();
    sleep(200).await;
    assert_eq!(url::hash(), "before");
}
