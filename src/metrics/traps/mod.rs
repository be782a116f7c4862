//! Facts about what the numbers mean that are easily misread: one small function per trap, told only where the dump
//! shows its signature, and with the numbers that show it.
//!
//! | file | trap |
//! |---|---|
//! | `buckets` | buckets too coarse, a floor under the lowest bound, observations above the last |
//! | `steps` | a step that yields several tokens; more outputs than tokens |
//! | `first_token` | a time to first token that is mostly queue; prefill and decode elsewhere |
//! | `requests` | requests that never finish, sequences counted as requests |
//! | `releases` | bugs and renames of particular releases |
//! | `processes` | several processes or engines behind one text |
//! | `cache` | a prefix cache that never hits |
//! | `idle` | counters since start on a server that does nothing now |
//! | `elsewhere` | a router's metrics, or a server told not to tell |

mod buckets;
mod cache;
mod elsewhere;
mod first_token;
mod idle;
mod processes;
mod releases;
mod requests;
mod steps;

pub use releases::IMPOSSIBLE;

use super::dump::NameCount;
use super::meaning::Meaning;
use super::series::SeriesMap;
use super::serving::{ServingMetrics, is_whole};
use crate::pace::Pace;
use crate::paste::prometheus::Exposition;
use crate::paste::{Warning, WarningKind};

/// What a trap looks at.
pub(super) struct Scene<'a> {
    /// All sets as one.
    pub all: ServingMetrics,
    pub sets: &'a [ServingMetrics],
    pub names: &'a [NameCount],
    pub series: &'a SeriesMap,
    /// The text, where one dump is looked at rather than the time between two.
    pub exposition: Option<&'a Exposition<'a>>,
}

type Trap = fn(&Scene<'_>) -> Option<String>;

const TRAPS: &[Trap] = &[
    releases::times_near_zero,
    releases::prefill_and_decode_swapped,
    releases::old_and_new_name,
    releases::prefix_counters_in_blocks,
    buckets::coarse_inter_token_latency,
    buckets::coarse_time_to_first_token,
    buckets::coarse_queue_time,
    buckets::inter_token_latency_above_the_last_bound,
    buckets::time_to_first_token_above_the_last_bound,
    buckets::end_to_end_latency_above_the_last_bound,
    steps::several_tokens_per_step,
    steps::time_per_token,
    steps::more_outputs_than_tokens,
    first_token::queue_within,
    first_token::prefill_elsewhere,
    first_token::prefill_within_token_time,
    requests::unfinished,
    requests::more_finished_than_started,
    processes::one_share_per_process,
    processes::share_above_one,
    processes::engine_missing,
    processes::ensemble,
    cache::no_prefix_hits,
    idle::nothing_runs,
    elsewhere::router,
    elsewhere::statistics_off,
];

/// Those that also show in the time between two scrapes.
const TRAPS_BETWEEN: &[Trap] = &[
    buckets::coarse_inter_token_latency,
    buckets::coarse_time_to_first_token,
    buckets::inter_token_latency_above_the_last_bound,
    buckets::time_to_first_token_above_the_last_bound,
    steps::several_tokens_per_step,
    steps::time_per_token,
    first_token::queue_within,
];

/// Every trap this dump shows.
pub(super) async fn traps(scene: &Scene<'_>, pace: &Pace) -> Vec<Warning> {
    tell(TRAPS, scene, pace).await
}

/// Every trap the time between two scrapes shows.
pub(super) async fn traps_between(scene: &Scene<'_>, pace: &Pace) -> Vec<Warning> {
    tell(TRAPS_BETWEEN, scene, pace).await
}

async fn tell(traps: &[Trap], scene: &Scene<'_>, pace: &Pace) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (place, trap) in traps.iter().enumerate() {
        pace.rest_every(1, place, traps.len()).await;
        warnings.extend(trap(scene).map(|message| Warning::whole(WarningKind::Trap, message)));
    }
    warnings
}

impl Scene<'_> {
    /// Whether the dump has a metric whose name, without any prefix, is this.
    fn has(&self, bare: &str) -> bool {
        let prefix = |name: &NameCount| {
            name.name.strip_suffix(bare).map(|prefix| prefix.is_empty() || prefix.ends_with([':', '_']))
        };
        self.names.iter().any(|name| prefix(name) == Some(true))
    }

    /// How many observations a distribution has, where that is known and not nothing.
    fn observed(&self, meaning: Meaning) -> Option<f64> {
        let histogram = self.all.histogram(meaning).filter(|histogram| is_whole(histogram))?;
        Some(histogram.total()).filter(|total| *total > 0.0)
    }

    fn sum(&self, meaning: Meaning) -> Option<f64> {
        self.all.histogram(meaning)?.sum
    }

    fn is_of(&self, product: &str) -> bool {
        self.all.product.split(" and ").any(|part| part == product)
    }
}
