//! What holds for every text: reading is total, a cut costs the cut line alone, and what is written is read.
#![allow(clippy::unwrap_used)]

use decodescope::pace::Work;
use decodescope::paste::prometheus::{Exposition, Format, check, lint, read};
use decodescope::paste::{Decoder, decode};
use proptest::prelude::*;
use std::io::Write;

/// A sample to write: name, labels, value.
type Written = (String, Vec<(String, String)>, f64);

fn written() -> impl Strategy<Value = Vec<Written>> {
    let label = ("[a-z_][a-z0-9_]{0,6}", "[ -~é\\n\"\\\\]{0,12}");
    let labels = prop::collection::btree_map(label.0, label.1, 0..5).prop_map(|map| map.into_iter().collect());
    let value = prop_oneof![any::<f64>(), (0..100_000_u32).prop_map(f64::from), Just(f64::INFINITY)];
    prop::collection::vec(("[a-zA-Z_][a-zA-Z0-9_:]{0,12}[a-z]", labels, value), 0..12)
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

fn render(samples: &[Written]) -> String {
    let mut text = String::new();
    for (name, labels, value) in samples {
        let pairs: Vec<String> = labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value))).collect();
        let number = match value {
            value if value.is_nan() => "NaN".to_owned(),
            value if value.is_infinite() => if *value > 0.0 { "+Inf" } else { "-Inf" }.to_owned(),
            value => format!("{value:?}"),
        };
        text.push_str(&format!("{name}{{{}}} {number}\n", pairs.join(",")));
    }
    text
}

fn take(exposition: &Exposition<'_>) -> Vec<(Written, usize)> {
    exposition
        .samples()
        .map(|sample| {
            let labels = sample.labels().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
            ((sample.name().to_owned(), labels, sample.value()), sample.line())
        })
        .collect()
}

fn same(a: &Written, b: &Written) -> bool {
    a.0 == b.0 && a.1 == b.1 && (a.2.to_bits() == b.2.to_bits() || (a.2.is_nan() && b.2.is_nan()))
}

/// Lines that have much in common, as those of one histogram do, down to breaches of the format.
fn similar_lines() -> impl Strategy<Value = Vec<String>> {
    let name = prop::sample::select(&["x", "x_bucket", "x_bucket ", "x_count", "xy:z", " x_bucket", "\"x\""][..]);
    let label = [
        "a=\"1\"",
        "a=\"2\"",
        "le=\"0.5\"",
        "le=\"1.0\"",
        "le=\"+Inf\"",
        "le=\"\\\"\"",
        "\"le\"=\"1\"",
        "le = \"2\"",
        "m=\"q\\n\"",
        "m=\"q\"",
        "le=\"a value of a bound that no server ever had\"",
        "\"x\"",
        "",
    ];
    let braces = prop::collection::vec(prop::sample::select(label.to_vec()), 0..4).prop_map(|pairs| pairs.join(","));
    let value = ["1", "2.0", "1e999", "-NaN", "NaN", "3 1700000000000", "4\t", " 5", "6 # {t=\"1\"} 1", "7\r", "1e-7"];
    let line = (name, braces, prop::sample::select(value.to_vec()))
        .prop_map(|(name, braces, value)| format!("{name}{{{braces}}} {value}"));
    let metadata = prop::sample::select(&["# TYPE x histogram", "# HELP x_bucket a", "# TYPE xy:z gauge"][..]);
    prop::collection::vec(prop_oneof![8 => line, 1 => metadata.prop_map(str::to_owned)], 0..12)
}

proptest! {
    /// What lines have in common is read once, which must show in nothing but the time it takes.
    #[test]
    fn a_line_is_read_the_same_whatever_came_before(lines in similar_lines()) {
        let alone: Vec<Written> =
            lines.iter().flat_map(|line| take(&read(&format!("{line}\n")))).map(|(sample, _)| sample).collect();
        let text = lines.join("\n") + "\n";
        let together = take(&read(&text));
        prop_assert_eq!(together.len(), alone.len(), "{:?}", text);
        for ((got, _), wanted) in together.iter().zip(&alone) {
            prop_assert!(same(got, wanted), "{got:?} for {wanted:?} in {text:?}");
        }
        let strict = |text: &str| lint(text, Format::Text).into_iter().filter(|found| found.rule.forbidden_in(Format::Text));
        let found: usize = lines.iter().map(|line| strict(&format!("{line}\n")).count()).sum();
        // Metadata may come late, or again, only where lines are together.
        if !text.contains('#') {
            prop_assert_eq!(strict(&text).count(), found, "{:?}", text);
        }
    }

    #[test]
    fn what_is_written_is_read(samples in written()) {
        let text = render(&samples);
        let exposition = read(&text);
        let read = take(&exposition);
        prop_assert_eq!(read.len(), samples.len());
        for (number, ((got, line), wanted)) in read.iter().zip(&samples).enumerate() {
            prop_assert!(same(got, wanted), "{got:?} for {wanted:?}");
            prop_assert_eq!(*line, number + 1);
        }
        prop_assert!(exposition.warnings().is_empty());
        prop_assert!(check(&text, Format::Text).is_accepted());
    }

    #[test]
    fn a_cut_costs_at_most_the_cut_line(samples in written(), place in any::<prop::sample::Index>()) {
        let text = render(&samples);
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let (before, after) = text.split_at(*place.get(&places));
        let whole = before.matches('\n').count();
        let head = read(before);
        let read_before = take(&head);
        prop_assert!(read_before.len() >= whole);
        for (got, wanted) in read_before.iter().take(whole).zip(&samples) {
            prop_assert!(same(&got.0, wanted), "{got:?} for {wanted:?}");
        }
        // What is read of the cut line is doubted.
        if read_before.len() > whole {
            prop_assert!(!head.warnings().is_empty());
        }
        let tail = read(after);
        let read_after = take(&tail);
        let lines = after.matches('\n').count();
        prop_assert!(read_after.len() + 1 >= lines, "{} of {lines}: {:?}", read_after.len(), after);
    }

    #[test]
    fn reading_is_total(text in "\\PC*") {
        let exposition = read(&text);
        let _ = take(&exposition);
        let _ = lint(&text, Format::Text);
        let _ = lint(&text, Format::OpenMetrics);
    }

    #[test]
    fn reading_nearly_metrics_is_total(text in "([a-c_#{}=\",\\\\ \\t\\r\\n0-9.eE+|<>&;'\u{1b}\\[\\]]|# TYPE |le=\"|# EOF|\\{\"|st@|NaN){0,60}") {
        let exposition = read(&text);
        for sample in exposition.samples() {
            prop_assert!(!sample.name().is_empty());
            prop_assert!(sample.line() >= 1 && sample.line() <= text.matches('\n').count() + 1);
            let _ = (sample.timestamp(), sample.exemplars().map(|exemplar| exemplar.labels().count()).sum::<usize>());
        }
        // A text the strict check accepts is read whole and without a word of repair.
        for format in [Format::Text, Format::OpenMetrics] {
            let _ = lint(&text, format);
        }
    }

    /// UTF-8 whole and damaged, UTF-16 with and without a mark, gzip whole and cut: the same wherever it is cut.
    #[test]
    fn what_is_decoded_does_not_depend_on_the_pieces(
        text in "([a-c#\n]|é|€|😀|\\PC){0,40}",
        form in 0..6,
        repeat in prop::sample::select(vec![1_usize, 300]),
        damage in any::<prop::sample::Index>(),
        piece in 1_usize..3000,
    ) {
        let text = text.repeat(repeat);
        let utf16 = |unit: fn(u16) -> [u8; 2]| format!("\u{feff}{text}").encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let mut bytes = match form {
            0 | 1 => text.clone().into_bytes(),
            2 => utf16(u16::to_le_bytes),
            3 => utf16(u16::to_be_bytes),
            _ => gzip(text.as_bytes()),
        };
        if form % 2 == 1 && !bytes.is_empty() {
            let place = damage.index(bytes.len());
            bytes[place] = 0xff;
        }
        let mut decoder = Decoder::default();
        let pushed = bytes.chunks(piece).try_for_each(|piece| decoder.push(piece));
        let finished = Work::new(|pace| async move { decoder.finish(&pace).await });
        prop_assert_eq!(pushed.and_then(|()| finished.finish()), decode(&bytes));
    }

    #[test]
    fn decoding_is_total(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = decode(&bytes);
    }
}
