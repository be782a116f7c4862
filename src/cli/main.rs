//! The terminal front.
fn main() {}
