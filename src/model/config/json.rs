//! JSON as Python writes it.

use super::error::ConfigError;
use serde_json::Value;

/// Parses JSON; bare `NaN`, `Infinity` and `-Infinity` are read as no number. What stands before
/// the first line that opens an object and behind the last brace is left out: a Markdown fence, the
/// head of a reply.
pub(super) fn parse(text: &str) -> Result<Value, ConfigError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('<') {
        let expected = "found a web page, expected the JSON of a config.json".into();
        return Err(ConfigError::NotJson { line: 1, column: 1, expected });
    }
    let text = without_surroundings(text);
    serde_json::from_str(&without_python_numbers(&text)).map_err(|error| {
        let message = error.to_string();
        // serde_json appends the place, which the error carries already.
        let fact = message.rsplit_once(" at line ").map_or(message.as_str(), |(fact, _)| fact);
        ConfigError::NotJson { line: error.line(), column: error.column(), expected: explained(fact, &text) }
    })
}

/// What to make of a parser's complaint.
fn explained(fact: &str, text: &str) -> String {
    let start = text.trim_start();
    if start.is_empty() {
        return "the text is empty, expected the JSON of a config.json".into();
    }
    if fact.starts_with("EOF") {
        return format!("{fact}: the text is cut off");
    }
    if !start.starts_with(['{', '[']) {
        let shown: String = start.chars().take_while(|&letter| letter != '\n').take(30).collect();
        return format!("found {shown:?}, expected an object: {{ \"hidden_size\": … }}");
    }
    if start.get(1..).is_some_and(|rest| rest.trim_start().starts_with('\'')) {
        return format!("{fact}; JSON has texts in double quotes");
    }
    if start.starts_with("//") || start.contains("\n//") || start.contains(" //") || start.contains("/*") {
        return format!("{fact}; JSON has no comments");
    }
    fact.to_owned()
}

/// The text with all but its object blanked, so that lines stay.
fn without_surroundings(text: &str) -> String {
    let opens = |line: &str| line.trim_start().starts_with(['{', '[']);
    let mut before = 0;
    for line in text.split_inclusive('\n') {
        if opens(line) {
            let end = text.rfind(['}', ']']).map_or(text.len(), |brace| brace + 1);
            let object = text.get(before..end).unwrap_or_default();
            let lines = text.get(..before).unwrap_or_default().matches('\n').count();
            return "\n".repeat(lines) + object;
        }
        before += line.len();
    }
    // A label may stand before it on its line.
    match (text.find('{'), text.rfind('}')) {
        (Some(start), Some(end)) if start < end => {
            let label = text.get(..start).unwrap_or_default();
            let blank: String = label.chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }).collect();
            blank + text.get(start..=end).unwrap_or_default()
        }
        _ => text.to_owned(),
    }
}

/// Puts Python's non-numbers in quotes, so that they are read as texts, which are no numbers.
fn without_python_numbers(text: &str) -> String {
    const TOKENS: [&str; 3] = ["-Infinity", "Infinity", "NaN"];
    let mut out = String::with_capacity(text.len());
    let (mut quoted, mut escaped) = (false, false);
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let token = if quoted { None } else { TOKENS.iter().find(|token| rest.starts_with(**token)) };
        if let Some(token) = token {
            out.extend(["\"", token, "\""]);
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
    fn python_numbers_that_are_none_do_not_stop_the_reading() {
        let value = parse(r#"{"time_step_limit": [0.0, Infinity], "a \" NaN": -Infinity, "b": NaN, "c": 7}"#).unwrap();
        assert_eq!(value["time_step_limit"][1], "Infinity");
        assert_eq!(value["a \" NaN"], "-Infinity");
        assert_eq!(value["b"], "NaN");
        assert_eq!(value["c"], 7);
    }

    #[test]
    fn fences_and_heads_of_replies_are_left_out() {
        assert_eq!(parse("```json\n{\"c\": 7}\n```\n").unwrap()["c"], 7);
        assert_eq!(parse("HTTP/2 200\r\netag: \"x\"\r\n\r\n{\"c\": 7}").unwrap()["c"], 7);
        assert_eq!(parse("config.json: {\"c\": 7}").unwrap()["c"], 7);
        assert_eq!(parse("Here it is:\n\n  {\"c\": 7}\nThanks!").unwrap()["c"], 7);
    }

    #[test]
    fn what_is_no_configuration_is_named() {
        let message = |text: &str| parse(text).unwrap_err().to_string();
        assert!(message("<!doctype html><html>").contains("found a web page"));
        assert!(message("{\"c\": [7,").contains("the text is cut off"));
        assert!(message("{\n  // heads\n  \"c\": 7\n}").contains("line 2"));
        assert!(message("{\n  // heads\n  \"c\": 7\n}").contains("JSON has no comments"));
        assert!(message("Entry not found").contains("found \"Entry not found\", expected an object"));
        assert!(message("{'hidden_size': 7}").contains("double quotes"));
        assert!(message(" \n").contains("the text is empty"));
        assert!(message("```json\n{\n\"c\" 7}\n```").starts_with("line 3, column 5"));
    }

    #[test]
    fn an_error_names_line_column_and_fact() {
        let error = parse("{\n  \"hidden_size\": 4096,\n  \"x\" 3\n}").unwrap_err();
        assert_eq!(error.to_string(), "line 3, column 7: expected `:`");
    }
}
