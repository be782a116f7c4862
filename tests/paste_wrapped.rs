//! Text wrapped for the width of a terminal: pieces are joined where that is certain, and no value is cut in silence.
#![allow(clippy::unwrap_used)]

use decodescope::paste::WarningKind::{self, BadValue, Repaired};
use decodescope::paste::prometheus::read;

const LONG: &str = "vllm:request_success_total{finished_reason=\"length\"} ";

fn values(text: &str) -> Vec<f64> {
    read(text).samples().map(|sample| sample.value()).collect()
}

fn kinds(text: &str) -> Vec<(Option<usize>, WarningKind)> {
    read(text).warnings().iter().map(|warning| (warning.line, warning.kind)).collect()
}

#[test]
fn a_number_goes_on_in_the_next_line() {
    for (first, rest, value) in [
        ("12", "34", 1234.0),
        ("2.4", "e+04", 24_000.0),
        ("2.4e", "+04", 24_000.0),
        ("2.4e+", "04", 24_000.0),
        ("2.4e+0", "4", 24_000.0),
        ("0.", "25", 0.25),
        ("12345", "67.0  ", 1_234_567.0),
        ("12345", "67.0 1700000000000", 1_234_567.0),
        ("", "12", 12.0),
        ("+I", "nf", f64::INFINITY),
    ] {
        let text = format!("{LONG}{first}\n{rest}\nb 2\n");
        assert_eq!(values(&text), [value, 2.0], "{text}");
        assert_eq!(kinds(&text), [(Some(1), Repaired)], "{text}");
        let text = format!("vllm-1  | {LONG}{first}\nvllm-1  | {rest}\nvllm-1  | b_c 2\n");
        assert_eq!(values(&text), [value, 2.0], "{text}");
        let text = format!("   9  {LONG}{first}\n  10  {rest}\n  11  b_c 2\n");
        assert_eq!(values(&text), [value, 2.0], "{text}");
        assert_eq!(values(&format!("{LONG}{first}\r\n{rest}\r\nb 2\r\n")), [value, 2.0], "{text}");
    }
    let text = format!("{LONG}12\n34 # {{trace_id=\"a\"}} 0.5\n");
    let exposition = read(&text);
    let sample = exposition.samples().next().unwrap();
    assert_eq!((sample.value(), sample.exemplars().map(|one| one.value).collect()), (1234.0, vec![0.5]));
    assert_eq!(values("x_sum{engine=\"0\"} 2.4\ne+04\nb 2\n"), [24_000.0, 2.0]);
}

#[test]
fn what_is_not_certain_is_doubted_at_the_value() {
    let text = format!("{LONG}12\n34\n");
    // Too short to be wrapped for its width; narrower than the lines around; perhaps a timestamp, as others have one.
    for (text, line) in [
        ("a 12\n34\n".to_owned(), 1),
        (format!("{}\n{text}", "# ".repeat(50)), 2),
        (format!("a 1 1700000000000\n{text}"), 2),
        (format!("{LONG}12\n1700000000\n"), 1),
    ] {
        assert_eq!(*values(&text).last().unwrap(), 12.0, "{text}");
        assert_eq!(kinds(&text), [(Some(line), BadValue)], "{text}");
    }
}

#[test]
fn a_timestamp_goes_on_in_the_next_line() {
    let text = format!("a 1 1700000000000\n{LONG}12.5\n1700000000001\n");
    let exposition = read(&text);
    let sample = exposition.samples().nth(1).unwrap();
    assert_eq!((sample.value(), sample.timestamp().unwrap().seconds()), (12.5, 1_700_000_000.001));
}

#[test]
fn words_and_numbers_are_not_joined_to_samples() {
    let text = "     1\t# HELP a_b The number of tokens that were pro\ncessed.\n     2\t# TYPE a_b gauge\n     3\ta_b{x=\"1\"} 5\n";
    assert_eq!(values(text), [5.0]);
}

#[test]
fn decoration_goes_from_what_is_joined() {
    let head = "vllm:time_to_first_token_seconds_count{model_name=\"/mod";
    for decoration in ["> ", "| ", "    ", "vllm-1  | ", "# # HELP a b\n# "] {
        let repeated = decoration.rsplit('\n').next().unwrap();
        let text = format!("{decoration}{head}\n{repeated}els/aa\"}} 12345\n{repeated}67.0\n");
        let exposition = read(&text);
        let sample = exposition.samples().next().unwrap();
        assert_eq!(sample.label("model_name"), Some("/models/aa"), "{text}");
        let last = exposition.samples().len();
        assert_eq!((last, sample.value()), (1, 12345.0), "{text}");
        assert!(exposition.warnings().iter().any(|warning| warning.kind == BadValue), "{text}");
    }
    let short = read("> x{model_name=\"/mod\n> els/aa\"} 1\n");
    assert_eq!(short.samples().next().unwrap().label("model_name"), Some("/models/aa"));
    let hanging = format!("{head}\n    els/aa\"}} 1\n");
    assert_eq!(read(&hanging).samples().next().unwrap().label("model_name"), Some("/models/aa"));
}

/// A dump with a long path in it, at every width from 60 to 160: each sample is what it was.
#[test]
fn every_width_gives_the_same_samples() {
    let path = "/mnt/models/hub/models--meta-llama--Llama-3.1-70B-Instruct/snapshots/1605565b47bb9346c5515c34102e05";
    let mut dump = String::new();
    for (place, value) in
        ["12.0", "0.06418719211822657", "1.234567e+06", "1.7567367987343352e+09", "998012.0", "4.5e-05", "+Inf", "NaN"]
            .iter()
            .enumerate()
    {
        dump.push_str(&format!("# HELP vllm:metric_{place} A number.\n# TYPE vllm:metric_{place} gauge\n"));
        dump.push_str(&format!("vllm:metric_{place}{{engine=\"0\",model_name=\"{path}\"}} {value}\n"));
    }
    let all = |text: &str| {
        let exposition = read(text);
        let sample = |sample: decodescope::paste::prometheus::Sample<'_>| format!("{sample:?}");
        exposition.samples().map(sample).collect::<Vec<_>>()
    };
    for width in 60..=160 {
        let pieces = dump.lines().flat_map(|line| line.as_bytes().chunks(width));
        let wrapped: String = pieces.map(|piece| format!("{}\n", str::from_utf8(piece).unwrap())).collect();
        assert_eq!(all(&wrapped), all(&dump), "{width}");
        assert_eq!(all(&wrapped.replace('\n', "\r\n")), all(&dump), "{width}");
        let decorated: String = wrapped.lines().map(|line| format!("> {line}\n")).collect();
        assert_eq!(all(&decorated), all(&dump), "{width}");
    }
}
