//! What a person sees when the page has a bug: a banner instead of a page that silently stopped.
//!
//! A panic in WebAssembly never unwinds, and whatever was borrowed stays borrowed. So this file uses the DOM alone:
//! touching a signal could panic again.

use std::panic::PanicHookInfo;
use wasm_bindgen::JsValue;

/// Id of the banner's element.
pub const ID: &str = "panic";

const TEXT: &str = "The page hit an internal error. Your scenario is in the address: reload.";

/// From now on a panic shows the banner and writes its message and place to the console.
pub fn install() {
    std::panic::set_hook(Box::new(|info: &PanicHookInfo<'_>| show(&info.to_string())));
}

/// Show the banner once, and write `details` to the console every time.
pub fn show(details: &str) {
    web_sys::console::error_1(&JsValue::from_str(details));
    // Nowhere left to report a failure to show the failure.
    let _ = try_show();
}

fn try_show() -> Option<()> {
    let document = web_sys::window()?.document()?;
    if document.get_element_by_id(ID).is_some() {
        return Some(()); // The first one usually tells the cause, the next ones its consequences.
    }
    let banner = document.create_element("div").ok()?;
    banner.set_id(ID);
    banner.set_attribute("role", "alert").ok()?;
    banner.set_text_content(Some(TEXT));
    document.body()?.prepend_with_node_1(&banner).ok()
}
