//! Drawing at most once per frame.

use leptos::prelude::*;
use std::cell::RefCell;
use std::rc::Rc;

type Work = Box<dyn FnOnce()>;

/// One slot of work for the next frame: whoever asks last is who draws.
///
/// Create one per thing that is drawn; it is `Copy`, and nothing runs any more once the component is gone.
#[derive(Clone, Copy)]
pub struct Frame(StoredValue<Slot, LocalStorage>);

#[derive(Default)]
struct Slot {
    work: Rc<RefCell<Option<Work>>>,
    handle: Rc<RefCell<Option<AnimationFrameRequestHandle>>>,
}

impl Frame {
    /// An empty slot, living as long as the current owner.
    pub fn new() -> Self {
        Self(StoredValue::new_local(Slot::default()))
    }

    /// Run `work` in the next frame, instead of whatever was asked for since the last one.
    pub fn request(self, work: impl FnOnce() + 'static) {
        self.0.try_update_value(|slot| {
            if slot.work.replace(Some(Box::new(work))).is_some() {
                return; // A frame is already on its way.
            }
            let (waiting, handle) = (slot.work.clone(), slot.handle.clone());
            let requested = request_animation_frame_with_handle(move || {
                handle.take();
                // Taken out before it runs, since it may ask for the next frame.
                let work = waiting.take();
                if let Some(work) = work {
                    work();
                }
            });
            slot.handle.replace(requested.ok());
        });
    }
}

impl Default for Frame {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            handle.cancel();
        }
    }
}
