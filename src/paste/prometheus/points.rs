//! One label set of a metric through the lines of a text: its points in time, and whether each histogram
//! among them is whole.

use super::exposition::{Sample, Type};
use super::number::number;
use super::rule::{Format, Rule};

/// The samples of one label set (without `le`) so far.
#[derive(Debug)]
pub(super) struct Points {
    kind: Type,
    /// Whether the samples have timestamps; `None` before the first.
    timed: Option<bool>,
    time: f64,
    /// The histogram at the latest time.
    histogram: Histogram,
}

#[derive(Debug, Default)]
struct Histogram {
    line: usize,
    any: bool,
    bound: Option<f64>,
    held: f64,
    infinity: Option<f64>,
    count: Option<f64>,
    sum: Option<f64>,
    below_zero: bool,
}

impl Points {
    pub fn new(kind: Type, line: usize) -> Self {
        let histogram = Histogram { line, ..Histogram::default() };
        Self { kind, timed: None, time: f64::NEG_INFINITY, histogram }
    }

    pub fn sample(&mut self, sample: &Sample<'_>, suffix: &str, format: Format, find: &mut impl FnMut(Rule)) {
        let time = sample.timestamp().map(|time| time.seconds());
        if self.timed.is_some_and(|timed| timed != time.is_some()) {
            find(Rule::TimestampsMixed);
        }
        self.timed = Some(time.is_some());
        if let Some(time) = time {
            if time < self.time {
                find(Rule::TimestampsFall);
            }
            if time != self.time && format == Format::OpenMetrics {
                self.histogram.close(self.kind, &mut |_, rule| find(rule));
                self.histogram = Histogram { line: sample.line(), ..Histogram::default() };
            }
            self.time = time;
        }
        if matches!(self.kind, Type::Histogram | Type::GaugeHistogram) {
            self.histogram.sample(sample, suffix, find);
        }
    }

    /// What is missing at the end.
    pub fn close(&self, find: &mut impl FnMut(usize, Rule)) {
        self.histogram.close(self.kind, find);
    }
}

impl Histogram {
    fn sample(&mut self, sample: &Sample<'_>, suffix: &str, find: &mut impl FnMut(Rule)) {
        let value = sample.value();
        self.line = sample.line();
        self.any = true;
        match suffix {
            "_count" | "_gcount" => self.count = Some(value),
            "_sum" | "_gsum" => self.sum = Some(value),
            "_bucket" => {
                let Some(bound) = sample.label("le").and_then(|le| number(le.as_bytes())) else { return };
                if self.bound.is_some_and(|below| bound.value <= below) {
                    find(Rule::BucketOrder);
                } else if self.bound.is_some() && value < self.held {
                    find(Rule::BucketsFall);
                }
                self.bound = Some(bound.value);
                self.held = value;
                self.below_zero |= bound.value < 0.0;
                if bound.value == f64::INFINITY {
                    self.infinity = Some(value);
                }
            }
            _ => {}
        }
    }

    fn close(&self, kind: Type, find: &mut impl FnMut(usize, Rule)) {
        if !self.any {
            return;
        }
        let mut find = |rule| find(self.line, rule);
        if self.infinity.is_none() {
            find(Rule::MissingInfinity);
        }
        match (self.count, self.sum) {
            (Some(count), sum) => {
                if self.infinity.is_some_and(|infinity| infinity != count) {
                    find(Rule::CountMismatch);
                }
                // A sum that could fall is left out on purpose where buckets go below zero.
                if sum.is_none() && !(kind == Type::Histogram && self.below_zero) {
                    find(Rule::CountWithoutSum);
                }
            }
            (None, Some(_)) => find(Rule::SumWithoutCount),
            (None, None) => {}
        }
        match kind {
            Type::Histogram if self.below_zero && self.sum.is_some() => find(Rule::SumOfNegative),
            Type::GaugeHistogram if !self.below_zero && self.sum.is_some_and(|sum| sum < 0.0) => {
                find(Rule::NegativeValue);
            }
            _ => {}
        }
    }
}
