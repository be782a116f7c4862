//! JSON as Python writes it.

use super::error::ConfigError;
use serde_json::Value;

/// Parses JSON; bare `NaN`, `Infinity` and `-Infinity` are read as `null`.
pub(super) fn parse(text: &str) -> Result<Value, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_json::from_str(&without_python_numbers(text)).map_err(|error| {
        let message = error.to_string();
        // serde_json appends the place, which the error carries already.
        let expected = message.rsplit_once(" at line ").map_or(message.as_str(), |(fact, _)| fact);
        ConfigError::NotJson { line: error.line(), column: error.column(), expected: expected.to_owned() }
    })
}

/// Replaces Python's non-numbers outside strings by `null`, padded so that columns stay.
fn without_python_numbers(text: &str) -> String {
    const TOKENS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let token = if quoted { None } else { TOKENS.iter().find(|token| rest.starts_with(**token)) };
        if let Some(token) = token {
            // `NaN` is shorter than `null`; a zero does as well, since neither is a usable dimension.
            let stand_in = if token.len() < 4 { "0" } else { "null" };
            out.push_str(stand_in);
            out.extend(std::iter::repeat_n(' ', token.len() - stand_in.len()));
            rest = rest.get(token.len()..).unwrap_or_default();
            continue;
        }
        match next {
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = quoted && next == '\\' && !escaped;
        out.push(next);
        rest = rest.get(next.len_utf8()..).unwrap_or_default();
    }
    out
}

/// What kind of JSON value it is, for messages.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn python_infinities_do_not_stop_the_reading() {
        let value = parse(r#"{"time_step_limit": [0.0, Infinity], "a \" NaN": -Infinity, "b": NaN, "c": 7}"#).unwrap();
        assert!(value["time_step_limit"][1].is_null());
        assert!(value["a \" NaN"].is_null());
        assert_eq!(value["c"], 7);
    }

    #[test]
    fn an_error_names_line_column_and_fact() {
        let error = parse("{\n  \"hidden_size\": 4096,\n  \"x\" 3\n}").unwrap_err();
        assert_eq!(error.to_string(), "line 3, column 7: expected `:`");
    }
}
