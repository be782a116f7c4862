//! The catalogue of GPUs against the table of sources it condenses, where that is at hand.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::hardware::{WeightType, catalogue, find, suggest, tensor_reads};
use decodescope::units::FlopsPerSecond;

fn shared(name: &str) -> Option<String> {
    let directory = std::env::var("DECODESCOPE_SHARED_DATA")
        .unwrap_or_else(|_| concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data").to_owned());
    std::fs::read_to_string(format!("{directory}/{name}")).ok()
}

#[test]
fn the_worked_examples_card() {
    let gpu = find("RTX PRO 6000").unwrap();
    assert_eq!(gpu.id, "rtx-pro-6000");
    assert_eq!(gpu.bandwidth.as_giga(), 1792.0);
    assert_eq!(gpu.achieved_bandwidth.unwrap().as_giga(), 1458.0);
    assert_eq!(format!("{:.2}", gpu.achieved_share().unwrap().get()), "0.81");
    // 97,887 MiB by nvidia-smi.
    assert!((gpu.memory_gib() * 1024.0 - 97_887.0).abs() < 5.0);
    assert_eq!(find("rtx-pro-6000-server").unwrap().id, "rtx-pro-6000-server");
}

#[test]
fn a_name_mistyped_gets_a_suggestion_and_nonsense_none() {
    for (typed, meant) in [("rtx-pro-6000-sever", "rtx-pro-6000-server"), ("h20O-sxm", "h200-sxm"), ("mi300", "mi300x")]
    {
        assert!(find(typed).is_none(), "{typed}");
        assert_eq!(suggest(typed), Some(meant));
    }
    for nonsense in ["", "   ", "日本", "quantum-computer", "\u{0}"] {
        assert!(find(nonsense).is_none() && suggest(nonsense).is_none(), "{nonsense:?}");
    }
}

#[test]
fn figures_are_those_of_their_sources() {
    let Some(table) = shared("gpus.csv") else {
        println!("skipped: {} GPUs to compare, the table of sources is not here", catalogue().len());
        return;
    };
    let (mut compared, mut unknown) = (0, Vec::new());
    for line in table.lines().skip(1) {
        // The columns compared have no commas in them but the notes in brackets, which hold none.
        let cells: Vec<_> = line.split(',').collect();
        let leading = |cell: &str| cell.split(' ').next().and_then(|number| number.parse::<f64>().ok());
        let Some(gpu) = find(cells[0]) else {
            unknown.push(cells[0]);
            continue;
        };
        assert_eq!(gpu.architecture, cells[1].replace("Habana Gaudi2", "Gaudi 2").replace("Habana Gaudi3", "Gaudi 3"));
        assert_eq!(Some(gpu.bandwidth.as_giga()), leading(cells[3]), "{}", gpu.id);
        if let Some(memory) = leading(cells[2]) {
            assert!((0.92..=1.001).contains(&(gpu.memory_gib() / memory)), "{}: {} GiB", gpu.id, gpu.memory_gib());
        }
        let known = |cell: &str, rate: Option<FlopsPerSecond>| {
            // An fp16-only rate, one with FP16 accumulate, or a fall-back is not what the field says.
            let other = ["fp16;", "(FP16-acc", "no native"].iter().any(|word| cell.contains(word));
            let expected = leading(cell).filter(|_| !other).map(FlopsPerSecond::from_tera);
            assert_eq!(rate, expected, "{}: {cell}", gpu.id);
        };
        known(cells[4], gpu.bf16);
        known(cells[5], gpu.fp8);
        known(cells[6], gpu.fp4);
        known(cells[7], gpu.int8);
        compared += 1;
    }
    println!("{compared} GPUs compared; without a memory size and so not in the catalogue: {unknown:?}");
    assert_eq!(compared, catalogue().len());
}

#[test]
fn fits_of_tensor_reads_are_those_published() {
    let Some(table) = shared("gemv_fit.csv") else {
        println!("skipped: {} fits to compare, the table of fits is not here", tensor_reads().len());
        return;
    };
    let mut compared = 0;
    for read in tensor_reads() {
        let system = match read.gpu {
            "a100-sxm-80gb" => "a100_sxm".to_owned(),
            "arc-pro-b60" => "b60".to_owned(),
            other => other.replace('-', "_"),
        };
        let weights = match read.weights {
            WeightType::Bf16 => "bfloat16",
            WeightType::Fp8 => "fp8",
            WeightType::NvFp4 => "nvfp4",
        };
        let row = table
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>())
            .find(|cells| cells[0] == system && cells[1].starts_with("gemm_vllm") && cells[2] == weights)
            .unwrap_or_else(|| panic!("{system} {weights}"));
        let number = |cell: usize| row[cell].parse::<f64>().unwrap();
        assert!((read.floor.as_micros() - number(4)).abs() < 1e-9, "{system} {weights}");
        assert_eq!(read.bandwidth.as_giga(), number(5), "{system} {weights}");
        assert_eq!(read.error, number(7), "{system} {weights}");
        compared += 1;
    }
    println!("{compared} fits compared");
}
