//! Composite values: a whole histogram or summary as the value of one sample.
//!
//! OpenMetrics 2.0 writes `{count:17,sum:3.2,bucket:[0.1:8,1.0:10,+Inf:17]}`; a native histogram has its schema,
//! spans and absolute bucket counts instead of `bucket`, or beside it. An older experimental form, which only
//! client_python has, writes the counts as differences from the bucket before, under `positive_deltas` and
//! `negative_deltas`; they are summed up here.
//!
//! # Source
//! prometheus/docs, `docs/specs/om/open_metrics_spec_2_0.md`, "CompositeValue"; prometheus/client_python,
//! `openmetrics/parser.py` for the older form.

use super::number::number;
use memchr::memchr;
use std::fmt;

/// A histogram or summary written as one value. What is not written is `None` or empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Composite {
    /// The number of observations.
    pub count: Option<f64>,
    /// Their sum.
    pub sum: Option<f64>,
    /// Classic buckets: each upper bound with the number of observations up to it.
    pub buckets: Vec<(f64, f64)>,
    /// A summary's quantiles with their values.
    pub quantiles: Vec<(f64, f64)>,
    /// The sparse buckets of a native histogram.
    pub native: Option<NativeParts>,
}

/// A native histogram's parts as written in a scrape.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NativeParts {
    /// The schema: −4 to 8, or −53 for custom bounds.
    pub schema: i32,
    /// Half the zero bucket's width.
    pub zero_threshold: f64,
    /// What the zero bucket holds.
    pub zero_count: f64,
    /// The positive buckets; with custom bounds, all buckets.
    pub positive: Runs,
    /// The negative buckets.
    pub negative: Runs,
    /// The custom bounds, ascending and finite.
    pub custom_bounds: Vec<f64>,
    /// The sum of all observations; NaN if one of them was.
    pub sum: Option<f64>,
    /// The number of observations, those that are NaN included.
    pub count: f64,
}

/// One side's buckets as written: runs of consecutive indices, and the counts of all of them in a row.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Runs {
    /// Each run as `(gap, length)`: the first gap is the index of the first bucket, later ones the indices skipped.
    pub spans: Vec<(i32, u32)>,
    /// The absolute counts, one per index of the runs.
    pub counts: Vec<f64>,
}

/// Whether a composite value begins here, rather than labels: a bare word and a colon, or nothing, in the braces.
pub(super) fn starts(text: &[u8]) -> bool {
    let Some(inside) = text.strip_prefix(b"{") else { return false };
    let word = inside.iter().position(|byte| !byte.is_ascii_lowercase() && *byte != b'_').unwrap_or(inside.len());
    word > 0 && inside.get(word) == Some(&b':')
}

/// Reads the composite value that `text` begins with, and says how long it is.
pub(super) fn read(text: &[u8]) -> Option<(Composite, usize)> {
    let length = memchr(b'}', text)? + 1;
    let mut rest = text.get(1..length - 1)?;
    let mut fields = Fields::default();
    while !rest.is_empty() {
        let colon = memchr(b':', rest)?;
        let (key, value) = (rest.get(..colon)?, rest.get(colon + 1..)?);
        let end = match value.first() {
            Some(b'[') => memchr(b']', value)? + 1,
            _ => memchr(b',', value).unwrap_or(value.len()),
        };
        fields.put(key, value.get(..end)?)?;
        rest = match value.get(end..)? {
            [] => &[],
            [b',', rest @ ..] if !rest.is_empty() => rest,
            _ => return None,
        };
    }
    fields.finish().map(|composite| (composite, length))
}

#[derive(Default)]
struct Fields {
    composite: Composite,
    schema: Option<f64>,
    native: NativeParts,
    /// The keys that were there.
    seen: Vec<Vec<u8>>,
}

impl Fields {
    /// Takes one field; `None` where it is unknown, there already, or has no value that can be read.
    fn put(&mut self, key: &[u8], value: &[u8]) -> Option<()> {
        if self.seen.iter().any(|seen| seen == key) {
            return None;
        }
        self.seen.push(key.to_vec());
        let (composite, native) = (&mut self.composite, &mut self.native);
        match key {
            b"count" | b"gcount" => composite.count = Some(single(value)?),
            b"sum" | b"gsum" => composite.sum = Some(single(value)?),
            b"bucket" => composite.buckets = list(value, pair)?,
            b"quantile" => composite.quantiles = list(value, pair)?,
            b"schema" => self.schema = Some(single(value)?),
            b"zero_threshold" => native.zero_threshold = single(value)?,
            b"zero_count" => native.zero_count = single(value)?,
            b"positive_spans" => native.positive.spans = list(value, span)?,
            b"negative_spans" => native.negative.spans = list(value, span)?,
            b"positive_buckets" => native.positive.counts = list(value, single)?,
            b"negative_buckets" => native.negative.counts = list(value, single)?,
            b"positive_deltas" => native.positive.counts = summed(list(value, single)?),
            b"negative_deltas" => native.negative.counts = summed(list(value, single)?),
            b"custom_values" => native.custom_bounds = list(value, single)?,
            _ => return None,
        }
        Some(())
    }

    fn finish(mut self) -> Option<Composite> {
        if let Some(schema) = self.schema {
            self.native.schema = whole(schema)?;
            self.native.count = self.composite.count?;
            self.native.sum = self.composite.sum;
            self.composite.native = Some(self.native);
        } else if self.native != NativeParts::default() {
            return None;
        }
        Some(self.composite)
    }
}

fn single(text: &[u8]) -> Option<f64> {
    number(text).map(|number| number.value)
}

fn pair(text: &[u8]) -> Option<(f64, f64)> {
    let colon = memchr(b':', text)?;
    Some((single(text.get(..colon)?)?, single(text.get(colon + 1..)?)?))
}

fn span(text: &[u8]) -> Option<(i32, u32)> {
    let (gap, length) = pair(text)?;
    Some((whole(gap)?, u32::try_from(whole(length)?).ok()?))
}

fn list<T>(text: &[u8], item: impl Fn(&[u8]) -> Option<T>) -> Option<Vec<T>> {
    let inside = text.strip_prefix(b"[")?.strip_suffix(b"]")?;
    if inside.is_empty() {
        return Some(Vec::new());
    }
    inside.split(|byte| *byte == b',').map(item).collect()
}

fn summed(differences: Vec<f64>) -> Vec<f64> {
    let running = |sum: &mut f64, difference| {
        *sum += difference;
        Some(*sum)
    };
    differences.into_iter().scan(0.0, running).collect()
}

fn whole(value: f64) -> Option<i32> {
    (value.fract() == 0.0 && value.abs() <= f64::from(i32::MAX)).then_some(value as i32)
}

/// As OpenMetrics 2.0 writes it.
impl fmt::Display for Composite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pairs =
            |pairs: &[(f64, f64)]| joined(pairs.iter().map(|(a, b)| format!("{}:{}", spelled(*a), spelled(*b))));
        let mut fields = Vec::new();
        fields.extend(self.count.map(|count| format!("count:{}", spelled(count))));
        fields.extend(self.sum.map(|sum| format!("sum:{}", spelled(sum))));
        if let Some(native) = &self.native {
            let NativeParts { schema, zero_threshold, zero_count, custom_bounds, .. } = native;
            fields.push(format!("schema:{schema}"));
            fields.push(format!("zero_threshold:{},zero_count:{}", spelled(*zero_threshold), spelled(*zero_count)));
            for (side, Runs { spans, counts }) in [("negative", &native.negative), ("positive", &native.positive)] {
                if !spans.is_empty() || !counts.is_empty() {
                    let spans = joined(spans.iter().map(|(gap, length)| format!("{gap}:{length}")));
                    let counts = joined(counts.iter().map(|count| spelled(*count)));
                    fields.push(format!("{side}_spans:{spans},{side}_buckets:{counts}"));
                }
            }
            if !custom_bounds.is_empty() {
                fields.push(format!("custom_values:{}", joined(custom_bounds.iter().map(|bound| spelled(*bound)))));
            }
        }
        if !self.buckets.is_empty() {
            fields.push(format!("bucket:{}", pairs(&self.buckets)));
        }
        if !self.quantiles.is_empty() {
            fields.push(format!("quantile:{}", pairs(&self.quantiles)));
        }
        write!(f, "{{{}}}", fields.join(","))
    }
}

fn joined(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// A number as the text formats spell it.
fn spelled(value: f64) -> String {
    match value {
        f64::INFINITY => "+Inf".to_owned(),
        f64::NEG_INFINITY => "-Inf".to_owned(),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn whole_text(text: &str) -> Option<Composite> {
        read(text.as_bytes()).filter(|(_, length)| *length == text.len()).map(|(composite, _)| composite)
    }

    #[test]
    fn what_is_written_reads_back() {
        for text in [
            "{count:17,sum:324789.3,bucket:[0.0001:5,0.1:8,1:10,+Inf:17]}",
            "{count:0,sum:0,quantile:[0.95:123.7,0.99:150]}",
            "{count:59,sum:120,schema:7,zero_threshold:0.0001,zero_count:0,negative_spans:[1:2],negative_buckets:[5,7],\
             positive_spans:[-1:2,3:4],positive_buckets:[5,7,10,9,8,8]}",
            "{count:2,sum:NaN,schema:-53,zero_threshold:0,zero_count:0,positive_spans:[0:2],positive_buckets:[1,1],\
             custom_values:[0.5]}",
        ] {
            let composite = whole_text(text).unwrap();
            assert_eq!(composite.to_string(), text);
        }
    }

    /// From client_python's own suite: deltas 2, 1, −3, 3 are counts 2, 3, 0, 3.
    #[test]
    fn differences_are_summed() {
        let text = "{count:24,sum:100,schema:0,zero_threshold:0.001,zero_count:4,positive_spans:[0:2,1:2],\
                    positive_deltas:[2,1,-3,3]}";
        let native = whole_text(text).unwrap().native.unwrap();
        assert_eq!(native.positive, Runs { spans: vec![(0, 2), (1, 2)], counts: vec![2.0, 3.0, 0.0, 3.0] });
        assert_eq!((native.count, native.sum, native.zero_count), (24.0, Some(100.0), 4.0));
    }

    #[test]
    fn what_cannot_be_read_whole_is_not_read() {
        for text in [
            "{count:17", // cut
            "{count:}",
            "{count:1,count:2}",
            "{count:1,}",
            "{count:1 ,sum:2}",
            "{count:1,colour:2}",
            "{count:1,bucket:[0.1]}",
            "{count:1,bucket:[0.1:1,]}",
            "{count:1,bucket:0.1:1}",
            "{sum:1,schema:0,zero_threshold:0,zero_count:0}", // a native histogram has a count
            "{count:1,sum:1,positive_spans:[0:1],positive_buckets:[1]}", // and a schema
            "{count:1,sum:1,schema:0.5}",
            "{count:1,sum:1,schema:0,positive_spans:[0:-1],positive_buckets:[]}",
        ] {
            assert_eq!(whole_text(text), None, "{text}");
        }
    }

    #[test]
    fn labels_are_no_composite() {
        for text in ["{}", "{a=\"b\"}", "{\"count\":1}", "{:1}", "count:1", ""] {
            assert!(!starts(text.as_bytes()), "{text}");
        }
        assert!(starts(b"{count:1}"));
    }
}
