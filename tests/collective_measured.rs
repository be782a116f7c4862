//! The table of measured allreduces and the lines through them: against the published rows they come
//! from where those are at hand, and against numbers worked from them everywhere.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::collective::{Path, allreduces_per_token, default_fit, fits, fits_for, message_bytes};
use decodescope::units::{Bytes, Seconds};
use std::collections::HashMap;

#[test]
fn the_worked_example_from_published_measurements() {
    let fit = default_fit("rtx-pro-6000", 8).unwrap();
    let message = message_bytes(6144, 2.0, 1.0);
    let per_token = allreduces_per_token(78, 2.0);
    let token = |one: Seconds| (one * per_token).as_millis();
    assert!((token(fit.model.time(message)) - 4.16).abs() < 0.02, "line: {}", token(fit.model.time(message)));
    assert!((token(fit.time(message)) - 4.19).abs() < 0.01, "between 8 and 16 KiB: {}", token(fit.time(message)));
    // The line is within 4 % of its points from 4 to 64 KiB (34.21 µs at 64 KiB against 35.4).
    assert!((0.03..0.04).contains(&fit.model.relative_error), "{}", fit.model.relative_error);
}

#[test]
fn lines_agree_with_fits_made_elsewhere() {
    // Relative least squares over 1 to 128 KiB, made with another program: (fit, µs, GB/s).
    for (id, latency, bandwidth) in [
        ("rtx-pro-6000-server/2/nccl", 6.38, 22.0),
        ("rtx-pro-6000-server/4/nccl", 13.00, 12.4),
        ("rtx-pro-6000-server/8/nccl", 24.58, 6.0),
        ("rtx-pro-6000-server/2/vllm-custom", 4.27, 32.8),
        ("rtx-pro-6000-server/8/nccl-in-vllm", 24.85, 6.5),
        ("h100-sxm/2/vllm-custom", 4.28, 265.8),
        ("h100-sxm/4/vllm-custom", 4.63, 110.4),
        ("h100-sxm/8/vllm-custom", 4.85, 42.7),
        ("h100-sxm/8/nccl", 16.29, 36.9),
        ("b200-sxm/8/nccl", 25.93, 42.8),
        ("l40s/4/nccl", 11.09, 3.1),
    ] {
        let fit = fits().iter().find(|fit| fit.id == id).unwrap();
        assert!((fit.model.latency.as_micros() - latency).abs() < 0.006, "{id}: {:?}", fit.model);
        assert!((fit.model.bandwidth.as_giga() / bandwidth - 1.0).abs() < 0.02, "{id}: {:?}", fit.model);
    }
}

#[test]
fn every_line_is_physical_and_its_error_honest() {
    for fit in fits() {
        assert!((1.0..70.0).contains(&fit.model.latency.as_micros()), "{}: {:?}", fit.id, fit.model);
        assert!(fit.model.bandwidth.get() > 0.0, "{}", fit.id);
        for &(size, time) in fit.points.iter().filter(|(size, _)| (4096.0..=65_536.0).contains(&size.get())) {
            let range = fit.model.range(size);
            let slack = Seconds::new(1e-12);
            assert!(range.low < time + slack && time < range.high + slack, "{} at {size:?}", fit.id);
        }
    }
}

#[test]
fn eight_pcie_cards_span_a_factor_of_five() {
    // At 32 KiB, the size every source measured: from a one-shot kernel to NCCL with its search failed.
    let at = Bytes::new(32_768.0);
    let times: Vec<_> = fits_for("rtx-pro-6000", 8).filter_map(|fit| Some((fit.path, fit.measured(at)?))).collect();
    let of = |path| times.iter().find(|(known, _)| *known == path).unwrap().1.as_micros();
    assert_eq!(of(Path::OneShotPcie), 16.5);
    assert_eq!(of(Path::Nccl), 29.36);
    assert_eq!(of(Path::UntunedNccl), 48.16);
    assert_eq!(of(Path::TunedNccl), 26.2);
}

#[test]
fn the_table_holds_what_was_published() {
    let directory = std::env::var("DECODESCOPE_SHARED_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data").to_owned());
    let ours = fits().iter().filter(|fit| fit.source == "aiconfigurator");
    let Ok(published) = std::fs::read_to_string(format!("{directory}/allreduce_microbench.csv")) else {
        println!("skipped: {} fits to compare, the published rows are not here", ours.count());
        return;
    };
    // file, kernel, GPUs, bytes -> microseconds
    let mut times = HashMap::new();
    for line in published.lines().skip(1) {
        let cells: Vec<_> = line.rsplitn(7, ',').collect();
        let [_, micros, bytes, gpus, kernel, file, _] = cells[..] else { panic!("{line}") };
        times.insert((file, kernel, gpus, bytes), micros.parse::<f64>().unwrap());
    }
    let mut compared = 0;
    for fit in ours {
        let system = match fit.system {
            "a100-sxm-80gb" => "a100_sxm",
            "rtx-pro-6000-server" => "rtx_pro_6000_server",
            other => &other.replace('-', "_"),
        };
        let (library, version) = fit.version.trim_start_matches("NCCL inside ").split_once(' ').unwrap();
        let (folder, kernel) = match library {
            "NCCL" => ("nccl", "NCCL"),
            "vLLM" => ("vllm", "vLLM_custom_graph"),
            "SGLang" => ("sglang", "SGLang_CustomAllReduce_graph"),
            _ => ("trtllm", "TRTLLM"),
        };
        let file = format!("{system}/comm/{folder}/{version}");
        for (size, time) in &fit.points {
            let (gpus, bytes) = (fit.gpus.to_string(), size.get().to_string());
            let known = times.get(&(file.as_str(), kernel, gpus.as_str(), bytes.as_str()));
            assert_eq!(
                known.map(|micros| format!("{micros:.2}")),
                Some(format!("{:.2}", time.as_micros())),
                "{}",
                fit.id
            );
            compared += 1;
        }
    }
    println!("{compared} points compared");
    assert!(compared > 1000);
}
