//! Real dumps as people posted them. The facts were taken from the texts by other means (a few lines of Python that
//! subtract neighbouring buckets), not by this engine.
#![allow(clippy::unwrap_used)]

mod metrics_support;

use decodescope::metrics::{Dump, Meaning, Outcome, ServingMetrics};
use decodescope::paste::WarningKind::{self, *};
use metrics_support::{all, dump, occupied, of_engine, says, shared_dumps};

/// What a file holds: its name, the outcome, the products (one per set), and what else is known of it.
struct Fact {
    file: &'static str,
    outcome: Outcome,
    products: &'static [&'static str],
    /// Remarks that must be there: kind, line, words.
    remarks: &'static [(WarningKind, Option<usize>, &'static str)],
    check: fn(&Dump, &ServingMetrics),
}

const INF: f64 = f64::INFINITY;

fn values(set: &ServingMetrics, expected: &[(Meaning, f64)]) {
    for (meaning, value) in expected {
        assert_eq!(set.value(*meaning), Some(*value), "{meaning:?}");
    }
}

/// Number of observations, exact sum, mean.
fn totals(set: &ServingMetrics, meaning: Meaning, count: f64, sum: Option<f64>, mean: Option<f64>) {
    let histogram = set.histogram(meaning).unwrap();
    assert_eq!((histogram.total(), histogram.sum), (count, sum), "{meaning:?}");
    assert_eq!(histogram.mean().map(|mean| (mean * 1e12).round()), mean.map(|mean| (mean * 1e12).round()));
}

const FACTS: &[Fact] = &[
    Fact {
        file: "01-vllm-v0.11-v1-idle-engine0.txt",
        outcome: Outcome::NothingUsable,
        products: &["vLLM"],
        remarks: &[(Missing, None, "nothing observed yet")],
        check: |dump, all| {
            assert_eq!(dump.sets[0].selection.to_string(), "Qwen/Qwen1.5-0.5B-Chat, engine 0");
            assert_eq!(all.histogram(Meaning::InterTokenLatency).unwrap().buckets.len(), 20);
            assert_eq!(all.histogram(Meaning::TimeToFirstToken).unwrap().buckets.len(), 23);
            totals(all, Meaning::InterTokenLatency, 0.0, Some(0.0), None);
            assert_eq!(all.histograms[&Meaning::InterTokenLatency].metric, "vllm:inter_token_latency_seconds");
            // 2452 blocks of 16 tokens
            values(all, &[(Meaning::KvCacheCapacity, 39_232.0), (Meaning::RequestsFinished, 0.0)]);
            assert_eq!(dump.started, Some(1_762_438_367.32));
        },
    },
    Fact {
        file: "03-vllm-v0-aibrix-docs-indented-truncated.txt",
        outcome: Outcome::Fine,
        products: &["vLLM"],
        remarks: &[
            (Repaired, Some(1), "indented"),
            (Missing, Some(41), "at least 998, and no mean"),
            (Missing, None, "no inter-token latency"),
        ],
        check: |_, all| {
            totals(all, Meaning::IterationTokens, 998.0, Some(1103.0), None);
            assert_eq!(occupied(all, Meaning::IterationTokens), [(1.0, 994.0), (40.0, 4.0)]);
            values(all, &[(Meaning::PromptTokens, 148.0), (Meaning::GenerationTokens, 955.0)]);
            // −1: the prefix cache is off. 81767 blocks of 16 tokens.
            assert_eq!(all.prefix_hit_rate(), None);
            values(all, &[(Meaning::RequestsFinished, 4.0), (Meaning::KvCacheCapacity, 1_308_272.0)]);
        },
    },
    Fact {
        file: "05-vllm-v0-oci-blueprints-shell-prompt.txt",
        outcome: Outcome::NothingUsable,
        products: &["vLLM"],
        remarks: &[(Skipped, Some(1), "curl"), (Truncated, Some(9), "...")],
        check: |_, all| values(all, &[(Meaning::KvCacheCapacity, 10_947.0 * 16.0), (Meaning::RequestsRunning, 0.0)]),
    },
    Fact {
        file: "07-sglang-docs-2026-loaded-11008-requests.txt",
        outcome: Outcome::Fine,
        products: &["SGLang"],
        remarks: &[(Skipped, Some(1), "curl")],
        check: |_, all| {
            let (ttft, itl) = (Meaning::TimeToFirstToken, Meaning::InterTokenLatency);
            totals(all, ttft, 11_008.0, Some(2_351_897.947_411_775_6), Some(213.653_519_932_029));
            totals(all, itl, 7_400_757.0, Some(866_964.579_154_959_8), Some(0.117_145_391_904));
            let ttft = occupied(all, ttft);
            assert_eq!(ttft[..3], [(0.04, 1.0), (0.06, 2.0), (0.08, 3.0)]);
            assert_eq!(ttft.last(), Some(&(INF, 8495.0)));
            let itl = occupied(all, itl);
            assert!(itl.contains(&(0.1, 4_516_782.0)) && itl.contains(&(0.15, 2_089_240.0)));
            values(all, &[(Meaning::RequestsRunning, 162.0), (Meaning::RequestsWaiting, 2826.0)]);
            values(all, &[(Meaning::PromptTokens, 8_128_902.0), (Meaning::GenerationTokens, 7_557_572.0)]);
            assert_eq!(all.prefix_hit_rate().map(|rate| rate.get()), Some(0.007_507_552_643_049_313));
            // Observed once per token: a step's tokens cannot be told from these counts.
            assert_eq!(all.tokens_per_step(), None);
        },
    },
    Fact {
        file: "09-ray-serve-vllm-v0-first-part.txt",
        outcome: Outcome::Fine,
        products: &["vLLM"],
        remarks: &[(Missing, Some(90), "at least 1, and no mean")],
        check: |_, all| {
            let itl = Meaning::InterTokenLatency;
            totals(all, itl, 299.0, Some(16.178_537_607_192_993), Some(0.054_108_821_429));
            assert_eq!(occupied(all, itl), [(0.05, 4.0), (0.075, 291.0), (0.1, 4.0)]);
            totals(all, Meaning::TimeToFirstToken, 1.0, None, None);
            assert_eq!(all.tokens_per_step(), None, "the number of first tokens is only a lower bound");
            values(all, &[(Meaning::GenerationTokens, 300.0), (Meaning::PromptTokens, 58.0)]);
        },
    },
    Fact {
        file: "11-vllm-v1-dp2-two-api-servers.txt",
        outcome: Outcome::Fine,
        products: &["vLLM", "vLLM"],
        remarks: &[
            (Missing, Some(3), "nothing can be told from it (also line 4)"),
            (Missing, Some(27), "at least 954, and no mean"),
            (Missing, Some(28), "nothing can be told"),
            (Inconsistent, None, "954 of at least 1197"),
        ],
        check: |dump, all| {
            let itl = Meaning::InterTokenLatency;
            let (zero, one) = (of_engine(dump, "0"), of_engine(dump, "1"));
            totals(&zero, itl, 954.0, Some(13.223_765_562_288_463), None);
            assert_eq!(occupied(&zero, itl), [(0.01, 229.0), (0.025, 725.0)]);
            // Of engine 1 only the older name has a count.
            assert_eq!(one.histograms[&itl].metric, "vllm:time_per_output_token_seconds");
            totals(&one, itl, 243.0, None, None);
            totals(all, itl, 954.0, Some(13.223_765_562_288_463), None);
            totals(all, Meaning::TimeToFirstToken, 1.0, None, None);
        },
    },
    Fact {
        file: "12b-vllm-lora-requests-info.txt",
        outcome: Outcome::NothingUsable,
        products: &[],
        remarks: &[(Missing, None, "none that this tool uses")],
        check: |dump, _| assert_eq!((dump.names.len(), dump.names[0].samples), (1, 3)),
    },
    Fact {
        file: "14-vllm-0.5.3-ttft-sum-too-small.txt",
        outcome: Outcome::Fine,
        products: &["vLLM"],
        remarks: &[],
        check: |_, all| {
            let ttft = Meaning::TimeToFirstToken;
            totals(all, ttft, 8060.0, Some(0.587_178_230_285_644_5), Some(0.000_072_850_897));
            assert_eq!(occupied(all, ttft), [(0.1, 8060.0)]);
            values(all, &[(Meaning::RequestsFinished, 3918.0)]); // 3810 + 108
        },
    },
    Fact {
        file: "16-vllm-v1-dp8-spec-decode-prometheus-table.txt",
        outcome: Outcome::NothingUsable,
        products: &[],
        remarks: &[(Repaired, Some(1), "bar")],
        check: |dump, _| assert_eq!(dump.names.iter().map(|name| name.samples).sum::<usize>(), 8),
    },
    Fact {
        file: "18-vllm-0.8-v1-no-engine-label-coder32b.txt",
        outcome: Outcome::Fine,
        products: &["vLLM"],
        remarks: &[(Missing, Some(8), "at least 122\u{202f}342"), (Missing, None, "no inter-token latency")],
        check: |dump, all| {
            totals(all, Meaning::IterationTokens, 122_342.0, None, None);
            assert_eq!(occupied(all, Meaning::IterationTokens)[..2], [(1.0, 110_540.0), (2.0, 10_918.0)]);
            assert_eq!(occupied(all, Meaning::QueueTime), [(0.3, 291.0), (0.5, 1.0), (2.5, 1.0)]);
            assert_eq!(dump.started, Some(1_742_624_005.57));
            assert_eq!(all.selection.engine, None);
        },
    },
    Fact {
        file: "20-llamacpp-minus-nan.txt",
        outcome: Outcome::NothingUsable,
        products: &["llama.cpp"],
        remarks: &[(BadValue, Some(18), "NaN")],
        check: |_, all| totals(all, Meaning::InterTokenLatency, 0.0, Some(0.0), None),
    },
    Fact {
        file: "22-ibm-tgis-on-vllm-dict-as-label.txt",
        outcome: Outcome::Fine,
        products: &["vLLM", "TGI"],
        remarks: &[(Missing, Some(3), "at least 215"), (Missing, Some(26), "at least 213")],
        check: |_, all| {
            let (ttft, prefill) = (Meaning::TimeToFirstToken, Meaning::PrefillTime);
            assert_eq!(occupied(all, ttft), [(0.02, 112.0), (0.04, 99.0), (0.08, 2.0)]);
            assert_eq!(occupied(all, prefill), [(0.02, 112.0), (0.05, 99.0), (0.1, 3.0), (0.5, 1.0)]);
            values(all, &[(Meaning::PromptTokens, 1196.0), (Meaning::GenerationTokens, 218_152.0)]);
        },
    },
    Fact {
        file: "24-prometheus-query-api-python-dict.txt",
        outcome: Outcome::NotMetrics,
        products: &[],
        remarks: &[
            (BadValue, Some(1), ""),
            (Missing, Some(3), "without a metric name"),
            (Skipped, Some(4), "P99"),
            (Missing, None, ""),
        ],
        check: |dump, _| assert!(dump.names.is_empty()),
    },
    Fact {
        file: "26-vllm-0.29-cpu-book-lab-trimmed.txt",
        outcome: Outcome::Fine,
        products: &["vLLM"],
        remarks: &[(Truncated, Some(3), "trimmed")],
        check: |_, all| {
            let ttft = Meaning::TimeToFirstToken;
            totals(all, ttft, 178.0, Some(50.285_691_261_291_504), Some(0.282_503_883_49));
            assert_eq!(occupied(all, ttft), [(0.25, 129.0), (0.5, 38.0), (1.0, 4.0), (2.5, 7.0)]);
            values(all, &[(Meaning::GenerationTokens, 11_392.0)]);
        },
    },
    Fact {
        file: "28-sglang-behind-gateway-underscore.txt",
        outcome: Outcome::NothingUsable,
        products: &["SGLang"],
        remarks: &[],
        check: |_, all| assert_eq!(all.prefix_hit_rate().map(|rate| rate.get()), Some(0.0)),
    },
    Fact {
        file: "30-vllm-design-doc-ellipsis.txt",
        outcome: Outcome::Fine,
        products: &["vLLM"],
        remarks: &[
            (Skipped, Some(1), "curl"),
            (Truncated, Some(5), "also lines 9, 15"),
            (Missing, Some(18), "restored from the count 140"),
        ],
        check: |_, all| {
            let ttft = Meaning::TimeToFirstToken;
            totals(all, ttft, 140.0, None, None);
            assert_eq!(occupied(all, ttft), [(0.02, 13.0), (0.04, 84.0), (0.06, 26.0), (0.08, 15.0), (0.1, 2.0)]);
            values(all, &[(Meaning::RequestsFinished, 132.0), (Meaning::RequestsRunning, 8.0)]);
        },
    },
    Fact {
        file: "31b-sglang-first-version-label-name.txt",
        outcome: Outcome::Fine,
        products: &["SGLang"],
        remarks: &[(Missing, Some(1), "only the number is known"), (Missing, Some(4), "at least 870, and no mean")],
        check: |dump, all| {
            totals(all, Meaning::EndToEndLatency, 870.0, Some(12_786.840_049_982_071), None);
            let e2e = occupied(all, Meaning::EndToEndLatency);
            assert_eq!(e2e, [(1.0, 2.0), (2.0, 1.0), (10.0, 435.0), (20.0, 432.0)]);
            totals(all, Meaning::RequestGenerationTokens, 1003.0, None, None);
            assert!(dump.sets[0].selection.model.as_deref().unwrap().contains("Llama-3.2-3B"));
        },
    },
    Fact {
        file: "33-vllm-v0-qwenvl-gauges.txt",
        outcome: Outcome::NothingUsable,
        products: &["vLLM"],
        remarks: &[],
        // The size of a block is not given, so neither is the cache's.
        check: |_, all| assert_eq!(all.value(Meaning::KvCacheCapacity), None),
    },
    Fact {
        file: "35-mindie-unprefixed-integers.txt",
        outcome: Outcome::Fine,
        products: &["MindIE"],
        remarks: &[(Skipped, Some(1), "curl"), (Missing, None, "no inter-token latency")],
        check: |_, all| {
            values(all, &[(Meaning::RequestsFinished, 4.0), (Meaning::PromptTokens, 195.0)]);
            values(all, &[(Meaning::GenerationTokens, 578.0), (Meaning::Preemptions, 0.0)]);
        },
    },
];

#[test]
fn every_dump_says_what_is_in_it() {
    let Some(folder) = shared_dumps() else {
        println!("skipped {} dumps: the reference data is not here", FACTS.len());
        return;
    };
    let mut skipped = 0;
    for fact in FACTS {
        let Ok(text) = std::fs::read_to_string(folder.join(fact.file)) else {
            skipped += 1;
            continue;
        };
        println!("{}", fact.file);
        let dump = dump(&text);
        assert_eq!(dump.outcome, fact.outcome);
        assert_eq!(dump.sets.iter().map(|set| set.product.as_str()).collect::<Vec<_>>(), fact.products);
        for (kind, line, words) in fact.remarks {
            assert!(says(&dump, *kind, *line, words), "{words}: {:#?}", dump.warnings);
        }
        (fact.check)(&dump, &all(&dump));
    }
    println!("skipped {skipped} of {} dumps", FACTS.len());
}

#[test]
fn no_dump_is_without_facts() {
    let Some(folder) = shared_dumps() else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(FACTS.iter().any(|fact| name == fact.file), "{name:?} has no facts here");
    }
}

/// A dump cut anywhere is read, never with more than the whole holds, and the mean is the whole's or none.
#[test]
fn a_dump_cut_anywhere_gives_no_wrong_number() {
    let Some(folder) = shared_dumps() else {
        println!("skipped: the reference data is not here");
        return;
    };
    for file in ["07-sglang-docs-2026-loaded-11008-requests.txt", "09-ray-serve-vllm-v0-first-part.txt"] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let whole = all(&dump(&text));
        for cut in (0..text.len()).step_by(97).filter(|cut| text.is_char_boundary(*cut)) {
            let cut = all(&dump(&text[..cut]));
            for (meaning, latency) in &cut.histograms {
                assert!(latency.histogram.total() <= whole.histogram(*meaning).unwrap().total());
                if let Some(mean) = latency.histogram.mean() {
                    assert_eq!(Some(mean), whole.histogram(*meaning).unwrap().mean());
                }
            }
        }
    }
}
