//! What a person pastes, drops or chooses.

use crate::support::{Seen, mount, sleep};
use decodescope::web::platform::file::{Cancel, FileError, Slices, Source};
use decodescope::web::platform::transfer::Transfer;
use decodescope::web::platform::{drop::on_drop, fetch, paste::on_paste};
use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{ClipboardEvent, ClipboardEventInit, DataTransfer, DragEvent, DragEventInit, Element, Event, File};

/// All bytes of a source; `tell` is told after each slice which share of it is there.
async fn read(source: &Source, cancel: &Cancel, tell: impl Fn(f64)) -> Result<Vec<u8>, FileError> {
    let mut slices = Slices::of(source);
    let mut bytes = Vec::new();
    while let Some(slice) = slices.next(cancel).await? {
        bytes.extend(slice);
        tell(slices.share());
    }
    Ok(bytes)
}

fn a_source(text: &str) -> Source {
    Source::File(a_file("dump.txt", text))
}

#[wasm_bindgen_test]
async fn a_file_is_read_byte_for_byte() {
    let bytes = read(&a_source("µs\r\n\0"), &Cancel::default(), |_| {}).await.unwrap();
    assert_eq!(bytes, "µs\r\n\0".as_bytes());
}

#[wasm_bindgen_test]
async fn a_large_file_is_whole_and_tells_how_far_it_is() {
    let text: String = (0..1_000_000).map(|line| format!("up {line}\n")).collect();
    let seen = Seen::new();
    let tell = |share: f64| seen.add((share * 100.0).round());
    let bytes = read(&a_source(&text), &Cancel::default(), tell).await.unwrap();
    assert!(bytes == text.as_bytes());
    // 9 888 890 bytes in slices of 4 MiB.
    assert_eq!(seen.all(), [42.0, 85.0, 100.0]);
}

/// 4 MiB are an even number of letters: after one more, each slice would end within a pair of surrogates.
#[wasm_bindgen_test]
async fn large_text_is_cut_between_letters() {
    let text = format!("a{}", "😀".repeat(5_000_000));
    let bytes = read(&Source::Text(text.as_str().into()), &Cancel::default(), |_| {}).await.unwrap();
    assert!(bytes == text.as_bytes());
}

#[wasm_bindgen_test]
async fn a_cancelled_file_is_read_no_further() {
    let text = "x".repeat(10_000_000);
    let (seen, cancel) = (Seen::new(), Cancel::default());
    let tell = |share: f64| {
        seen.add(share);
        cancel.cancel();
    };
    assert_eq!(read(&a_source(&text), &cancel, tell).await, Err(FileError::Cancelled));
    assert_eq!(seen.all().len(), 1);
}

#[wasm_bindgen_test]
fn text_pasted_anywhere_arrives_and_blank_text_does_not() {
    let seen = Seen::new();
    let tell = seen.clone();
    let (root, _mounted) = mount(move || {
        on_paste(move |transfer| tell.add(describe(&transfer)));
        view! { <p>"some text"</p> }
    });
    let paragraph = root.first_element_child().unwrap();
    assert!(paste(&paragraph, &with_text("vllm:num_requests_running 1\n")), "taken");
    assert!(!paste(&paragraph, &with_text(" \n")), "left to the browser");
    assert_eq!(seen.all(), ["text vllm:num_requests_running 1\n"]);
}

/// Someone typing in a field who pastes a number means the field.
#[wasm_bindgen_test]
fn pasting_into_a_text_field_is_left_alone_but_a_slider_is_no_text_field() {
    let seen = Seen::new();
    let tell = seen.clone();
    let (root, _mounted) = mount(move || {
        on_paste(move |transfer| tell.add(describe(&transfer)));
        view! { <input type="text" /> <textarea></textarea> <input type="range" /> }
    });
    let fields = root.children();
    for index in 0..3 {
        paste(&fields.item(index).unwrap(), &with_text(&index.to_string()));
    }
    assert_eq!(seen.all(), ["text 2"]);
}

/// Entering a child fires `dragenter` there before `dragleave` on the parent: a flag would flicker, a count does not.
#[wasm_bindgen_test]
async fn dragging_across_children_is_one_drag_and_dropping_ends_it() {
    let seen = Seen::new();
    let states = Seen::new();
    let (tell, tell_state) = (seen.clone(), states.clone());
    let (root, _mounted) = mount(move || {
        let over = on_drop(move |transfer| tell.add(describe(&transfer)));
        Effect::new(move |_| tell_state.add(over.get()));
        view! { <p>"outer " <b>"inner"</b></p> }
    });
    let outer = root.first_element_child().unwrap();
    let inner = outer.first_element_child().unwrap();
    let data = with_text("");
    data.items().add_with_file(&a_file("metrics.txt", "x 1")).unwrap();
    sleep(10).await;

    drag("dragenter", &outer, &data);
    drag("dragenter", &inner, &data);
    drag("dragleave", &outer, &data);
    sleep(10).await;
    assert_eq!(states.all(), [false, true]);

    assert!(drag("dragover", &inner, &data), "without this the browser would open the file");
    assert!(drag("drop", &inner, &data));
    sleep(10).await;
    assert_eq!(states.all(), [false, true, false]);
    assert_eq!(seen.all(), ["file metrics.txt"]);
}

/// A field that takes text does so itself, and leaving it again for the page must not be mistaken for leaving the page.
#[wasm_bindgen_test]
async fn text_dragged_through_a_field_is_ours_before_and_after_it() {
    let states = Seen::new();
    let tell = states.clone();
    let (root, _mounted) = mount(move || {
        let over = on_drop(|_| {});
        Effect::new(move |_| tell.add(over.get()));
        view! { <p>"text"</p> <textarea></textarea> }
    });
    let paragraph = root.first_element_child().unwrap();
    let field = root.last_element_child().unwrap();
    let data = with_text("x 1");
    sleep(10).await;
    for (from, to) in [(None, &paragraph), (Some(&paragraph), &field), (Some(&field), &paragraph)] {
        drag("dragenter", to, &data);
        if let Some(from) = from {
            drag("dragleave", from, &data);
        }
        sleep(10).await;
    }
    drag("dragleave", &paragraph, &data);
    sleep(10).await;
    assert_eq!(states.all(), [false, true, false, true, false]);
}

#[wasm_bindgen_test]
fn text_dragged_into_a_field_is_left_alone_and_a_file_is_not() {
    let seen = Seen::new();
    let tell = seen.clone();
    let (root, _mounted) = mount(move || {
        on_drop(move |transfer| tell.add(describe(&transfer)));
        view! { <textarea></textarea> }
    });
    let field = root.first_element_child().unwrap();
    assert!(!drag("drop", &field, &with_text("17.4")));
    let data = DataTransfer::new().unwrap();
    data.items().add_with_file(&a_file("metrics.txt", "x 1")).unwrap();
    assert!(drag("drop", &field, &data));
    assert_eq!(seen.all(), ["file metrics.txt"]);
}

#[wasm_bindgen_test]
fn listeners_end_with_their_component() {
    let seen = Seen::new();
    let tell = seen.clone();
    let (_, mounted) = mount(move || on_paste(move |transfer| tell.add(describe(&transfer))));
    drop(mounted);
    paste(&document().body().unwrap(), &with_text("late"));
    assert!(seen.all().is_empty());
}

#[wasm_bindgen_test]
async fn a_file_that_the_server_does_not_have_is_an_error_with_its_status() {
    let error = fetch::text("no-such-file.txt").await.unwrap_err();
    assert_eq!(error.to_string(), "the server answered 404 when asked for no-such-file.txt");
}

fn describe(transfer: &Transfer) -> String {
    let one = |source: &Source| match source {
        Source::Text(text) => format!("text {}", String::from(text)),
        Source::File(file) => format!("file {}", file.name()),
    };
    transfer.0.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn a_file(name: &str, text: &str) -> File {
    File::new_with_str_sequence(&Array::of1(&JsValue::from_str(text)), name).unwrap()
}

fn with_text(text: &str) -> DataTransfer {
    let data = DataTransfer::new().unwrap();
    data.set_data("text/plain", text).unwrap();
    data
}

/// Paste `data` with the focus in `target`; true when the page took it.
fn paste(target: &Element, data: &DataTransfer) -> bool {
    let init = ClipboardEventInit::new();
    init.set_clipboard_data(Some(data));
    init.set_bubbles(true);
    init.set_cancelable(true);
    send(target, &ClipboardEvent::new_with_event_init_dict("paste", &init).unwrap())
}

/// One step of dragging `data` over `target`; true when the page took it.
fn drag(step: &str, target: &Element, data: &DataTransfer) -> bool {
    let init = DragEventInit::new();
    init.set_data_transfer(Some(data));
    init.set_bubbles(true);
    init.set_cancelable(true);
    send(target, &DragEvent::new_with_event_init_dict(step, &init).unwrap())
}

fn send(target: &Element, event: &Event) -> bool {
    !target.dispatch_event(event).unwrap()
}
