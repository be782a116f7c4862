//! Numbers and histograms in JSON: whole ones short, infinite ones as Prometheus writes them.

use super::{Bucket, Histogram};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest magnitude below which every whole `f64` is exact, 2⁵³.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Writes `1623` rather than `1623.0`, and `"+Inf"` and `"-Inf"`, for which JSON has no number.
pub(super) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    match *value {
        f64::INFINITY => serializer.serialize_str("+Inf"),
        f64::NEG_INFINITY => serializer.serialize_str("-Inf"),
        value if value.fract() == 0.0 && value.abs() < EXACT => serializer.serialize_i64(value as i64),
        value => serializer.serialize_f64(value),
    }
}

/// Reads what [`serialize`] writes; NaN is refused.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Number(f64),
        Text(String),
    }
    let value = match Written::deserialize(deserializer)? {
        Written::Number(value) => Some(value),
        Written::Text(text) => text.parse().ok(),
    };
    value.filter(|value| !value.is_nan()).ok_or_else(|| serde::de::Error::custom("not a number"))
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Number(#[serde(with = "self")] f64);

/// How a [`Histogram`] looks in JSON.
#[derive(Serialize, Deserialize)]
pub(super) struct Shape {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    buckets: Vec<(Number, Number)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sum: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    count: Option<Number>,
}

impl From<Histogram> for Shape {
    fn from(histogram: Histogram) -> Self {
        Self {
            buckets: histogram.buckets.iter().map(|bucket| (Number(bucket.le), Number(bucket.count))).collect(),
            sum: histogram.sum.map(Number),
            count: histogram.count.map(Number),
        }
    }
}

impl TryFrom<Shape> for Histogram {
    type Error = &'static str;

    fn try_from(shape: Shape) -> Result<Self, Self::Error> {
        let counts = shape.buckets.iter().map(|&(_, count)| count).chain(shape.count);
        if !counts.into_iter().all(|Number(count)| count.is_finite() && count >= 0.0) {
            return Err("a histogram's counts must be finite and not negative");
        }
        if !shape.buckets.is_sorted_by(|(before, _), (after, _)| before.0 < after.0) {
            return Err("a histogram's bounds must ascend");
        }
        if shape.sum.is_some_and(|Number(sum)| !sum.is_finite()) {
            return Err("a histogram's sum must be finite");
        }
        Ok(Self {
            buckets: shape.buckets.iter().map(|&(le, count)| Bucket { le: le.0, count: count.0 }).collect(),
            sum: shape.sum.map(|sum| sum.0),
            count: shape.count.map(|count| count.0),
        })
    }
}
