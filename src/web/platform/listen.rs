//! Event listeners that end with the component that asked for them.

use leptos::prelude::{LocalStorage, StoredValue};
use wasm_bindgen::{JsCast, prelude::Closure};
use web_sys::{Event, EventTarget};

/// A listener, removed when dropped.
pub struct Listener {
    target: EventTarget,
    name: &'static str,
    callback: Closure<dyn FnMut(Event)>,
}

impl Listener {
    /// Call `callback` for each event called `name` on `target` for as long as the result lives.
    #[must_use = "dropping it removes the listener"]
    pub fn new(target: &EventTarget, name: &'static str, callback: impl FnMut(Event) + 'static) -> Self {
        let callback = Closure::<dyn FnMut(Event)>::new(callback);
        // Fails only for arguments of a wrong type, which these are not.
        let _ = target.add_event_listener_with_callback(name, callback.as_ref().unchecked_ref());
        Self { target: target.clone(), name, callback }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = self.target.remove_event_listener_with_callback(self.name, self.callback.as_ref().unchecked_ref());
    }
}

/// Call `callback` for each event called `name` on `target` until the current owner is cleaned up.
pub fn listen(target: &EventTarget, name: &'static str, callback: impl FnMut(Event) + 'static) {
    keep(Listener::new(target, name, callback));
}

/// Drop `guard` when the current owner is cleaned up.
pub fn keep<T: 'static>(guard: T) -> StoredValue<T, LocalStorage> {
    StoredValue::new_local(guard)
}
