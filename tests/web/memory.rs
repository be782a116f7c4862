//! What the browser remembers between visits.

use crate::support::mount;
use decodescope::web::platform::{storage, theme};
use leptos::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn storage_gives_back_what_was_written_until_removed() {
    let key = "decodescope.test";
    assert_eq!(storage::read(key), None);
    storage::write(key, "17.4 µs").unwrap();
    assert_eq!(storage::read(key).as_deref(), Some("17.4 µs"));
    storage::remove(key);
    assert_eq!(storage::read(key), None);
}

/// 5 MB is what browsers give a page; the write must fail as a value and not as an exception.
#[wasm_bindgen_test]
fn a_full_storage_is_an_error_and_keeps_the_old_value() {
    let key = "decodescope.test.full";
    storage::write(key, "old").unwrap();
    assert_eq!(storage::write(key, &"x".repeat(20_000_000)), Err(storage::StorageError::Full));
    assert_eq!(storage::read(key).as_deref(), Some("old"));
    storage::remove(key);
}

#[wasm_bindgen_test]
fn a_chosen_theme_is_marked_and_remembered_and_can_be_given_up() {
    use theme::Theme;
    let marked = || document().document_element().unwrap().get_attribute("data-theme");
    let (_, _mounted) = mount(move || {
        let control = theme::use_theme();
        let system = control.theme();
        for choice in [Theme::Dark, Theme::Light] {
            control.choose(Some(choice));
            assert_eq!((control.theme(), control.choice()), (choice, Some(choice)));
            assert_eq!(marked().as_deref(), Some(choice.name()));
            assert_eq!(theme::use_theme().choice(), Some(choice), "the next visit finds it");
        }
        control.choose(None);
        assert_eq!((control.theme(), control.choice(), marked()), (system, None, None));
        assert_eq!(theme::use_theme().choice(), None);
    });
}
