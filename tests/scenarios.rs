//! What holds for any scenario, whatever was set: the parts add up, nothing panics, no NaN reaches a
//! reader, and a link brings all of it back.

#![allow(clippy::unwrap_used, clippy::expect_used)]
#![cfg(not(target_arch = "wasm32"))]

use decodescope::budget::analyse;
use decodescope::chart::Chart;
use decodescope::metrics::{Outcome, read_dump};
use decodescope::model::Quantisation;
use decodescope::paste::prometheus;
use decodescope::report::{figures, json, key_figures, report, verdict};
use decodescope::scenario::link::{self, LinkError};
use decodescope::scenario::{Configured, EstimateChoice, Field, GpuChoice, Measured, ModelChoice, Scenario, Source};
use decodescope::{hardware, model};
use proptest::prelude::*;

fn any_scenario() -> impl Strategy<Value = Scenario> {
    let typed = prop::collection::vec((0..Field::ALL.len(), 0.0..=1.0f64), 0..12);
    let models = prop::option::of(0..model::presets().len());
    // One beyond the catalogue: a GPU of one's own.
    let gpus = prop::option::of(0..=hardware::catalogue().len());
    (typed, models, gpus, any::<bool>(), 0..EstimateChoice::ALL.len(), any::<bool>()).prop_map(
        |(typed, model, gpu, example, choice, custom)| {
            let mut scenario = if example { Scenario::example() } else { Scenario::default() };
            if let Some(index) = model {
                let preset = &model::presets()[index];
                scenario.set_model(Some(if custom {
                    ModelChoice::Custom(Box::new(Configured {
                        architecture: preset.architecture.clone(),
                        quantisation: preset.native_quantisation.as_deref().and_then(Quantisation::by_recipe),
                    }))
                } else {
                    ModelChoice::Preset(preset.id.clone())
                }));
            }
            if let Some(index) = gpu {
                let known = hardware::catalogue().get(index).map(|gpu| GpuChoice::Known(gpu.id.to_owned()));
                scenario.set_gpu(Some(known.unwrap_or_else(|| GpuChoice::own("Prototype & Söhne #7"))));
            }
            for (index, place) in typed {
                let field = Field::ALL[index];
                scenario.set(field, Some(field.spec().value_at(place)));
            }
            scenario.choice = EstimateChoice::ALL[choice];
            scenario
        },
    )
}

proptest! {
    #[test]
    fn parts_add_up_and_every_text_can_be_read(scenario in any_scenario()) {
        let analysis = analyse(&scenario);
        if let Some(step) = &analysis.step {
            let sum: f64 = analysis.slices.iter().map(|slice| slice.time.get()).sum();
            prop_assert!((sum - step.time.value.get()).abs() <= 1e-9 * step.time.value.get());
        }
        let mut texts = vec![report(&scenario, &analysis, &[]).to_text(), report(&scenario, &analysis, &[]).to_markdown()];
        texts.extend(key_figures(&scenario, &analysis).into_iter().map(|figure| figure.value + &figure.note));
        texts.extend(verdict(&scenario, &analysis).sentences);
        texts.extend(figures(&scenario, &analysis).iter().map(|figure| figure.chart.summary()));
        for text in texts {
            prop_assert!(!text.contains("NaN") && !text.contains("inf "), "{text}");
        }
        let value: serde_json::Value = serde_json::from_str(&json(&scenario, &analysis, &[])).unwrap();
        prop_assert_eq!(&value["schema"], "decodescope.report/1");
    }

    #[test]
    fn a_link_brings_everything_back(scenario in any_scenario()) {
        let link = link::encode(&scenario);
        prop_assert!(link.bytes().all(|byte| byte.is_ascii_graphic()));
        prop_assert_eq!(link::decode(&format!("#{link}")).unwrap().unwrap(), scenario);
    }

    #[test]
    fn a_damaged_link_is_an_error_never_a_panic(cut in 0..2000usize, junk in "[ -~]{0,6}") {
        let link = link::encode(&Scenario::example());
        let cut = cut.min(link.len());
        let _ = link::decode(&format!("{}{junk}{}", &link[..cut], &link[cut..]));
        let _ = link::decode(&link[..cut]);
    }
}

#[test]
fn links_say_why_they_cannot_be_opened() {
    assert_eq!(link::decode(""), Ok(None));
    assert_eq!(link::decode("#"), Ok(None));
    assert_eq!(link::decode("#model=glm-5"), Err(LinkError::NoVersion));
    assert_eq!(link::decode("#v=2&model=glm-5"), Err(LinkError::Newer("2".to_owned())));
    let message = link::decode("#v=1&itl=fast").unwrap_err().to_string();
    assert_eq!(message, "the link's part itl is damaged: expected a number");
    let message = link::decode("#v=1&gpu=abacus").unwrap_err().to_string();
    assert_eq!(message, "the link's part gpu is damaged: expected the id of a known GPU");
    assert!(link::decode("#v=1&dump=AAAA").unwrap_err().to_string().contains("a packed dump"));
}

#[test]
fn links_written_by_earlier_versions_still_open() {
    // Frozen: never edit these lines, add to them.
    let scenario =
        link::decode("#v=1&model=glm-5&gpu=rtx-pro-6000&gpus=8&tp=8&bw=1458&itl=17.39&unknown=1").unwrap().unwrap();
    assert_eq!(scenario.value(Field::InterTokenLatency).unwrap().value, 17.39);
    assert_eq!(scenario.value(Field::Layers).unwrap().value, 78.0);
    assert_eq!(scenario.value(Field::Bandwidth).unwrap().source, Source::Typed);
}

#[test]
fn numbers_outside_their_limits_are_brought_inside() {
    let scenario = link::decode("#v=1&layers=1e9&gpus=0&tp=3.6&reply=2.4").unwrap().unwrap();
    assert_eq!(scenario.value(Field::Layers).unwrap().value, 256.0);
    assert_eq!(scenario.value(Field::Gpus).unwrap().value, 1.0);
    assert_eq!(scenario.value(Field::TensorParallel).unwrap().value, 4.0);
    assert_eq!(scenario.value(Field::ReplyTokens).unwrap().value, 2.4);
}

#[test]
fn a_dump_replaces_what_described_another_system() {
    let text = "vllm:inter_token_latency_seconds_sum{model_name=\"Qwen/Qwen3-8B\"} 2.0\n\
                vllm:inter_token_latency_seconds_count{model_name=\"Qwen/Qwen3-8B\"} 100\n";
    let dump = read_dump(&prometheus::read(text));
    assert_eq!(dump.outcome, Outcome::Fine);
    let mut scenario = Scenario::example();
    scenario.adopt(Measured::distil("pasted text", &dump.sets));
    // 2 s / 100 = 20 ms, of a model of 36 layers.
    assert_eq!(scenario.value(Field::InterTokenLatency).unwrap().value, 20.0);
    assert_eq!(scenario.value(Field::Layers).unwrap().value, 36.0);
    // The example's experiment and stated figures are not this server's; its hardware is a guess and says so.
    assert_eq!(scenario.value(Field::ExperimentSlower), None);
    assert_eq!(scenario.value(Field::StatedShareLow), None);
    assert!(scenario.left_over.gpu && scenario.left_over.count && !scenario.is_example());
    let next = verdict(&scenario, &analyse(&scenario)).next.join(" ");
    assert!(next.contains("hardware is still the worked example's"), "{next}");
}

#[test]
fn typed_beats_measured_beats_catalogue_beats_assumed() {
    let mut scenario = Scenario::example();
    let source = |scenario: &Scenario, field| scenario.value(field).unwrap().source;
    assert_eq!(source(&scenario, Field::InterTokenLatency), Source::Measured);
    assert_eq!(source(&scenario, Field::Layers), Source::Catalogue);
    assert_eq!(source(&scenario, Field::ElementBytes), Source::Assumed);
    scenario.set(Field::InterTokenLatency, Some(10.0));
    assert_eq!(source(&scenario, Field::InterTokenLatency), Source::Typed);
    // Nothing is lost: taking the typed value back shows the measured one again.
    scenario.set(Field::InterTokenLatency, None);
    assert_eq!(source(&scenario, Field::InterTokenLatency), Source::Measured);
}

#[test]
fn one_gpu_has_no_allreduce() {
    let mut scenario = Scenario::default();
    scenario.set_model(Some(ModelChoice::Preset("qwen3-8b".to_owned())));
    scenario.set_gpu(Some(GpuChoice::Known("h100-sxm".to_owned())));
    scenario.set(Field::InterTokenLatency, Some(8.0));
    let analysis = analyse(&scenario);
    assert_eq!(analysis.traffic.unwrap().per_step, 0.0);
    assert!(analysis.rungs.iter().all(|rung| rung.speed.low.get() > 0.0));
    assert!(!report(&scenario, &analysis, &[]).to_text().contains("Allreduce\n─"));
}

#[test]
fn several_tokens_a_step_make_the_stream_faster_not_the_step() {
    // Speculative decoding: 100 outputs of 20 ms yield 250 tokens, 2.5 each.
    let text = "vllm:inter_token_latency_seconds_sum 2.0\nvllm:inter_token_latency_seconds_count 100\n\
                vllm:time_to_first_token_seconds_count 10\nvllm:time_to_first_token_seconds_sum 1\n\
                vllm:generation_tokens_total 260\n";
    let mut scenario = Scenario::default();
    scenario.adopt(Measured::distil("pasted text", &read_dump(&prometheus::read(text)).sets));
    let step = analyse(&scenario).step.unwrap();
    assert_eq!(step.tokens, 2.5);
    assert_eq!(step.time.value.as_millis(), 20.0);
    assert_eq!(step.speed.get(), 125.0);
}

fn adopted(text: &str) -> Scenario {
    let mut scenario = Scenario::default();
    scenario.adopt(Measured::distil("pasted text", &read_dump(&prometheus::read(text)).sets));
    scenario
}

/// One bucket from 10 to 25 ms with so many observations and this sum.
fn one_bucket(count: u32, sum: &str) -> String {
    format!(
        "vllm:inter_token_latency_seconds_bucket{{le=\"0.01\"}} 0\n\
         vllm:inter_token_latency_seconds_bucket{{le=\"0.025\"}} {count}\n\
         vllm:inter_token_latency_seconds_bucket{{le=\"+Inf\"}} {count}\n\
         vllm:inter_token_latency_seconds_count {count}\nvllm:inter_token_latency_seconds_sum {sum}\n"
    )
}

/// The same, 100 of them in 2 s, with a label on every sample.
fn labelled(label: &str) -> String {
    let text = one_bucket(100, "2").replace("{le", &format!("{{{label},le"));
    text.replace("_count ", &format!("_count{{{label}}} ")).replace("_sum ", &format!("_sum{{{label}}} "))
}

#[test]
fn a_sum_that_contradicts_the_buckets_gives_no_mean_and_a_doubt() {
    // 100 observations of 10 to 25 ms sum to 1 to 2.5 s.
    for sum in ["100", "0", "-1.7", "1e-320"] {
        let scenario = adopted(&one_bucket(100, sum));
        assert_eq!(scenario.value(Field::InterTokenLatency), None, "{sum}");
    }
    assert_eq!(adopted(&one_bucket(100, "2")).value(Field::InterTokenLatency).unwrap().value, 20.0);
}

#[test]
fn infinite_gauges_do_not_break_the_link() {
    let scenario = adopted(&(one_bucket(100, "2") + "vllm:num_requests_running +Inf\n"));
    assert_eq!(link::decode(&link::encode(&scenario)).unwrap().unwrap(), scenario);
}

#[test]
fn links_survive_what_mail_and_chat_make_of_them() {
    let link = link::encode(&Scenario::example());
    let escaped: String = link.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for form in [escaped, link.replace('&', "&amp;"), format!("#{link}."), format!("{link})"), format!(" {link}\n")] {
        assert_eq!(link::decode(&form).unwrap().unwrap(), Scenario::example(), "{form}");
    }
}

#[test]
fn load_and_lengths_come_from_the_dump() {
    // 3000 outputs in 100 steps: 30 streams at once; 40 first tokens: 3040 / 40 = 76 tokens a reply, 4000 / 40 a prompt.
    let text = one_bucket(3000, "60")
        + "vllm:iteration_tokens_total_count 100\nvllm:iteration_tokens_total_sum 7000\n\
           vllm:time_to_first_token_seconds_count 40\nvllm:time_to_first_token_seconds_sum 4\n\
           vllm:generation_tokens_total 3040\nvllm:prompt_tokens_total 4000\nvllm:num_requests_running 36\n";
    let scenario = adopted(&text);
    for (field, value) in
        [(Field::Batch, 30.0), (Field::ReplyTokens, 76.0), (Field::Context, 138.0), (Field::TokensPerStep, 1.0)]
    {
        let found = scenario.value(field).unwrap();
        assert_eq!((found.value, found.source), (value, Source::Measured), "{field:?}");
    }
}

#[test]
fn several_engines_share_the_gpus() {
    let engine = |number| labelled(&format!("engine=\"{number}\""));
    let mut scenario = adopted(&(engine(0) + &engine(1)));
    scenario.set(Field::Gpus, Some(8.0));
    assert_eq!(scenario.value(Field::TensorParallel).unwrap().value, 4.0);
}

#[test]
fn the_model_follows_the_selection() {
    let of = |model| labelled(&format!("model_name=\"{model}\""));
    let mut scenario = adopted(&(of("Qwen/Qwen3-8B") + &of("Qwen/Qwen3-32B")));
    assert_eq!(scenario.model, None);
    let selections = scenario.measured.as_ref().unwrap().selections();
    let second = selections.into_iter().find(|one| one.model.as_deref() == Some("Qwen/Qwen3-32B")).unwrap();
    scenario.select(second);
    assert_eq!(scenario.model, Some(ModelChoice::Preset("qwen3-32b".to_owned())));
}

#[test]
fn without_anybody_to_reduce_with_no_estimate_speaks() {
    let mut scenario = Scenario::example();
    scenario.set(Field::TensorParallel, Some(1.0));
    let analysis = analyse(&scenario);
    assert!(analysis.estimates.is_empty() && analysis.chosen.is_none());
}

#[test]
fn what_cannot_be_right_is_said_in_the_headline() {
    let system = |model: &str, gpu: &str, gpus: f64, itl: f64| {
        let mut scenario = Scenario::default();
        scenario.set_model(Some(ModelChoice::Preset(model.to_owned())));
        scenario.set_gpu(Some(GpuChoice::Known(gpu.to_owned())));
        scenario.set(Field::Gpus, Some(gpus));
        scenario.set(Field::InterTokenLatency, Some(itl));
        let said = verdict(&scenario, &analyse(&scenario));
        (said.headline, said.doubts.join(" "))
    };
    let (headline, doubts) = system("llama-3.1-70b", "h100-sxm", 1.0, 60.0);
    assert_eq!(headline, "These numbers cannot all be right");
    // 70.55 billion parameters of 16 bit: 141 GB.
    assert!(doubts.contains("The weights take 141 GB on each GPU, more than its"), "{doubts}");
    let (_, doubts) = system("llama-3.1-70b", "h100-sxm", 4.0, 1.0);
    assert!(doubts.contains("Reading the weights alone would take"), "{doubts}");
    let (headline, doubts) = system("llama-3.1-70b", "h100-sxm", 4.0, 20.0);
    assert!(doubts.is_empty() && headline != "These numbers cannot all be right", "{doubts}");
}

#[test]
fn the_first_paste_keeps_what_a_person_has_set() {
    let mut scenario = Scenario::example();
    scenario.set(Field::Gpus, Some(4.0));
    scenario.set(Field::Batch, Some(16.0));
    scenario.adopt(Measured::distil("pasted text", &read_dump(&prometheus::read(&one_bucket(100, "2"))).sets));
    assert_eq!(scenario.value(Field::Batch).unwrap().value, 16.0);
    assert!(scenario.left_over.gpu && !scenario.left_over.count);
    // What the example had typed of its own is not this server's.
    assert_eq!(scenario.value(Field::ExperimentTokens), None);
}

#[test]
fn a_gpu_of_ones_own_is_what_was_typed_of_it_and_travels_in_the_link() {
    let mut scenario = Scenario::default();
    scenario.set_model(Some(ModelChoice::Preset("llama-3.1-8b".to_owned())));
    scenario.set_gpu(Some(GpuChoice::own("  Prototype & Söhne #7\n")));
    assert!(scenario.gpu().is_none(), "nothing is known of it yet");
    for (field, value) in [(Field::Bandwidth, 900.0), (Field::Memory, 48.0), (Field::MatrixRate, 180.0)] {
        scenario.set(field, Some(value));
    }
    let gpu = scenario.gpu().unwrap();
    assert_eq!((&*gpu.name, gpu.id, gpu.memory_gib()), ("Prototype & Söhne #7", "own", 48.0));
    assert_eq!(gpu.bf16.unwrap().as_tera(), 180.0);
    // 15.01 GB of weights and one row of the embedding at 900 GB/s: 16.7 ms.
    let step = analyse(&scenario).step.unwrap();
    assert!((step.time.value.as_millis() - 16.8).abs() < 0.2, "{:?}", step.time);
    let keys: Vec<_> = figures(&scenario, &analyse(&scenario)).iter().map(|figure| figure.key).collect();
    assert!(keys.contains(&"roofline") && keys.contains(&"memory"), "{keys:?}");
    let link = link::encode(&scenario);
    assert_eq!(link::decode(&link).unwrap(), Some(scenario.clone()));
    // Whatever order a chat or a person gave the parts.
    let turned: Vec<&str> = link.split('&').rev().collect();
    assert_eq!(link::decode(&turned.join("&")).unwrap(), Some(scenario.clone()));
    // Another name is the same GPU; another GPU is not.
    scenario.set_gpu(Some(GpuChoice::own("B")));
    assert_eq!(scenario.value(Field::Bandwidth).unwrap().value, 900.0);
    scenario.set_gpu(Some(GpuChoice::Known("h100-sxm".to_owned())));
    assert_eq!(scenario.value(Field::Memory).unwrap().source, Source::Catalogue);
    assert_eq!(scenario.gpu().unwrap().achieved_bandwidth.unwrap().as_giga(), 2979.0);
}

#[test]
fn a_typed_allreduce_is_the_budgets_and_the_predictions() {
    let predicted = |scenario: &Scenario| {
        let drawn = figures(scenario, &analyse(scenario));
        let figure = drawn.into_iter().find(|figure| figure.key == "predicted-step").unwrap();
        let Chart::Stack(stack) = figure.chart else { panic!("{:?}", figure.chart) };
        let allreduces = stack.bars[0].segments.iter().find(|segment| segment.label == "Allreduces").unwrap().value;
        (allreduces, figure.notes)
    };
    let mut scenario = Scenario::example();
    // 156 of 26.9 µs, as published of these GPUs.
    assert!((predicted(&scenario).0 - 4.194).abs() < 0.01, "{:?}", predicted(&scenario));
    scenario.set(Field::AllreduceLatency, Some(50.0));
    scenario.set(Field::AllreduceBandwidth, Some(12.288));
    // 50 µs + 12,288 B at 12.288 GB/s, 1 µs: 156 × 51 µs = 7.956 ms, in both.
    assert!((predicted(&scenario).0 - 7.956).abs() < 1e-6, "{:?}", predicted(&scenario));
    let alpha_beta = analyse(&scenario).estimates[0];
    assert!((alpha_beta.time.likely.as_millis() - 7.956).abs() < 1e-6);
    // One a layer: 78 × 51 µs, in both.
    scenario.set(Field::AllreducesPerLayer, Some(1.0));
    assert!((predicted(&scenario).0 - 3.978).abs() < 1e-6, "{:?}", predicted(&scenario));
    assert!((analyse(&scenario).estimates[0].time.likely.as_millis() - 3.978).abs() < 1e-6);
    // Where nothing is known of the allreduce, a latency alone will do, and nothing is guessed any more.
    let mut unknown = Scenario::default();
    unknown.set_model(Some(ModelChoice::Preset("llama-3.1-70b".to_owned())));
    unknown.set_gpu(Some(GpuChoice::Known("mi300x".to_owned())));
    unknown.set(Field::TensorParallel, Some(8.0));
    assert!(predicted(&unknown).1.iter().any(|note| note.contains("are a guess")));
    unknown.set(Field::AllreduceLatency, Some(10.0));
    let (time, notes) = predicted(&unknown);
    // 160 × 10 µs
    assert!((time - 1.6).abs() < 0.3 && !notes.iter().any(|note| note.contains("are a guess")), "{time} {notes:?}");
}

/// What a server says of its cache is measured: its type, and how much it holds beside what we reckon.
#[test]
fn the_servers_cache_is_measured_and_stands_beside_ours() {
    let scrape = |dtype: &str| {
        let text = format!(
            "vllm:cache_config_info{{block_size=\"16\",cache_dtype=\"{dtype}\",engine=\"0\",\
             gpu_memory_utilization=\"0.8\",num_gpu_blocks=\"50000\"}} 1.0\n\
             vllm:inter_token_latency_seconds_sum{{engine=\"0\",model_name=\"meta-llama/Llama-3.1-8B-Instruct\"}} 1.0\n\
             vllm:inter_token_latency_seconds_count{{engine=\"0\",model_name=\"meta-llama/Llama-3.1-8B-Instruct\"}} 100\n"
        );
        let mut scenario = Scenario::default();
        scenario.adopt(Measured::distil("scrape", &read_dump(&prometheus::read(&text)).sets));
        scenario.set_gpu(Some(GpuChoice::Known("h100-sxm".to_owned())));
        scenario
    };
    let mut scenario = scrape("fp8_e4m3");
    let bits = scenario.value(Field::KvBits).unwrap();
    assert_eq!((bits.value, bits.source, scenario.precision().kv_bits), (8.0, Source::Measured, 8.0));
    let memory = |scenario: &Scenario| {
        let drawn = figures(scenario, &analyse(scenario));
        drawn.into_iter().find(|figure| figure.key == "memory").unwrap().notes[2].clone()
    };
    // 50,000 blocks of 16; a token takes 2 × 32 × 8 × 128 bytes = 65,536: 52.4 GB. 80 GiB × 0.8 less 16.06 GB of weights
    // is 52.66 GB: 803,500 tokens.
    let note = memory(&scenario);
    assert!(note.contains("holds 800\u{202f}000 tokens (measured), 52.4 GB on each GPU"), "{note}");
    assert!(note.contains("leave room for 803\u{202f}5") && note.contains("80 % of the memory (measured)"), "{note}");
    // Typed beats measured, and comes back.
    scenario.set(Field::KvBits, Some(16.0));
    assert_eq!(scenario.precision().kv_bits, 16.0);
    let link = link::encode(&scenario);
    assert_eq!(link::decode(&link).unwrap(), Some(scenario));
    // "auto" is the model's own type, which no metric says.
    assert_eq!(scrape("auto").value(Field::KvBits).unwrap().source, Source::Assumed);
    // Its capacity alone is no measurement of what was served.
    let alone = "vllm:cache_config_info{block_size=\"16\",cache_dtype=\"fp8\",gpu_memory_utilization=\"0.9\",num_gpu_blocks=\"9\"} 1\n";
    assert_eq!(read_dump(&prometheus::read(alone)).outcome, Outcome::NothingUsable);
}

/// DeepSeek-V3's own configuration declares FP8 in blocks of 128×128: 8 + 32/16384 bits, with the head in 16.
#[test]
fn a_configurations_own_quantisation_counts_and_the_link_carries_it() {
    let config = r#"{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "vocab_size": 128256,
        "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
        "quantization_config": {"quant_method": "fp8", "weight_block_size": [128, 128]}}"#;
    let reading = model::read_config(config).unwrap();
    let declared = reading.quantisation.clone().unwrap().precision;
    let mut scenario = Scenario::default();
    scenario.set_model(Some(reading.into()));
    assert_eq!(scenario.precision(), declared);
    let shown = scenario.value(Field::WeightBits).unwrap();
    assert!((shown.value - 8.001_953_125).abs() < 1e-9 && shown.source == Source::Configuration, "{shown:?}");
    let opened = link::decode(&link::encode(&scenario)).unwrap().unwrap();
    assert_eq!(opened, scenario);
    // To type what is shown changes nothing; and a link without the quantisation, as older ones are, opens too.
    let mut typed = scenario.clone();
    typed.set(Field::WeightBits, Some(shown.value));
    let read = |scenario: &Scenario| analyse(scenario).memory.map(|memory| memory.bytes.get());
    for one in [&mut scenario, &mut typed] {
        one.set_gpu(Some(GpuChoice::Known("h100-sxm".to_owned())));
    }
    assert!((read(&scenario).unwrap() / read(&typed).unwrap() - 1.0).abs() < 1e-4);
    let old: Vec<String> =
        link::encode(&scenario).split('&').filter(|part| !part.starts_with("quant=")).map(str::to_owned).collect();
    assert!(link::decode(&old.join("&")).unwrap().is_some());
}

/// Verified drafts go through the model with the token: experts are hit by all of them, and allreduces carry them.
#[test]
fn a_step_that_yields_several_tokens_reads_and_reduces_for_all_of_them() {
    let mut scenario = Scenario::default();
    scenario.set_model(Some(ModelChoice::Preset("mixtral-8x7b".to_owned())));
    scenario.set_gpu(Some(GpuChoice::Known("h100-sxm".to_owned())));
    for (field, value) in [(Field::TensorParallel, 4.0), (Field::Batch, 4.0), (Field::TokensPerStep, 3.0)] {
        scenario.set(field, Some(value));
    }
    let analysis = analyse(&scenario);
    // 4 streams × 3 tokens × 4096 × 2 B
    assert_eq!(analysis.traffic.unwrap().message.get(), 98_304.0);
    let experts =
        |scenario: &Scenario| analyse(scenario).memory.unwrap().read.of(model::Component::RoutedExperts).get();
    let three = experts(&scenario);
    scenario.set(Field::TokensPerStep, Some(1.0));
    // 8 (1 − (1 − 2/8)¹²) = 7.747 experts against 8 (1 − (3/4)⁴) = 5.469
    assert!((three / experts(&scenario) - 7.746_598 / 5.468_75).abs() < 1e-5);
}
