//! The size of an element, kept up to date.

use leptos::html::ElementType;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, prelude::Closure};
use web_sys::{Element, ResizeObserver};

/// A size in CSS pixels, rounded to whole ones, so that nothing is drawn again for a fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CssSize {
    /// Width in CSS pixels.
    pub width: u32,
    /// Height in CSS pixels.
    pub height: u32,
}

/// Watches one element's size until dropped.
pub struct SizeObserver {
    observer: Option<ResizeObserver>,
    _callback: Closure<dyn FnMut()>,
}

impl SizeObserver {
    /// Call `callback` with the size of `element`'s content now and whenever it changes.
    #[must_use = "dropping it ends the watch"]
    pub fn new(element: &Element, mut callback: impl FnMut(CssSize) + 'static) -> Self {
        let watched = element.clone();
        let mut last = None;
        let _callback = Closure::<dyn FnMut()>::new(move || {
            // The layout was just computed, or nothing would have been observed: reading it costs nothing.
            let size = CssSize { width: pixels(watched.client_width()), height: pixels(watched.client_height()) };
            if last.replace(size) != Some(size) {
                callback(size);
            }
        });
        let observer = ResizeObserver::new(_callback.as_ref().unchecked_ref()).ok();
        if let Some(observer) = &observer {
            observer.observe(element);
        }
        Self { observer, _callback }
    }
}

impl Drop for SizeObserver {
    fn drop(&mut self) {
        if let Some(observer) = &self.observer {
            observer.disconnect();
        }
    }
}

/// The size of the element that `node` refers to; `None` until it is on the page.
///
/// Refer to a wrapper, not to a canvas whose own size follows from this one: that would feed back.
pub fn use_size<E>(node: NodeRef<E>) -> ReadSignal<Option<CssSize>>
where
    E: ElementType + 'static,
    E::Output: JsCast + AsRef<Element> + Clone + 'static,
{
    let (size, set_size) = signal(None);
    // The observer lives in the effect: a new element, or the end of the component, drops it.
    Effect::new(move |_: Option<Option<SizeObserver>>| {
        let element = node.get()?;
        Some(SizeObserver::new(element.as_ref(), move |new| {
            set_size.try_set(Some(new));
        }))
    });
    size
}

fn pixels(length: i32) -> u32 {
    u32::try_from(length).unwrap_or(0)
}
