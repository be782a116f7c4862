//! Pasted text as it comes: what happened to it on the way is undone, and said.
#![allow(clippy::unwrap_used)]

use decodescope::paste::WarningKind;
use decodescope::paste::prometheus::read;

/// What was read: name, value, line.
fn samples(text: &str) -> Vec<(String, f64, usize)> {
    read(text).samples().map(|sample| (sample.name().to_owned(), sample.value(), sample.line())).collect()
}

fn kinds(text: &str) -> Vec<(Option<usize>, WarningKind)> {
    read(text).warnings().iter().map(|warning| (warning.line, warning.kind)).collect()
}

#[test]
fn terminal_colours() {
    let text = "\u{1b}[35mm.txt\u{1b}[0m:vllm:\u{1b}[01;31m\u{1b}[Kttft\u{1b}[m\u{1b}[K_sum{engine=\"0\"} 1.5\n";
    assert_eq!(samples(text), [("vllm:ttft_sum".to_owned(), 1.5, 1)]);
    assert_eq!(kinds(text), [(Some(1), WarningKind::Repaired), (Some(1), WarningKind::Repaired)]);
}

#[test]
fn log_prefixes_and_line_numbers() {
    let text = "INFO 08-01 12:00:00 [loggers.py:1] vllm:a{engine=\"0\"} 1\n\
        vllm-1  | # TYPE vllm:b gauge\nvllm-1  | vllm:b{engine=\"0\"} 2\nvllm-1  | process_open_fds 45.0\n\
        12: vllm:c{engine=\"0\"} 3\n  13\tvllm:d 4\nmetrics.txt:7:vllm:e{engine=\"0\"} 5\n\
        Average latency 12\nexpected 3 but got 5\n";
    let names: Vec<String> = samples(text).into_iter().map(|(name, ..)| name).collect();
    assert_eq!(names, ["vllm:a", "vllm:b", "process_open_fds", "vllm:c", "vllm:d", "vllm:e"]);
    assert!(read(text).family("vllm:b").is_some());
    assert!(kinds(text).contains(&(Some(8), WarningKind::BadValue)));
}

#[test]
fn strings_of_json() {
    let whole = r##"{"body": "# HELP a_total x\n# TYPE a_total counter\na_total{x=\"1\"} 5\nb 6\n"}"##;
    let read_whole = read(whole);
    assert_eq!(samples(whole), [("a_total".to_owned(), 5.0, 1), ("b".to_owned(), 6.0, 1)]);
    assert_eq!(read_whole.samples().next().unwrap().label("x"), Some("1"));
    assert!(read_whole.family("a_total").is_some_and(|family| family.kind.is_some()));

    let list = "[\n  \"a_total{x=\\\"1\\\"} 5\\n\",\n  \"a_total{x=\\\"2\\\"} 6\\n\"\n]\n";
    assert_eq!(samples(list), [("a_total".to_owned(), 5.0, 2), ("a_total".to_owned(), 6.0, 3)]);
}

#[test]
fn html_and_typography() {
    let text = "<pre>a{x=&quot;y&quot;} 1\nb{x=“y”}\u{a0}2\n</pre>\n";
    assert_eq!(samples(text), [("a".to_owned(), 1.0, 1), ("b".to_owned(), 2.0, 2)]);
}

#[test]
fn wrapped_lines() {
    let long = "vllm:time_to_first_token_seconds_bucket{engine=\"0\",le=\"0.25\",model_name=\"organisa";
    let text = format!("a 1\n{long}\ntion/Model\"}} 12\nb 2\n");
    assert_eq!(
        samples(&text),
        [
            ("a".to_owned(), 1.0, 1),
            ("vllm:time_to_first_token_seconds_bucket".to_owned(), 12.0, 2),
            ("b".to_owned(), 2.0, 4)
        ]
    );
    assert_eq!(read(&text).samples().nth(1).unwrap().label("model_name"), Some("organisation/Model"));
    assert_eq!(kinds(&text), [(Some(2), WarningKind::Repaired)]);
}

#[test]
fn a_line_feed_inside_a_label() {
    let text = "q{query=\"\n SELECT 1\"} 3\nb 2\n";
    assert_eq!(samples(text), [("q".to_owned(), 3.0, 1), ("b".to_owned(), 2.0, 3)]);
    assert_eq!(read(text).samples().next().unwrap().label("query"), Some("\n SELECT 1"));
}

#[test]
fn carriage_returns_inside_lines() {
    assert_eq!(samples("a{x=\"p\rq\"} 1\r\nb 2\r\n").len(), 2);
    assert_eq!(kinds("# a comment\rerased\na 1\n"), []);
    assert_eq!(samples("# TYPE a gauge\ra 1\rb 2\r"), [("a".to_owned(), 1.0, 1), ("b".to_owned(), 2.0, 1)]);
    assert_eq!(samples("  0     0\r100 45575  100 45575\na 1\n"), [("a".to_owned(), 1.0, 2)]);
}

#[test]
fn an_unclosed_quote_costs_its_line_alone() {
    assert_eq!(samples("a{x=\"y} 1\nb{x=\"z\"} 2\nc 3\n"), [("b".to_owned(), 2.0, 2), ("c".to_owned(), 3.0, 3)]);
}

#[test]
fn the_reply_to_a_query() {
    let json = "{\"status\":\"success\",\"data\":{\"resultType\":\"vector\",\"result\":[\n\
        {\"metric\":{\"__name__\":\"vllm:ttft_sum\",\"job\":\"x\"},\"value\":[1737152883.567,\"1.5\"]},\n\
        {\"metric\":{},\"value\":[1737152883.567,\"9\"]}]}}";
    let exposition = read(json);
    let sample = exposition.samples().next().unwrap();
    assert_eq!((sample.name(), sample.label("job"), sample.value()), ("vllm:ttft_sum", Some("x"), 1.5));
    assert_eq!(sample.timestamp().unwrap().seconds(), 1_737_152_883.567);
    assert_eq!(kinds(json), [(Some(1), WarningKind::Repaired), (Some(1), WarningKind::Missing)]);

    let python = "P99: 0\n{'data': {'result': [{'metric': {'__name__': 'up'}, 'value': [1737152885.416, '0.5']}]}}\n";
    assert_eq!(samples(python), [("up".to_owned(), 0.5, 2)]);
}

#[test]
fn other_json_is_said_to_be_json() {
    let text = "{\n  \"serve_mode\": \"fast\",\n  \"port\": 8000\n}\n";
    assert_eq!(samples(text), []);
    assert_eq!(kinds(text), [(Some(1), WarningKind::Skipped)]);
    assert!(read(text).warnings()[0].message.contains("JSON"));
}

#[test]
fn no_line_takes_long_however_it_is_made() {
    let labels: Vec<String> = (0..60_000).map(|label| format!("l{label}=\"\"")).collect();
    for line in [
        "<a".repeat(200_000),
        "&".repeat(400_000),
        "\u{1b}[".repeat(200_000),
        "a{".repeat(200_000),
        "{\"".repeat(200_000),
        "a=\\\"".repeat(100_000),
        "1 ".repeat(200_000),
        "> ".repeat(100_000),
        "\r".repeat(100_000),
        "# #".repeat(100_000),
        "# HELP a # TYPE ".repeat(30_000),
        "a_b 1 ".repeat(80_000),
        "['a',".repeat(100_000),
        "\"\"".repeat(200_000),
        "**".repeat(200_000),
        "_".repeat(400_000),
        "{__name__=\"a\",".repeat(30_000),
        "[1;".repeat(100_000),
        format!("a{{{}}} 1", labels.join(",")),
    ] {
        let text = format!("{line}\na_b 1\n{line}\n");
        let started = std::time::Instant::now();
        let own = line.matches("a_b 1 ").count();
        assert!(read(&text).samples().len() <= 1 + 2 * own);
        let shown: String = line.chars().take(8).collect();
        // Far more than any machine takes, and far less than what grows with the square of the length would.
        assert!(started.elapsed().as_secs() < 60, "{shown:?} took {:?}", started.elapsed());
    }
}
