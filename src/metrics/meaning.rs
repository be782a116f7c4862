//! The quantities the engine knows, whatever a server calls them.

use serde::{Deserialize, Serialize};

/// What a metric tells. Times are in seconds and sizes in tokens or bytes once read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Meaning {
    /// Time between two outputs of a request (ITL): one observation per engine step, not per token.
    InterTokenLatency,
    /// Arrival to first output (TTFT), the queue included.
    TimeToFirstToken,
    /// Mean time per output token of each finished request (TPOT).
    TimePerOutputToken,
    /// Arrival to finish of each finished request.
    EndToEndLatency,
    /// Arrival at the scheduler to first being scheduled.
    QueueTime,
    /// First scheduled to first token.
    PrefillTime,
    /// First to last token.
    DecodeTime,
    /// Tokens an engine step works on.
    IterationTokens,
    /// Prompt lengths of finished requests.
    RequestPromptTokens,
    /// Reply lengths of finished requests.
    RequestGenerationTokens,
    /// Requests finished, for whatever reason.
    RequestsFinished,
    /// Those of the finished requests that were aborted.
    RequestsAborted,
    /// Prompt tokens since start.
    PromptTokens,
    /// Generated tokens since start.
    GenerationTokens,
    /// Requests preempted since start.
    Preemptions,
    /// Prefix cache look-ups since start, in tokens (older servers: blocks).
    PrefixCacheQueries,
    /// Prefix cache hits since start, in the same unit as the look-ups.
    PrefixCacheHits,
    /// The share of prompt tokens found in the prefix cache, 0 to 1, as the server itself averages it.
    PrefixCacheHitRate,
    /// Speculative decoding: rounds of drafting.
    SpeculativeDrafts,
    /// Speculative decoding: tokens drafted.
    SpeculativeDraftTokens,
    /// Speculative decoding: drafted tokens accepted.
    SpeculativeAcceptedTokens,
    /// Speculative decoding: tokens a step yields on average now, the sampled one included, as the server averages it.
    AcceptedLength,
    /// The server's own estimate of FLOPs done per GPU.
    EstimatedFlops,
    /// The server's own estimate of bytes read per GPU.
    EstimatedReadBytes,
    /// The server's own estimate of bytes written per GPU.
    EstimatedWriteBytes,
    /// Requests being worked on now.
    RequestsRunning,
    /// Requests waiting now.
    RequestsWaiting,
    /// Share of the KV cache in use now, 0 to 1.
    KvCacheUsage,
    /// How many tokens the KV cache holds.
    KvCacheCapacity,
    /// Bits that an element of the KV cache takes, where the server says.
    KvCacheBits,
    /// The share of a GPU's memory that the server may take, 0 to 1.
    MemoryShare,
    /// Decode speed as the server itself averages it, in tokens per second.
    GenerationThroughput,
}

/// The shape a metric of some meaning has in a dump.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Cumulative buckets, a sum and a count.
    Histogram,
    /// A total since start that only grows.
    Counter,
    /// A value now.
    Gauge,
}

/// How the values of several engines become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merge {
    /// They add up.
    Sum,
    /// Their mean stands for all.
    Mean,
}

impl Meaning {
    /// The meanings whose observations are times.
    pub const TIMES: &'static [Meaning] = &[
        Self::InterTokenLatency,
        Self::TimeToFirstToken,
        Self::TimePerOutputToken,
        Self::EndToEndLatency,
        Self::QueueTime,
        Self::PrefillTime,
        Self::DecodeTime,
    ];

    /// The shape this meaning has.
    #[must_use]
    pub fn shape(self) -> Shape {
        use Meaning::*;
        match self {
            InterTokenLatency
            | TimeToFirstToken
            | TimePerOutputToken
            | EndToEndLatency
            | QueueTime
            | PrefillTime
            | DecodeTime
            | IterationTokens
            | RequestPromptTokens
            | RequestGenerationTokens => Shape::Histogram,
            RequestsRunning | RequestsWaiting | KvCacheUsage | KvCacheCapacity | KvCacheBits | MemoryShare
            | GenerationThroughput | PrefixCacheHitRate | AcceptedLength => Shape::Gauge,
            _ => Shape::Counter,
        }
    }

    /// How several engines' values become one: a share or mean is averaged, all else adds up.
    #[must_use]
    pub fn merge(self) -> Merge {
        match self {
            Self::KvCacheUsage
            | Self::KvCacheBits
            | Self::MemoryShare
            | Self::PrefixCacheHitRate
            | Self::AcceptedLength => Merge::Mean,
            _ => Merge::Sum,
        }
    }

    /// Whether it says how the server was set up, and nothing of what it served.
    #[must_use]
    pub fn is_configuration(self) -> bool {
        matches!(self, Self::KvCacheCapacity | Self::KvCacheBits | Self::MemoryShare)
    }

    /// Whether its observations are times.
    #[must_use]
    pub fn is_time(self) -> bool {
        Self::TIMES.contains(&self)
    }

    /// What a person calls it.
    #[must_use]
    pub fn title(self) -> &'static str {
        use Meaning::*;
        match self {
            InterTokenLatency => "inter-token latency",
            TimeToFirstToken => "time to first token",
            TimePerOutputToken => "time per output token",
            EndToEndLatency => "end-to-end latency",
            QueueTime => "queue time",
            PrefillTime => "prefill time",
            DecodeTime => "decode time",
            IterationTokens => "tokens per engine step",
            RequestPromptTokens => "prompt length",
            RequestGenerationTokens => "reply length",
            RequestsFinished => "requests finished",
            RequestsAborted => "requests aborted",
            PromptTokens => "prompt tokens",
            GenerationTokens => "generated tokens",
            Preemptions => "preemptions",
            PrefixCacheQueries => "prefix cache look-ups",
            PrefixCacheHits => "prefix cache hits",
            PrefixCacheHitRate => "prefix cache hit rate",
            SpeculativeDrafts => "draft rounds",
            SpeculativeDraftTokens => "drafted tokens",
            SpeculativeAcceptedTokens => "accepted draft tokens",
            AcceptedLength => "tokens accepted per step",
            EstimatedFlops => "estimated FLOPs per GPU",
            EstimatedReadBytes => "estimated bytes read per GPU",
            EstimatedWriteBytes => "estimated bytes written per GPU",
            RequestsRunning => "requests running",
            RequestsWaiting => "requests waiting",
            KvCacheUsage => "KV cache in use",
            KvCacheCapacity => "KV cache capacity",
            KvCacheBits => "bits per KV cache element",
            MemoryShare => "share of the memory it may take",
            GenerationThroughput => "generation throughput",
        }
    }
}
