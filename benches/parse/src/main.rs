//! Speed of the reader of Prometheus text, beside other crates, on one thread, in one run.
//!
//! `make bench [FILES=…]`; without files, on scrapes made here. `DECODESCOPE_WASM` names the module built from
//! examples/parse_wasm.rs; peers in other languages are measured by others.mjs, between the runs of ours.

mod inputs;

use std::hint::black_box;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn main() {
    for (name, text) in inputs::inputs() {
        println!("{name}: {:.2} MB", text.len() as f64 / 1e6);
        let ours = measure(&text, "decodescope", |text| decodescope::paste::prometheus::read(text).samples().len());
        measure(&text, "  from bytes that may be anything", |text| {
            let decoded = decodescope::paste::decode(text.as_bytes()).map(|decoded| decoded.text).unwrap_or_default();
            decodescope::paste::prometheus::read(&decoded).samples().len()
        });
        measure(&text, "  and what it means", |text| {
            decodescope::metrics::read_dump(&decodescope::paste::prometheus::read(text)).names.len()
        });
        if std::env::var_os("ALONE").is_some() {
            continue;
        }
        measure(&text, "  and every name, label and value looked at", |text| {
            let exposition = decodescope::paste::prometheus::read(text);
            exposition.samples().map(|sample| sample.labels().map(|(_, value)| value.len()).sum::<usize>()).sum()
        });
        measure(&text, "  strict verdict", |text| {
            let format = decodescope::paste::prometheus::Format::Text;
            usize::from(decodescope::paste::prometheus::check(text, format).is_accepted())
        });
        let peers: [(&str, fn(&str) -> usize); 3] = [
            ("prometheus-parse 0.2.5", |text| {
                let lines = text.lines().map(|line| Ok(line.to_owned()));
                prometheus_parse::Scrape::parse(lines).map_or(0, |scrape| scrape.samples.len())
            }),
            ("prom_text_format_parser 0.1.0", |text| {
                prom_text_format_parser::Scrape::parse(text).map_or(0, |scrape| scrape.metrics.len())
            }),
            ("prometheus-exposition-format-rs 0.1.2", |text| {
                prometheus_exposition_format_rs::parse_complete(text).map_or(0, |families| families.len())
            }),
        ];
        for (peer, parse) in peers {
            let theirs = measure(&text, peer, parse);
            compare(ours, theirs);
        }
        others(&text, ours);
    }
}

fn compare(ours: f64, theirs: f64) {
    println!("    decodescope is {:.1} times as fast", ours / theirs);
}

/// What node measures, if it is there.
fn others(text: &str, ours: f64) {
    let file = std::env::temp_dir().join(format!("decodescope-bench-{}.prom", std::process::id()));
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/others.mjs");
    let module = std::env::var_os("DECODESCOPE_WASM");
    if std::fs::write(&file, text).is_err() {
        return println!("  no room for {} to measure the other peers on", file.display());
    }
    let run = Command::new("node").arg(script).arg(&file).args(module).stderr(Stdio::inherit()).output();
    // A scrap of a temporary folder is no reason to stop.
    let _ = std::fs::remove_file(&file);
    let Ok(run) = run else { return println!("  without Node.js the other peers are not measured") };
    for line in String::from_utf8_lossy(&run.stdout).lines() {
        let mut cells = line.splitn(3, '\t');
        let speed = cells.next().and_then(|cell| cell.parse::<f64>().ok());
        if let (Some(speed), Some(result), Some(name)) = (speed, cells.next(), cells.next()) {
            println!("  {speed:8.1} MB/s  {name} ({result})");
            compare(ours, speed);
        }
    }
}

/// The best of many runs within a second and a half, in MB/s.
fn measure(text: &str, name: &str, parse: impl Fn(&str) -> usize) -> f64 {
    let started = Instant::now();
    let mut best = Duration::MAX;
    let mut result = 0;
    while started.elapsed() < Duration::from_millis(1500) {
        let run = Instant::now();
        result = black_box(parse(black_box(text)));
        best = best.min(run.elapsed());
    }
    let speed = text.len() as f64 / 1e6 / best.as_secs_f64();
    println!("  {speed:8.1} MB/s  {name} ({result})");
    speed
}
