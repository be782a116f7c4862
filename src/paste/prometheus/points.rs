//! One label set of a metric through the lines of a text: its points in time, and whether each histogram
//! and counter among them is whole.

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
    /// The histogram or counter at the latest time.
    point: Point,
}

#[derive(Debug, Default)]
struct Point {
    line: usize,
    any: bool,
    bound: Option<f64>,
    /// The latest `le` as written.
    spelled: String,
    held: f64,
    infinity: Option<f64>,
    count: Option<f64>,
    sum: Option<f64>,
    below_zero: bool,
    /// Of a counter, its value was there.
    total: bool,
}

impl Points {
    pub fn new(kind: Type, line: usize) -> Self {
        let point = Point { line, ..Point::default() };
        Self { kind, timed: None, time: f64::NEG_INFINITY, point }
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
                self.point.close(self.kind, &mut |_, rule| find(rule));
                self.point = Point { line: sample.line(), ..Point::default() };
            }
            self.time = time;
        }
        match self.kind {
            Type::Histogram | Type::GaugeHistogram => self.point.sample(sample, suffix, find),
            Type::Counter if format == Format::OpenMetrics => self.point.counter(sample, suffix),
            _ => {}
        }
    }

    /// What is missing at the end.
    pub fn close(&self, find: &mut impl FnMut(usize, Rule)) {
        self.point.close(self.kind, find);
    }
}

impl Point {
    fn sample(&mut self, sample: &Sample<'_>, suffix: &str, find: &mut impl FnMut(Rule)) {
        let value = sample.value();
        self.line = sample.line();
        self.any = true;
        match suffix {
            "_count" | "_gcount" => self.count = Some(value),
            "_sum" | "_gsum" => self.sum = Some(value),
            "_bucket" => {
                let Some(bound) = sample.label("le").and_then(|le| number(le.as_bytes())) else { return };
                let text = sample.label("le").unwrap_or_default();
                if self.bound == Some(bound.value) {
                    // Spelled the same it is the same series again, which is told of any.
                    if self.spelled != text {
                        find(Rule::RepeatedBound);
                    }
                } else if self.bound.is_some_and(|below| bound.value < below) {
                    find(Rule::BucketOrder);
                } else if self.bound.is_some() && value < self.held {
                    find(Rule::BucketsFall);
                }
                self.bound = Some(bound.value);
                self.spelled.clear();
                self.spelled.push_str(text);
                self.held = value;
                self.below_zero |= bound.value < 0.0;
                if bound.value == f64::INFINITY {
                    self.infinity = Some(value);
                }
            }
            _ => {}
        }
    }

    fn counter(&mut self, sample: &Sample<'_>, suffix: &str) {
        self.line = sample.line();
        self.any = true;
        self.total |= suffix == "_total";
    }

    fn close(&self, kind: Type, find: &mut impl FnMut(usize, Rule)) {
        if !self.any {
            return;
        }
        let mut find = |rule| find(self.line, rule);
        if kind == Type::Counter {
            if !self.total {
                find(Rule::MissingTotal);
            }
            return;
        }
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
