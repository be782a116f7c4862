//! Opaque colours and how well they stand off each other.

use serde::Serialize;

/// An opaque sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Colour {
    /// Red, 0 to 255.
    pub red: u8,
    /// Green, 0 to 255.
    pub green: u8,
    /// Blue, 0 to 255.
    pub blue: u8,
}

impl Colour {
    /// White.
    pub const WHITE: Self = Self::hex(0xff_ff_ff);
    /// Black.
    pub const BLACK: Self = Self::hex(0);

    /// From 0xRRGGBB.
    #[must_use]
    pub const fn hex(rgb: u32) -> Self {
        let [_, red, green, blue] = rgb.to_be_bytes();
        Self { red, green, blue }
    }

    /// As CSS writes it, `#rrggbb`.
    #[must_use]
    pub fn css(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }

    /// How bright it looks, 0 for black to 1 for white.
    ///
    /// # Formula
    /// `0.2126 R + 0.7152 G + 0.0722 B` of the linearised channels.
    /// # Source
    /// WCAG 2.1, "relative luminance".
    #[must_use]
    pub fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }

    /// The contrast between two colours, 1 for none to 21 for black on white.
    ///
    /// # Formula
    /// `(L₁ + 0.05) / (L₂ + 0.05)`, the brighter first.
    /// # Source
    /// WCAG 2.1, "contrast ratio": text needs 4.5, graphics 3.
    ///
    /// ```
    /// use decodescope::chart::Colour;
    /// assert_eq!(Colour::BLACK.contrast(Colour::WHITE), 21.0);
    /// // The grey at which white text just passes.
    /// assert!((Colour::hex(0x767676).contrast(Colour::WHITE) - 4.54).abs() < 0.01);
    /// ```
    #[must_use]
    pub fn contrast(self, other: Self) -> f64 {
        let (a, b) = (self.luminance(), other.luminance());
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    /// Black or white, whichever reads better on this colour: at least 4.5 for any.
    #[must_use]
    pub fn ink(self) -> Self {
        if self.contrast(Self::WHITE) >= self.contrast(Self::BLACK) { Self::WHITE } else { Self::BLACK }
    }

    /// So much of this colour over `ground`: 1 is this, 0 the ground.
    #[must_use]
    pub fn over(self, ground: Self, amount: f64) -> Self {
        let amount = amount.clamp(0.0, 1.0);
        let mix = |top: u8, under: u8| (f64::from(top) * amount + f64::from(under) * (1.0 - amount)).round() as u8;
        Self { red: mix(self.red, ground.red), green: mix(self.green, ground.green), blue: mix(self.blue, ground.blue) }
    }
}
