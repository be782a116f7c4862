//! The decode step's time and speed, and what the first token weighs in a reply.

use super::Memory;
use crate::metrics::{IMPOSSIBLE, Meaning};
use crate::scenario::{Field, Scenario, Source, Sourced};
use crate::units::{Range, Ratio, Seconds, TokensPerSecond};

/// One decode step: a forward pass that yields a token (or several) to each stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// How long it takes, and how that is known.
    pub time: Sourced<Seconds>,
    /// Tokens it yields to each stream.
    pub tokens: f64,
    /// Tokens per second that one stream gets.
    pub speed: TokensPerSecond,
}

impl Step {
    /// The speed of one stream if a step took so long.
    #[must_use]
    pub fn speed_at(&self, time: Seconds) -> TokensPerSecond {
        TokensPerSecond::new(self.tokens / time.get())
    }
}

/// The step: measured (the mean inter-token latency), else the floor that the model sets.
///
/// # Formula
/// measured: ITL sum / ITL count; speed = tokens per step / step.
/// modelled: bytes per step / bandwidth + allreduces; a floor, since nothing else is counted.
///
/// # Source
/// vLLM observes ITL once per engine output, that is per step.
pub(super) fn step(scenario: &Scenario, memory: Option<&Memory>, allreduce: Option<Range<Seconds>>) -> Option<Step> {
    let tokens = scenario.value(Field::TokensPerStep)?.value;
    let time = match scenario.value(Field::InterTokenLatency) {
        Some(itl) => itl.map(Seconds::from_millis),
        None => {
            let floor = memory?.time + allreduce.map_or(Seconds::ZERO, |range| range.likely);
            Sourced { value: floor, source: Source::Modelled }
        }
    };
    (time.value.get() > 0.0).then(|| Step { time, tokens, speed: TokensPerSecond::new(tokens / time.value.get()) })
}

/// What the first token weighs in a reply of so many tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reply {
    /// Tokens in the reply.
    pub tokens: f64,
    /// Time to the first.
    pub first: Seconds,
    /// Time from the first to the last.
    pub decode: Seconds,
    /// The first token's share of the whole reply.
    pub share_of_reply: Ratio,
    /// The first token's time over the time of all the others.
    pub over_decode: Ratio,
}

/// # Formula
/// decode = (tokens − 1) × ITL / tokens per step; share = TTFT / (TTFT + decode).
///
/// # Example
/// TTFT 52.08 ms, ITL 17.39 ms, 128 tokens: decode 127 × 17.39 ms = 2.209 s; 2.4 % of that, 2.3 % of
/// the whole reply.
pub(super) fn reply(scenario: &Scenario, step: &Step) -> Option<Reply> {
    let tokens = scenario.value(Field::ReplyTokens)?.value;
    let first = scenario.seconds(Field::TimeToFirstToken)?;
    // A reply of one token has no others to weigh the first against.
    let decode = step.time.value * ((tokens - 1.0).max(0.0) / step.tokens);
    (decode > Seconds::ZERO).then_some(Reply {
        tokens,
        first,
        decode,
        share_of_reply: Ratio::new(first / (first + decode)),
        over_decode: Ratio::new(first / decode),
    })
}

/// What the time to first token is worth, beyond its value.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum FirstToken {
    /// Nothing speaks against it.
    #[default]
    Plain,
    /// No forward pass is so fast: it says nothing.
    Impossible(Seconds),
    /// Mostly the queue, which is this share of it.
    Queue(Ratio),
    /// At least as many requests wait as run: it holds a queue that was not timed.
    Waiting {
        /// How many wait.
        waiting: f64,
        /// How many run.
        running: f64,
    },
}

impl FirstToken {
    /// Whether it can be right.
    #[must_use]
    pub fn is_possible(self) -> bool {
        !matches!(self, Self::Impossible(_))
    }

    /// Whether it is a queue's rather than prefill's.
    #[must_use]
    pub fn is_queue(self) -> bool {
        matches!(self, Self::Queue(_) | Self::Waiting { .. })
    }
}

/// From this share of the time to first token on, the queue is most of it.
const MOSTLY: f64 = 0.5;
/// Sums of the two may be of slightly different requests.
const AT_MOST: f64 = 1.05;

/// # Formula
/// share of the queue = mean queue time / mean time to first token, where the server times both; else the requests
/// that wait now against those that run.
///
/// # Limits
/// The latter is a moment's picture beside a mean over the counters' life.
pub(super) fn first_token(scenario: &Scenario) -> FirstToken {
    let measured = scenario.value(Field::TimeToFirstToken).is_some_and(|time| time.source == Source::Measured);
    let Some(set) = scenario.metrics().filter(|_| measured) else { return FirstToken::Plain };
    let Some(first) = set.mean(Meaning::TimeToFirstToken) else { return FirstToken::Plain };
    if first < IMPOSSIBLE {
        return FirstToken::Impossible(first);
    }
    if let Some(queue) = set.mean(Meaning::QueueTime) {
        let share = queue / first;
        let mostly = (MOSTLY..=AT_MOST).contains(&share);
        return if mostly { FirstToken::Queue(Ratio::new(share.min(1.0))) } else { FirstToken::Plain };
    }
    let now = |meaning| set.value(meaning).unwrap_or(0.0);
    let (waiting, running) = (now(Meaning::RequestsWaiting), now(Meaning::RequestsRunning));
    let queues = waiting >= 1.0 && waiting >= running;
    if queues { FirstToken::Waiting { waiting, running } } else { FirstToken::Plain }
}
