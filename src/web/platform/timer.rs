//! Acting once after a burst, and letting the page paint.

use js_sys::Promise;
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::MessageChannel;

/// Lets the page show what has changed and hear what a person does, before something goes on that keeps it busy.
///
/// A message to oneself is the shortest turn: a timer waits longer each time, and for a second in a page that is not
/// seen.
pub async fn breathe() {
    let Ok(channel) = MessageChannel::new() else { return };
    let (here, there) = (channel.port1(), channel.port2());
    let turn = Promise::new(&mut |resolve, _| {
        here.set_onmessage(Some(&resolve));
        if there.post_message(&JsValue::NULL).is_err() {
            let _ = resolve.call0(&resolve);
        }
    });
    // It never rejects.
    let _ = JsFuture::from(turn).await;
    here.close();
}

/// The time in milliseconds, for telling how long something takes.
#[must_use]
pub fn now() -> f64 {
    js_sys::Date::now()
}

/// Passes on the last value of a burst once nothing has come for a while.
///
/// It is `Copy`; what is still waiting when the component goes is dropped, so [`Debounce::flush`] first if it matters.
pub struct Debounce<T: 'static>(StoredValue<Inner<T>, LocalStorage>);

struct Inner<T> {
    delay: Duration,
    action: Rc<dyn Fn(T)>,
    waiting: Rc<RefCell<Option<T>>>,
    timer: Option<TimeoutHandle>,
}

impl<T: 'static> Debounce<T> {
    /// Pass values to `action` after `delay` without a new one.
    pub fn new(delay: Duration, action: impl Fn(T) + 'static) -> Self {
        let inner = Inner { delay, action: Rc::new(action), waiting: Rc::default(), timer: None };
        Self(StoredValue::new_local(inner))
    }

    /// Take `value` in place of the one that waits, and start waiting anew.
    pub fn call(self, value: T) {
        self.0.try_update_value(|inner| {
            inner.stop();
            inner.waiting.replace(Some(value));
            let (waiting, action) = (inner.waiting.clone(), inner.action.clone());
            let fire = move || pass_on(&waiting, &*action);
            inner.timer = set_timeout_with_handle(fire, inner.delay).ok();
        });
    }

    /// Pass on what waits now, for instance because the page is being left.
    pub fn flush(self) {
        let parts = self.0.try_update_value(|inner| {
            inner.stop();
            (inner.waiting.clone(), inner.action.clone())
        });
        // Outside the update, since the action may call this very debounce.
        if let Some((waiting, action)) = parts {
            pass_on(&waiting, &*action);
        }
    }
}

fn pass_on<T>(waiting: &RefCell<Option<T>>, action: &dyn Fn(T)) {
    let value = waiting.take();
    if let Some(value) = value {
        action(value);
    }
}

impl<T> Inner<T> {
    fn stop(&mut self) {
        if let Some(timer) = self.timer.take() {
            timer.clear();
        }
    }
}

impl<T> Drop for Inner<T> {
    fn drop(&mut self) {
        self.stop();
    }
}

impl<T> Clone for Debounce<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Debounce<T> {}
