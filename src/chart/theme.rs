//! Palettes: light, dark, and paper.

use super::colour::Colour;
use serde::Serialize;

/// Colours, font and pixel ratio of a drawing.
///
/// Series colours follow Okabe and Ito's set for colour-blind readers, darkened or lightened until each
/// stands off its background by a contrast of 3; text colours by 4.5. Neighbours in the list also differ in
/// brightness.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Theme {
    /// Behind everything.
    pub background: Colour,
    /// Labels, values and today's marks.
    pub foreground: Colour,
    /// Notes, ticks and baselines.
    pub muted: Colour,
    /// Grid lines; decoration, hence fainter than marks.
    pub grid: Colour,
    /// The thing to look at.
    pub accent: Colour,
    /// A gain.
    pub good: Colour,
    /// An overhang, a doubt.
    pub warning: Colour,
    /// What nothing explains: the residual's grey.
    pub residual: Colour,
    /// Parts and lines, in order.
    pub series: [Colour; 8],
    /// A CSS font family list.
    pub font: String,
    /// Backend pixels per CSS pixel; everything drawn is multiplied by it.
    pub pixel_ratio: f64,
}

const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";

impl Theme {
    /// Dark on white.
    #[must_use]
    pub fn light() -> Self {
        Self {
            background: Colour::hex(0xffffff),
            foreground: Colour::hex(0x1b2430),
            muted: Colour::hex(0x5a6675),
            grid: Colour::hex(0xe4e8ec),
            accent: Colour::hex(0x0a6ab0),
            good: Colour::hex(0x0b7d5c),
            warning: Colour::hex(0xc01f3a),
            residual: Colour::hex(0x6a7380),
            series: [0x0a6ab0, 0x3f9bd1, 0xc04f00, 0x0a7f5e, 0xb0568e, 0xa87a00, 0x4b4fa8, 0x7a5c3e].map(Colour::hex),
            font: FONT.to_string(),
            pixel_ratio: 1.0,
        }
    }

    /// Light on near-black.
    #[must_use]
    pub fn dark() -> Self {
        Self {
            background: Colour::hex(0x12171d),
            foreground: Colour::hex(0xe8ecf1),
            muted: Colour::hex(0x9aa6b4),
            grid: Colour::hex(0x27303a),
            accent: Colour::hex(0x56b4e9),
            good: Colour::hex(0x35c49a),
            warning: Colour::hex(0xff6b81),
            residual: Colour::hex(0x717d8b),
            series: [0x3d95d6, 0x8fd0f5, 0xf08a3c, 0x2fb58d, 0xd98bbb, 0xe3b341, 0x8d92f0, 0xc0a184].map(Colour::hex),
            font: FONT.to_string(),
            pixel_ratio: 1.0,
        }
    }

    /// For paper: the light palette with black text and a grid that survives printing.
    #[must_use]
    pub fn print() -> Self {
        Self { foreground: Colour::BLACK, muted: Colour::hex(0x444c56), grid: Colour::hex(0xd0d5da), ..Self::light() }
    }

    /// The same palette at another pixel ratio; a ratio that cannot be drawn at counts as 1.
    #[must_use]
    pub fn at_pixel_ratio(self, pixel_ratio: f64) -> Self {
        let pixel_ratio = if pixel_ratio.is_finite() { pixel_ratio.clamp(0.5, 8.0) } else { 1.0 };
        Self { pixel_ratio, ..self }
    }

    /// The faint shade of a highlighted stretch, on which text still reads.
    pub(super) fn tint(&self) -> Colour {
        self.accent.over(self.background, 0.1)
    }

    /// The colour of the n-th series, around again after the eighth.
    pub(super) fn series_colour(&self, index: usize) -> Colour {
        self.series.get(index % self.series.len()).copied().unwrap_or(self.accent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn themes() -> [Theme; 3] {
        [Theme::light(), Theme::dark(), Theme::print()]
    }

    #[test]
    fn text_contrasts_by_4_5_and_marks_by_3() {
        for theme in themes() {
            for text in [theme.foreground, theme.muted, theme.warning, theme.accent] {
                assert!(text.contrast(theme.background) >= 4.5, "{} {:?}", text.css(), theme.background);
            }
            for text in [theme.foreground, theme.muted] {
                assert!(text.contrast(theme.tint()) >= 4.5, "{} on a shaded stretch", text.css());
            }
            for mark in theme.series.iter().chain([&theme.residual, &theme.good]) {
                assert!(mark.contrast(theme.background) >= 3.0, "{} on {}", mark.css(), theme.background.css());
                assert!(mark.ink().contrast(*mark) >= 4.5, "text on {}", mark.css());
            }
        }
    }

    /// How a colour looks to someone without red (protan) or green (deutan) cones: Machado, Oliveira and
    /// Fernandes 2009, severity 1, in linear RGB.
    fn seen(colour: Colour, matrix: [[f64; 3]; 3]) -> [f64; 3] {
        let rgb = [colour.red, colour.green, colour.blue].map(|channel| (f64::from(channel) / 255.0).powf(2.2));
        matrix
            .map(|row| row.iter().zip(rgb).map(|(weight, channel)| weight * channel).sum::<f64>().clamp(0.0, 1.0))
            .map(|linear| linear.powf(1.0 / 2.2))
    }

    #[test]
    fn the_first_series_colours_differ_for_colour_blind_readers() {
        let protan = [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]];
        let deutan = [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]];
        for theme in themes() {
            for matrix in [protan, deutan] {
                let colours: Vec<[f64; 3]> =
                    theme.series.iter().take(4).chain([&theme.residual]).map(|&colour| seen(colour, matrix)).collect();
                for (index, a) in colours.iter().enumerate() {
                    for b in colours.iter().skip(index + 1) {
                        let distance = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                        assert!(distance > 0.12, "{a:?} {b:?} look alike: {distance:.3}");
                    }
                }
            }
        }
    }
}
