//! An engine step and a token are not the same.

use super::Scene;
use crate::metrics::meaning::Meaning;
use crate::units::Seconds;
use crate::units::format::{count, show, significant};

/// What differs less is rounding, or requests between two counters.
const SLACK: f64 = 0.02;

/// Speculative decoding, several scheduler steps at once, or a diffusion model: one latency covers several tokens.
pub fn several_tokens_per_step(scene: &Scene<'_>) -> Option<String> {
    if scene.all.per_token {
        return None;
    }
    let latency = scene.all.mean(Meaning::InterTokenLatency)?;
    let per_step = scene.all.tokens_per_step().filter(|tokens| *tokens > 1.0 + SLACK);
    let accepted = scene.all.accepted_length().filter(|length| *length > 1.0 + SLACK);
    let (tokens, how) = match (per_step, accepted) {
        (Some(tokens), _) => {
            let decoded = scene.all.value(Meaning::GenerationTokens)? - scene.observed(Meaning::TimeToFirstToken)?;
            let steps = scene.observed(Meaning::InterTokenLatency)?;
            (tokens, format!("{} tokens after the first in {} outputs", count(decoded), count(steps)))
        }
        (None, Some(tokens)) => (tokens, "the accepted draft tokens and one more".to_owned()),
        (None, None) => return None,
    };
    Some(format!(
        "a step yields {} tokens on average ({how}) and its latency is observed once: {} is the time per step, {} per \
         token",
        significant(tokens, 3),
        show(latency),
        show(Seconds::new(latency.get() / tokens))
    ))
}

/// A server that observes the latency per token, while a step yields several.
pub fn time_per_token(scene: &Scene<'_>) -> Option<String> {
    if !scene.all.per_token {
        return None;
    }
    let tokens = scene.all.accepted_length().filter(|length| *length > 1.0 + SLACK)?;
    let (token, step) = (scene.all.mean(Meaning::InterTokenLatency)?, scene.all.step_time()?);
    Some(format!(
        "{} observes its latency per token, {}, while a step yields {} tokens: a step takes {}",
        scene.all.product,
        show(token),
        significant(tokens, 3),
        show(step)
    ))
}

/// More latencies than tokens they could lie between.
pub fn more_outputs_than_tokens(scene: &Scene<'_>) -> Option<String> {
    // Where tokens are counted only at a request's end, those of running ones are missing, and rightly so.
    if scene.all.per_token {
        return None;
    }
    let steps = scene.observed(Meaning::InterTokenLatency)?;
    let first = scene.observed(Meaning::TimeToFirstToken)?;
    let tokens = scene.all.value(Meaning::GenerationTokens)?;
    (tokens > 0.0 && steps + first > tokens * (1.0 + SLACK)).then(|| {
        format!(
            "{} inter-token latencies and {} first tokens were observed but only {} tokens generated: the counters are \
             of different age, or the server counts outputs without tokens",
            count(steps),
            count(first),
            count(tokens)
        )
    })
}
