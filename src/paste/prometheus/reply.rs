//! A Prometheus server's reply to a query, in JSON: the samples in it as lines of text, one after another, so that a
//! long reply never stands in memory as a whole beside its text.

use super::composite::Composite;
use super::number::number;
use crate::pace::{Pace, Work};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Deserializer, Value};

/// JSON of more bytes is looked at only as far as it is a reply: it takes long to find out that it is something else.
const LONGEST_OTHER: usize = 4 << 20;
/// So many points are read between two rests.
const STRIDE: usize = 1024;

/// What a text in JSON holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    /// Samples as OpenMetrics lines, and how many results had no metric name.
    Samples { lines: Vec<String>, nameless: usize },
    /// Something else.
    Other,
}

/// What is to be said of a reply beside its samples.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Told {
    /// How many results had no metric name (an expression's have none).
    pub nameless: usize,
    /// Whether it is cut or damaged where it ends.
    pub broken: bool,
    /// The place after what was read of it.
    pub end: usize,
}

/// Reads JSON, also as Python prints it; `None` if it is neither.
pub(super) fn reply(text: &str) -> Option<Reply> {
    let text = text.trim();
    let brackets = [('{', '}'), ('[', ']')];
    brackets.iter().any(|(open, close)| text.starts_with(*open) && text.ends_with(*close)).then_some(())?;
    if text.len() > LONGEST_OTHER {
        return None;
    }
    let python = || text.replace('\'', "\"").replace(": None", ": null").replace(": True", ": true");
    whole(text).or_else(|| whole(&python()))
}

/// A text that is JSON from the first to the last letter.
fn whole(text: &str) -> Option<Reply> {
    let mut lines = Vec::new();
    let told = Work::new(|pace| {
        let lines = &mut lines;
        async move { samples(text, &pace, |line| lines.push(line)).await }
    });
    match told.finish() {
        Some(told) if told.broken || told.end < text.len() => None,
        Some(told) => Some(Reply::Samples { lines, nameless: told.nameless }),
        None => export(text).or_else(|| serde_json::from_str::<IgnoredAny>(text).is_ok().then_some(Reply::Other)),
    }
}

/// A series as VictoriaMetrics exports it, with its values and their times in milliseconds.
fn export(text: &str) -> Option<Reply> {
    text.contains("\"timestamps\"").then_some(())?;
    let object: Value = serde_json::from_str(text).ok()?;
    let (values, times) = (object.get("values")?.as_array()?, object.get("timestamps")?.as_array()?);
    let Some(series) = labels(object.get("metric")?) else {
        return Some(Reply::Samples { lines: Vec::new(), nameless: 1 });
    };
    let point = |(value, time): (&Value, &Value)| {
        Some(format!("{{{series}}} {} {:?}", value_in_text(value)?, time.as_f64()? / 1e3))
    };
    let lines = values.iter().zip(times).filter(|(value, _)| !value.is_null()).filter_map(point).collect();
    (values.len() == times.len()).then_some(Reply::Samples { lines, nameless: 0 })
}

/// Hands over the samples of the reply that a text begins with, each as an OpenMetrics line. `None` if it begins with
/// no reply.
pub(super) async fn samples(text: &str, pace: &Pace, mut take: impl FnMut(String)) -> Option<Told> {
    let mut json = Json { text, at: 0 };
    let depth = json.find_results()?;
    let mut told = Told::default();
    let mut points = Points { pace, count: 0, take: &mut take };
    let read = results(&mut json, &mut points, &mut told.nameless).await.and_then(|()| json.leave(depth));
    told.broken = read.is_none();
    told.end = json.at;
    Some(told)
}

/// All results of the array; `None` where the JSON breaks off.
async fn results(json: &mut Json<'_>, points: &mut Points<'_>, nameless: &mut usize) -> Option<()> {
    let mut more = json.opens(b'[', b']')?;
    while more {
        if json.peek()? == b'{' {
            result(json, points, nameless).await?;
        } else {
            json.skip()?;
        }
        more = json.more(b']')?;
    }
    Some(())
}

/// One result: the labels of a series, and its points.
async fn result(json: &mut Json<'_>, points: &mut Points<'_>, nameless: &mut usize) -> Option<()> {
    let mut series = None;
    // Points that stand before the labels are read after them.
    let mut early = Vec::new();
    let mut more = json.opens(b'{', b'}')?;
    while more {
        let key = json.key()?;
        match (key.as_str(), &series) {
            ("metric", _) => {
                series = labels(&json.value::<Value>()?);
                *nameless += usize::from(series.is_none());
            }
            ("value" | "histogram", Some(series)) => points.of(json, series, false).await?,
            ("values" | "histograms", Some(series)) => points.of(json, series, true).await?,
            ("value" | "histogram" | "values" | "histograms", None) => {
                early.push((json.at, key.ends_with('s')));
                json.skip()?;
            }
            _ => json.skip()?,
        }
        more = json.more(b'}')?;
    }
    if let Some(series) = series {
        for (at, several) in early {
            points.of(&mut Json { at, ..*json }, &series, several).await?;
        }
    }
    Some(())
}

/// A series' labels as OpenMetrics writes them, its name first; `None` without a name.
fn labels(metric: &Value) -> Option<String> {
    let metric = metric.as_object()?;
    let name = metric.get("__name__")?.as_str()?;
    let labels = metric.iter().filter(|(label, _)| *label != "__name__");
    let pairs = labels.map(|(label, value)| format!("{}={}", quoted(label), quoted(value.as_str().unwrap_or(""))));
    Some(std::iter::once(quoted(name)).chain(pairs).collect::<Vec<_>>().join(","))
}

/// Where the points go.
struct Points<'a> {
    pace: &'a Pace,
    count: usize,
    take: &'a mut dyn FnMut(String),
}

impl Points<'_> {
    /// A point, or several in an array.
    async fn of(&mut self, json: &mut Json<'_>, series: &str, several: bool) -> Option<()> {
        let mut more = !several || json.opens(b'[', b']')?;
        while more {
            let point: Value = json.value()?;
            let time = point.get(0).and_then(Value::as_f64);
            let value = point.get(1).and_then(value_in_text);
            if let (Some(time), Some(value)) = (time, value) {
                (self.take)(format!("{{{series}}} {value} {time:?}"));
            }
            self.count += 1;
            if self.count.is_multiple_of(STRIDE) {
                self.pace.rest(json.at as f64 / json.text.len() as f64).await;
            }
            more = several && json.more(b']')?;
        }
        Some(())
    }
}

/// A place in a text in JSON. All functions pass over blanks; those that find something else than they look for say
/// `None`.
#[derive(Clone, Copy)]
struct Json<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Json<'t> {
    /// Finds the array `result`, by itself or within `data`; says how many objects it is in. The array may also be all
    /// there is.
    fn find_results(&mut self) -> Option<usize> {
        if self.peek()? == b'[' {
            let mut first = *self;
            first.opens(b'[', b']')?.then_some(())?;
            let result = if first.peek()? == b'{' { first.value::<Value>()? } else { return None };
            let points = ["value", "values", "histogram", "histograms"].iter().any(|key| result.get(key).is_some());
            return (points && result.get("metric").is_some_and(Value::is_object)).then_some(0);
        }
        let mut depth = 1;
        let mut more = self.opens(b'{', b'}')?;
        loop {
            while !more {
                depth = usize::checked_sub(depth, 1).filter(|depth| *depth > 0)?;
                more = self.more(b'}')?;
            }
            let key = self.key()?;
            match (key.as_str(), self.peek()?) {
                ("data", b'{') if depth == 1 => {
                    depth = 2;
                    more = self.opens(b'{', b'}')?;
                    continue;
                }
                ("result", b'[') => return Some(depth),
                _ => self.skip()?,
            }
            more = self.more(b'}')?;
        }
    }

    /// Goes to the end of so many objects.
    fn leave(&mut self, depth: usize) -> Option<()> {
        for _ in 0..depth {
            while self.more(b'}')? {
                self.key()?;
                self.skip()?;
            }
        }
        Some(())
    }

    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let blanks = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
        self.at += blanks;
        rest.get(blanks).copied()
    }

    fn eats(&mut self, byte: u8) -> Option<bool> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        Some(found)
    }

    /// An opening bracket; says whether there is anything before the closing one, which is passed over else.
    fn opens(&mut self, open: u8, close: u8) -> Option<bool> {
        self.eats(open)?.then_some(())?;
        Some(!self.eats(close)?)
    }

    /// What stands between two elements and after the last one; says whether there is another.
    fn more(&mut self, close: u8) -> Option<bool> {
        if self.eats(close)? {
            return Some(false);
        }
        self.eats(b',')?.then_some(true)
    }

    fn key(&mut self) -> Option<String> {
        let key = self.value()?;
        self.eats(b':')?.then_some(key)
    }

    /// A value, not a giant one: a result's points and what stands around the results are short.
    fn value<T: Deserialize<'t>>(&mut self) -> Option<T> {
        let end = (0..4).find_map(|back| self.text.get(self.at..self.at + LONGEST_OTHER - back));
        let mut values = Deserializer::from_str(end.or_else(|| self.text.get(self.at..))?).into_iter();
        let value = values.next()?.ok()?;
        self.at += values.byte_offset();
        Some(value)
    }

    fn skip(&mut self) -> Option<()> {
        self.value::<IgnoredAny>().map(drop)
    }
}

/// A point's value as the text formats write it.
fn value_in_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(_) => histogram(value).map(|histogram| histogram.to_string()),
        other => Some(other.to_string()),
    }
}

/// A native histogram as a reply gives it, `[rule, lower, upper, count]` for each bucket that holds anything: as classic
/// buckets at its bounds.
fn histogram(value: &Value) -> Option<Composite> {
    let mut buckets: Vec<(f64, f64)> = Vec::new();
    let mut up_to = 0.0;
    for bucket in value.get("buckets").and_then(Value::as_array).into_iter().flatten() {
        let (lower, upper) = (float(bucket.get(1))?, float(bucket.get(2))?);
        // A gap: nothing up to where this bucket begins.
        if buckets.last().is_none_or(|(le, _)| *le < lower) && lower.is_finite() {
            buckets.push((lower, up_to));
        }
        up_to += float(bucket.get(3))?;
        buckets.push((upper, up_to));
    }
    let count = float(value.get("count"))?;
    if buckets.last().is_none_or(|(le, _)| *le < f64::INFINITY) {
        buckets.push((f64::INFINITY, count));
    }
    Some(Composite { count: Some(count), sum: float(value.get("sum")), buckets, ..Composite::default() })
}

fn float(value: Option<&Value>) -> Option<f64> {
    let value = value?;
    value.as_f64().or_else(|| number(value.as_str()?.as_bytes()).map(|number| number.value))
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn vectors_and_matrices_become_lines() {
        let text = r#"{"status":"success","data":{"resultType":"vector","result":[
            {"metric":{"__name__":"up","job":"a\"b"},"value":[1737152883.567,"1"]},
            {"metric":{"__name__":"x"},"values":[[1,"2"],[2,"NaN"]]},
            {"metric":{},"value":[1,"0.5"]}]}}"#;
        let lines = [
            r#"{"up","job"="a\"b"} 1 1737152883.567"#.to_owned(),
            r#"{"x"} 2 1.0"#.to_owned(),
            r#"{"x"} NaN 2.0"#.to_owned(),
        ];
        assert_eq!(reply(text), Some(Reply::Samples { lines: lines.to_vec(), nameless: 1 }));
    }

    /// The shape that the documentation of Prometheus' HTTP API gives native histograms.
    #[test]
    fn native_histograms_become_buckets_at_their_bounds() {
        let text = r#"{"data":{"result":[{"metric":{"__name__":"x"},"histogram":[1.5,{"count":"7","sum":"9.5",
            "buckets":[[3,"-0.001","0.001","1"],[0,"0.5","1","2"],[0,"1","2","4"]]}]}]}}"#;
        let line = r#"{"x"} {count:7,sum:9.5,bucket:[-0.001:0,0.001:1,0.5:1,1:3,2:7,+Inf:7]} 1.5"#;
        assert_eq!(reply(text), Some(Reply::Samples { lines: vec![line.to_owned()], nameless: 0 }));
    }

    #[test]
    fn a_cut_reply_holds_what_stands_before_the_cut() {
        let text = r#"{"data":{"result":[{"values":[[1,"2"]],"metric":{"__name__":"x"}},{"metric":{"__na"#;
        let mut lines = Vec::new();
        let told = Work::new(|pace| {
            let lines = &mut lines;
            async move { samples(text, &pace, |line| lines.push(line)).await }
        });
        let told = told.finish().unwrap();
        assert!(told.broken);
        assert_eq!(lines, [r#"{"x"} 2 1.0"#]);
        assert_eq!(reply(text), None);
    }

    #[test]
    fn other_json_is_known_as_such() {
        assert_eq!(reply("{\"serve_mode\": \"fast\"}"), Some(Reply::Other));
        assert_eq!(reply("{'metric': {}, 'ok': True}"), Some(Reply::Other));
        assert_eq!(reply("{\"my.metric\"} 1"), None);
        assert_eq!(reply("a 1"), None);
    }
}
