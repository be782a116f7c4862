//! Finds a family by its name.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Places of families by name.
pub(super) type Index<'a> = HashMap<Cow<'a, str>, usize, BuildHasherDefault<NameHasher>>;

/// A hash for short names, eight bytes at a time. Made for speed: there are as many families as metadata
/// lines allow, and a text that makes names collide on purpose only slows its own reading.
#[derive(Debug, Clone, Default)]
pub(super) struct NameHasher(u64);

impl Hasher for NameHasher {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(place, byte)| *place = *byte);
            // An odd multiplier without structure: 2⁶⁴ over the golden ratio.
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }

    fn finish(&self) -> u64 {
        // The table takes its place from the low bits and its tag from the high ones.
        self.0 ^ self.0 >> 32
    }
}
