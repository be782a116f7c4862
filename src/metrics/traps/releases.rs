//! Bugs and renames of particular releases.

use super::Scene;
use crate::metrics::meaning::Meaning;
use crate::units::Seconds;
use crate::units::format::{count, show};

/// No forward pass of a language model behind a server is faster.
pub const IMPOSSIBLE: Seconds = Seconds::new(1e-4);

/// vLLM 0.5.1 to 0.5.3 observed nearly nothing but zeros.
pub fn times_near_zero(scene: &Scene<'_>) -> Option<String> {
    if !scene.is_of("vLLM") {
        return None;
    }
    let times = [Meaning::TimeToFirstToken, Meaning::InterTokenLatency];
    let (meaning, mean) = times.iter().find_map(|meaning| {
        let mean = scene.all.mean(*meaning).filter(|mean| *mean < IMPOSSIBLE)?;
        scene.observed(*meaning).filter(|total| *total >= 10.0).map(|_| (*meaning, mean))
    })?;
    Some(format!(
        "a mean {} of {} over {} observations cannot be: vLLM 0.5.1 to 0.5.3 observe times near zero, so their \
         latencies say nothing",
        meaning.title(),
        show(mean),
        count(scene.observed(meaning)?)
    ))
}

/// vLLM 0.6.4 put each into the other.
pub fn prefill_and_decode_swapped(scene: &Scene<'_>) -> Option<String> {
    if !scene.is_of("vLLM") {
        return None;
    }
    let (prefill, decode) = (scene.sum(Meaning::PrefillTime)?, scene.sum(Meaning::DecodeTime)?);
    let tokens = scene.sum(Meaning::InterTokenLatency).filter(|sum| *sum > 0.0)?;
    let near = |sum: f64| (sum - tokens).abs() <= 0.1 * tokens;
    (near(prefill) && !near(decode) && prefill > 3.0 * decode).then(|| {
        let [prefill, decode, tokens] = [prefill, decode, tokens].map(|sum| show(Seconds::new(sum)));
        format!(
            "prefill and decode time look swapped, as vLLM 0.6.4 does: all inter-token latencies add up to {tokens}, \
             and so does the prefill time, {prefill}, rather than the decode time, {decode}"
        )
    })
}

/// The same observations under their old and their new name.
pub fn old_and_new_name(scene: &Scene<'_>) -> Option<String> {
    let both = scene.is_of("vLLM")
        && scene.has("inter_token_latency_seconds")
        && scene.names.iter().any(|name| is_per_output(&name.name));
    both.then(|| {
        "time_per_output_token_seconds and inter_token_latency_seconds hold the same observations under an old and a \
         new name: they are not added up"
            .to_owned()
    })
}

fn is_per_output(name: &str) -> bool {
    name.ends_with("time_per_output_token_seconds") && !name.ends_with("request_time_per_output_token_seconds")
}

/// Counted in blocks until May 2025.
pub fn prefix_counters_in_blocks(scene: &Scene<'_>) -> Option<String> {
    let queries = scene.all.value(Meaning::PrefixCacheQueries).filter(|queries| *queries > 0.0)?;
    let metric = scene.names.iter().find(|name| name.meaning == Some(Meaning::PrefixCacheQueries))?;
    let text = scene.exposition?;
    let family = text.family_of(&metric.name).or_else(|| text.family_of(&format!("{}_total", metric.name)))?;
    family.help.as_ref().filter(|help| help.to_lowercase().contains("block"))?;
    Some(format!(
        "{} counts blocks, not tokens: {} blocks were looked up; the hit rate is a share of blocks",
        metric.name,
        count(queries)
    ))
}
