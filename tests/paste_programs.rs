//! Metrics as other programs hand them on: shells, logs, tables, pages, `promtool`. Each is read as what it was.
#![allow(clippy::unwrap_used)]

use decodescope::metrics::read_dump;
use decodescope::paste::WarningKind::{self, BadValue, Repaired, Skipped, Truncated};
use decodescope::paste::prometheus::read;

const DUMP: &str = "# HELP vllm:a_total Tokens so far, in all.\n# TYPE vllm:a_total counter\n\
    vllm:a_total{engine=\"0\",model_name=\"m/M-1\"} 1.5e+06\nvllm:a_total{engine=\"1\",model_name=\"m/M-1\"} 3.0\n\
    # HELP vllm:b_seconds How long \"it\" took; 1 means a second, and this help text is made long enough to be a \
    nuisance.\n# TYPE vllm:b_seconds gauge\nvllm:b_seconds{} 0.25\nprocess_open_fds 45.0\n";

/// What was read: name, labels and value.
fn samples(text: &str) -> Vec<String> {
    read(text).samples().map(|sample| format!("{sample:?}")).collect()
}

fn kinds(text: &str) -> Vec<(Option<usize>, WarningKind)> {
    read(text).warnings().iter().map(|warning| (warning.line, warning.kind)).collect()
}

fn by_line(line: impl Fn(&str) -> String) -> String {
    DUMP.lines().map(|text| line(text) + "\n").collect()
}

/// As JSON writes a string.
fn json(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[test]
fn every_way_gives_the_same_samples() {
    let html = |text: &str| text.replace('&', "&amp;").replace('"', "&quot;");
    let list: Vec<String> = DUMP.lines().map(|line| format!("'{line}'")).collect();
    for (way, text) in [
        ("a shell made line feeds blanks", DUMP.trim().replace('\n', " ")),
        ("breaks without line feeds", html(DUMP).replace('\n', "<br>")),
        ("a paragraph for each line", by_line(|line| format!("<p>{}</p>", html(line))).replace('\n', "")),
        ("a division for each line", by_line(|line| format!("<div>{}</div>", html(line))).replace('\n', "")),
        ("HTML of HTML", html(&html(DUMP))),
        ("a list in Python", format!("[{}]", list.join(", "))),
        ("a list in JSON", format!("[{}]", DUMP.lines().map(json).collect::<Vec<_>>().join(","))),
        ("a string of a string in JSON", json(&json(DUMP))),
        ("Docker's log", by_line(|line| format!("{{\"log\":{},\"stream\":\"stdout\"}}", json(&format!("{line}\n"))))),
        ("a diff of a new file", by_line(|line| format!("+{line}"))),
        ("a diff of a removed file", by_line(|line| format!("-{line}"))),
        ("underscores escaped", DUMP.replace('_', "\\_")),
        ("colours without their escape", DUMP.replace("vllm:", "[01;31m[Kvllm:[m[K")),
        ("a table's cells", by_line(|line| format!("\"{}\"", line.replace('"', "\"\"")))),
        ("marks of direction", by_line(|line| format!("\u{200e}{line}"))),
        ("mpirun", by_line(|line| format!("[1,0]<stdout>:{line}"))),
        ("bold and italic", by_line(|line| if line.starts_with('#') { line.into() } else { format!("**_{line}_**") })),
        ("notes", by_line(|line| if line.starts_with('#') { line.into() } else { format!("{line} // slow") })),
        ("code in a sentence", format!("`{}`", DUMP.trim())),
        ("headers and no blank line", format!("HTTP/1.1 200 OK\r\nserver: x\r\n{DUMP}")),
        ("a piece of an access log", format!("HTTP/1.1\" 200 OK\n{DUMP}")),
    ] {
        assert_eq!(samples(&text), samples(DUMP), "{way}");
        assert!(!read(&text).warnings().is_empty(), "{way}");
        assert!(read(&text).family("vllm:b_seconds").is_some_and(|family| family.kind.is_some()), "{way}");
    }
}

#[test]
fn a_flat_dump_may_begin_with_a_sample() {
    for end in ["", "\n"] {
        let text = format!("a_b{{x=\"1\"}} 5 # TYPE c_d gauge c_d 6 # HELP e_f x # TYPE e_f gauge e_f 7{end}");
        assert_eq!(samples(&text), ["a_b{\"x\": \"1\"} 5.0", "c_d{} 6.0", "e_f{} 7.0"]);
        assert_eq!(kinds(&text)[0], (Some(1), Repaired));
    }
    assert_eq!(samples("`a_b 5\nc_d 6`\n"), ["a_b{} 5.0", "c_d{} 6.0"]);
}

#[test]
fn a_prefix_leaves_the_labels_alone() {
    let text = "vllm-1  | a_b{pattern=\"a\\\\.b &amp; **c** [K\"} 1\n";
    assert_eq!(read(text).samples().next().unwrap().label("pattern"), Some("a\\.b &amp; **c** [K"));
}

#[test]
fn a_prompt_behind_the_last_value_does_not_cut_it() {
    for prompt in
        ["root@h:~# ", "%\n(base) user@host ~ % ", "$ ", "%", ">>> ", " root@h:~# ", "[root@h ~]# ", "bash-5.1# ", "`"]
    {
        let text = format!("a{{x=\"1\"}} 1\nb_sum{{x=\"1\"}} 890.123{prompt}");
        assert_eq!(samples(&text), ["a{\"x\": \"1\"} 1.0", "b_sum{\"x\": \"1\"} 890.123"], "{prompt}");
        assert_eq!(kinds(&text)[0], (Some(2), Repaired), "{prompt}");
    }
    // A unit is none, nor is a number that could go on.
    assert_eq!(samples("a{x=\"1\"} 6.4%\nb{x=\"1\"} 2\n"), ["b{\"x\": \"1\"} 2.0"]);
    assert_eq!(samples("b_sum{x=\"1\"} 890.1235.2 user@h$ "), Vec::<String>::new());
}

#[test]
fn what_promtool_and_exports_print() {
    let seconds =
        |text: &str| read(text).samples().map(|s| (s.value(), s.timestamp().unwrap().seconds())).collect::<Vec<_>>();
    for text in [
        "a_b{x=\"1\"} => 12 @[1715829785.083]\n",
        "{__name__=\"a_b\", x=\"1\"} 12 1715829785083\n",
        "[{\"metric\":{\"__name__\":\"a_b\",\"x\":\"1\"},\"value\":[1715829785.083,\"12\"]}]",
        "{\"metric\":{\"__name__\":\"a_b\",\"x\":\"1\"},\"values\":[12],\"timestamps\":[1715829785083]}",
    ] {
        assert_eq!(samples(text), ["a_b{\"x\": \"1\"} 12.0"], "{text}");
        assert_eq!(seconds(text), [(12.0, 1_715_829_785.083)], "{text}");
    }
    let line = "{\"metric\":{\"__name__\":\"a\"},\"values\":[1,null,3],\"timestamps\":[1715829785000,1715829786000,1715829787000]}\n";
    assert_eq!(seconds(&line.repeat(2)).iter().map(|(value, _)| *value).collect::<Vec<_>>(), [1.0, 3.0, 1.0, 3.0]);
}

#[test]
fn a_diff_counts_what_it_adds() {
    let text = "--- a/m.txt\n+++ b/m.txt\n@@ -1,2 +1,2 @@\n # TYPE a_b gauge\n-a_b{x=\"1\"} 1\n+a_b{x=\"1\"} 2\n";
    assert_eq!(samples(text), ["a_b{\"x\": \"1\"} 2.0"]);
    assert!(kinds(text).contains(&(Some(5), Skipped)));
}

#[test]
fn blanks_between_thousands_are_no_timestamps() {
    for text in ["x{e=\"0\"} 23 456.7\n", "x{e=\"0\"} 23\u{202f}456.7\n"] {
        assert_eq!(samples(text), Vec::<String>::new());
        assert!(kinds(text).contains(&(Some(1), BadValue)));
    }
    // Whole milliseconds are legal: read as the format says, and doubted.
    assert_eq!(samples("x{e=\"0\"} 23 456\n"), ["x{\"e\": \"0\"} 23.0"]);
    assert_eq!(kinds("x{e=\"0\"} 23 456\n"), [(Some(1), BadValue)]);
    assert_eq!(kinds("x{e=\"0\"} 23 1700000000000\n"), []);
    assert_eq!(samples("x{e=\"0\"} 23 456.7\n# EOF\n"), ["x{\"e\": \"0\"} 23.0"]);
}

#[test]
fn a_cut_in_metadata_and_a_commented_sample_are_said() {
    assert_eq!(kinds("a 1\n# HELP b Numb"), [(Some(2), Truncated)]);
    assert_eq!(kinds("a 1\n# TY"), [(Some(2), Truncated)]);
    assert_eq!(kinds("a 1\n# EOF"), []);
    assert_eq!(kinds("## Step 2\na 1\n"), []);
    assert_eq!(kinds("## a_b{x=\"1\"} 1\n## Results\na 1\n"), [(Some(1), Skipped)]);
}

#[test]
fn why_there_is_no_sample_is_true() {
    let reason = |text: &str| read_dump(&read(text)).warnings.last().unwrap().message.clone();
    assert!(reason("# HELP a x\n# TYPE a gauge\n").contains("not answered a request yet"));
    assert!(reason("# HELP a x\n# TYPE a gauge\na{x=“1”} abc\n").contains("left out"));
    assert!(reason("# HELP a x\n# TYPE a gauge").contains("or the text is cut"));
    let untyped = format!("# HELP a {} # HELP b y a 1 b 2\n", "x".repeat(200));
    assert!(reason(&untyped).contains("left out"));
    assert_eq!(kinds(&untyped), [(Some(1), Skipped)]);
}
