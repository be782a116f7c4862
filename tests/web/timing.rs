//! Frames and pauses.

use crate::support::{Seen, mount, sleep};
use decodescope::web::platform::{frame::Frame, timer::Debounce};
use std::time::Duration;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
async fn of_many_requests_in_one_frame_the_last_one_draws() {
    let seen = Seen::new();
    let tell = seen.clone();
    let (_, mounted) = mount(move || {
        let frame = Frame::new();
        for number in 0..10 {
            let tell = tell.clone();
            frame.request(move || {
                tell.add(number);
                // Drawing may ask for the next frame.
                if number == 9 {
                    frame.request(move || tell.add(100));
                }
            });
        }
    });
    sleep(200).await;
    assert_eq!(seen.all(), [9, 100]);
    drop(mounted);
}

#[wasm_bindgen_test]
async fn nothing_is_drawn_after_unmounting() {
    let seen = Seen::new();
    let tell = seen.clone();
    let (_, mounted) = mount(move || Frame::new().request(move || tell.add(())));
    drop(mounted);
    sleep(100).await;
    assert!(seen.all().is_empty());
}

#[wasm_bindgen_test]
async fn a_burst_ends_in_one_call_with_its_last_value() {
    let seen = Seen::new();
    let (debounce, _mounted) = debounced(&seen);
    for value in 1..=5 {
        debounce.call(value);
        sleep(5).await;
    }
    assert!(seen.all().is_empty());
    sleep(200).await;
    assert_eq!(seen.all(), [5]);
}

/// A page that is being left has no time to wait: the last change must still reach the address.
#[wasm_bindgen_test]
async fn flushing_passes_the_waiting_value_on_at_once_and_once() {
    let seen = Seen::new();
    let (debounce, _mounted) = debounced(&seen);
    debounce.flush();
    debounce.call(7);
    debounce.flush();
    assert_eq!(seen.all(), [7]);
    sleep(200).await;
    assert_eq!(seen.all(), [7]);
}

#[wasm_bindgen_test]
async fn nothing_is_passed_on_after_unmounting() {
    let seen = Seen::new();
    let (debounce, mounted) = debounced(&seen);
    debounce.call(1);
    drop(mounted);
    debounce.call(2);
    debounce.flush();
    sleep(200).await;
    assert!(seen.all().is_empty());
}

fn debounced(seen: &Seen<i32>) -> (Debounce<i32>, impl Drop + use<>) {
    let tell = seen.clone();
    let made = std::rc::Rc::new(std::cell::Cell::new(None));
    let slot = made.clone();
    let (_, mounted) = mount(move || {
        slot.set(Some(Debounce::new(Duration::from_millis(60), move |value| tell.add(value))));
    });
    (made.get().unwrap(), mounted)
}
