//! Mounting and waiting.

use js_sys::Promise;
use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::HtmlElement;

/// Run `setup` as a component, in an element of its own at the end of the page. Drop both results to unmount.
pub fn mount<V: IntoView + 'static>(setup: impl FnOnce() -> V + 'static) -> (HtmlElement, impl Drop) {
    let root: HtmlElement = document().create_element("div").unwrap().unchecked_into();
    document().body().unwrap().append_child(&root).unwrap();
    let mounted = leptos::mount::mount_to(root.clone(), setup);
    (root.clone(), Mounted { root, _mounted: mounted })
}

struct Mounted<T> {
    root: HtmlElement,
    _mounted: T,
}

impl<T> Drop for Mounted<T> {
    fn drop(&mut self) {
        self.root.remove();
    }
}

/// Let `milliseconds` pass.
pub async fn sleep(milliseconds: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        window().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, milliseconds).unwrap();
    });
    JsFuture::from(promise).await.unwrap();
}

/// Values that callbacks leave behind, in order.
pub struct Seen<T>(Rc<RefCell<Vec<T>>>);

impl<T: Clone> Seen<T> {
    pub fn new() -> Self {
        Self(Rc::default())
    }

    pub fn add(&self, value: T) {
        self.0.borrow_mut().push(value);
    }

    pub fn all(&self) -> Vec<T> {
        self.0.borrow().clone()
    }
}

impl<T> Clone for Seen<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}
