//! A Prometheus server's reply to a query, in JSON: the samples in it as lines of text.

use super::composite::Composite;
use super::number::number;
use serde_json::Value;

/// What a text in JSON holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    /// Samples as OpenMetrics lines, with how many results had no metric name (an expression's have none).
    Samples { lines: Vec<String>, nameless: usize },
    /// Something else.
    Other,
}

/// Reads JSON, also as Python prints it; `None` if it is neither.
pub(super) fn reply(text: &str) -> Option<Reply> {
    let text = text.trim();
    let brackets = [('{', '}'), ('[', ']')];
    brackets.iter().any(|(open, close)| text.starts_with(*open) && text.ends_with(*close)).then_some(())?;
    let value: Value = serde_json::from_str(text).ok().or_else(|| {
        let json = text.replace('\'', "\"").replace(": None", ": null").replace(": True", ": true");
        serde_json::from_str(&json).ok()
    })?;
    let data = value.get("data").unwrap_or(&value);
    let Some(results) = data.get("result").and_then(Value::as_array) else { return Some(Reply::Other) };
    let mut lines = Vec::new();
    let mut nameless = 0;
    for result in results {
        let Some(metric) = result.get("metric").and_then(Value::as_object) else { continue };
        let Some(name) = metric.get("__name__").and_then(Value::as_str) else {
            nameless += 1;
            continue;
        };
        let labels = metric.iter().filter(|(label, _)| *label != "__name__");
        let pairs = labels.map(|(label, value)| format!("{}={}", quoted(label), quoted(value.as_str().unwrap_or(""))));
        let series = std::iter::once(quoted(name)).chain(pairs).collect::<Vec<_>>().join(",");
        let point = result.get("value").into_iter();
        let points = result.get("values").and_then(Value::as_array).into_iter().flatten();
        for point in point.chain(points) {
            let time = point.get(0).and_then(Value::as_f64);
            let value = point.get(1).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            if let (Some(time), Some(value)) = (time, value) {
                lines.push(format!("{{{series}}} {value} {time:?}"));
            }
        }
        let point = result.get("histogram").into_iter();
        let points = result.get("histograms").and_then(Value::as_array).into_iter().flatten();
        for point in point.chain(points) {
            let time = point.get(0).and_then(Value::as_f64);
            if let (Some(time), Some(histogram)) = (time, point.get(1).and_then(histogram)) {
                lines.push(format!("{{{series}}} {histogram} {time:?}"));
            }
        }
    }
    Some(Reply::Samples { lines, nameless })
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
    fn other_json_is_known_as_such() {
        assert_eq!(reply("{\"serve_mode\": \"fast\"}"), Some(Reply::Other));
        assert_eq!(reply("{'metric': {}, 'ok': True}"), Some(Reply::Other));
        assert_eq!(reply("{\"my.metric\"} 1"), None);
        assert_eq!(reply("a 1"), None);
    }
}
