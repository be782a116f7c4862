//! Did you mean: unknown names that are close to known ones.

use super::dump::NameCount;
use super::engines::{self, ENGINES, Engine, TELLING};
use crate::pace::Pace;
use crate::paste::{Warning, WarningKind};

/// Names with so many wrong letters are taken for misspelt.
const MOST_LETTERS: usize = 2;
/// Shorter names are close to each other by chance.
const SHORTEST: usize = 8;
/// A dump with more unknown names is not about serving; comparing each with all would take long.
const MOST_NAMES: usize = 3000;
/// How many are told of one by one.
const MOST_TOLD: usize = 5;

/// Finds for each unknown name the known one it is close to, and tells of those.
pub(super) async fn resemble(names: &mut [NameCount], pace: &Pace) -> Vec<Warning> {
    if names.len() > MOST_NAMES {
        return Vec::new();
    }
    let present: Vec<String> = names.iter().map(|name| name.name.clone()).collect();
    let mut warnings = Vec::new();
    let all = present.len();
    let unknown = |name: &NameCount| name.meaning.is_none() && name.name.len() >= SHORTEST;
    for (place, name) in names.iter_mut().enumerate().filter(|(_, name)| unknown(name)) {
        pace.rest_every(16, place, all).await;
        // What is there by its right name too is another metric, not a misspelt one.
        name.resembles = known_name_close_to(&name.name).filter(|known| !present.contains(known));
        if let Some(known) = name.resembles.as_ref().filter(|_| warnings.len() < MOST_TOLD) {
            let message = format!("{} is unknown and was not used; {known} may be meant", name.name);
            warnings.push(Warning::whole(WarningKind::Missing, message));
        }
    }
    warnings
}

/// The known name that a name is close to, with a prefix.
fn known_name_close_to(name: &str) -> Option<String> {
    if let Some(engine) = engines::with_prefix_of(name) {
        let bare = engine.bare(name)?;
        if engine.unused.contains(&bare) {
            return None;
        }
        let prefix = name.strip_suffix(bare)?;
        return closest(bare, engine).map(|known| format!("{prefix}{known}"));
    }
    // A known name under an unknown prefix, itself perhaps misspelt.
    let misspelt = |engine: &&Engine| {
        engine.prefixes.iter().filter(|prefix| !prefix.is_empty()).find_map(|prefix| {
            let separator = prefix.chars().last()?;
            let (own, bare) = name.split_once(separator)?;
            let near = strsim::levenshtein(own, prefix.trim_end_matches(separator)) <= MOST_LETTERS;
            let known = near && engine.names.iter().any(|known| known.metric == bare);
            known.then(|| format!("{prefix}{bare}"))
        })
    };
    ENGINES.iter().copied().find_map(|engine| misspelt(&engine)).or_else(|| {
        let telling = TELLING.iter().find(|telling| name.ends_with(*telling) && name.len() > telling.len())?;
        Some(format!("vllm:{telling}"))
    })
}

fn closest(bare: &str, engine: &Engine) -> Option<&'static str> {
    let near = engine.names.iter().filter(|name| name.metric.len().abs_diff(bare.len()) <= MOST_LETTERS);
    let distances = near.map(|name| (strsim::levenshtein(bare, name.metric), name.metric));
    distances.filter(|(distance, _)| *distance <= MOST_LETTERS).min().map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_a_letter_or_two_off() {
        for (name, known) in [
            ("vllm:time_to_first_token_second", Some("vllm:time_to_first_token_seconds")),
            ("vllm:inter_tokn_latency_seconds", Some("vllm:inter_token_latency_seconds")),
            ("vlm:time_to_first_token_seconds", Some("vllm:time_to_first_token_seconds")),
            ("gateway_time_to_first_token_seconds", Some("vllm:time_to_first_token_seconds")),
            // vLLM's own, of another thing
            ("vllm:cpu_cache_usage_perc", None),
            ("vllm:request_inference_time_seconds", None),
            ("process_open_fds", None),
            ("http_request_duration_seconds", None),
        ] {
            assert_eq!(known_name_close_to(name).as_deref(), known, "{name}");
        }
    }
}
