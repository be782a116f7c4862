//! The strict verdict and the linter, rule by rule, after the two specifications.
#![allow(clippy::unwrap_used)]

use decodescope::paste::prometheus::Format::{self, OpenMetrics, Text};
use decodescope::paste::prometheus::{Finding, Rule, Verdict, check, lint};

/// Format, text, and the line, column and rule of the first breach that makes it invalid.
type Case = (Format, &'static str, Option<(usize, usize, Rule)>);

const CASES: &[Case] = &[
    (Text, "", None),
    (Text, "\n\n# hello\na 1\n", None),
    (Text, "a{x=\"y\",z=\"\\\"\\\\\\n\",} +Inf -3982045\n", None),
    (Text, "  a\t{ x = \"y\" , z=\"w\" }\t1e3   12  \n", None),
    (Text, "a{x=\"y\"}1\n", None),
    (Text, "{\"my.metric\",\"l.x\"=\"y\"} 1\n", None),
    (Text, "a 1", Some((1, 4, Rule::NoFinalNewline))),
    (Text, "a 1\r\n", Some((1, 4, Rule::CarriageReturn))),
    (Text, "1a 1\n", Some((1, 1, Rule::NotASample))),
    (Text, "a\n", Some((1, 2, Rule::MissingValue))),
    (Text, "a 1,5\n", Some((1, 3, Rule::BadNumber))),
    (Text, "a 0x10\n", Some((1, 3, Rule::BadNumber))),
    (Text, "a 1e309\n", Some((1, 3, Rule::NumberOverflow))),
    (Text, "a -nan\n", Some((1, 3, Rule::SignedNan))),
    (Text, "a 1 1.5\n", Some((1, 5, Rule::TimestampForm))),
    (Text, "a 1 9223372036854775808\n", Some((1, 5, Rule::TimestampForm))),
    (Text, "a 1 2 3\n", Some((1, 7, Rule::TrailingText))),
    (Text, "{} 1\n", Some((1, 1, Rule::MissingName))),
    (Text, "a{x=\"é\",1=\"z\"} 1\n", Some((1, 9, Rule::LabelName))),
    (Text, "a{x='y'} 1\n", Some((1, 5, Rule::UnquotedValue))),
    (Text, "a{x=\"y\"z\"} 1\n", Some((1, 8, Rule::TextAfterLabel))),
    (Text, "a{x=\"1\",x=\"2\"} 1\n", Some((1, 9, Rule::DuplicateLabel))),
    (Text, "a{x=\"\\q\"} 1\n", Some((1, 6, Rule::UnknownEscape))),
    (Text, "a 1 # {x=\"y\"} 1\n", Some((1, 5, Rule::Exemplar))),
    (Text, "# TYPE a counter\n# TYPE a counter\n", Some((2, 1, Rule::RepeatedMetadata))),
    (Text, "a 1\n# TYPE a counter\n", Some((2, 1, Rule::LateType))),
    (Text, "# TYPE a unknown\n", Some((1, 10, Rule::OpenMetricsType))),
    (Text, "# TYPE a COUNTER\n", Some((1, 10, Rule::TypeSpelling))),
    (Text, "# TYPE h histogram\nh_bucket{le=\"one\"} 1\n", Some((2, 1, Rule::BoundNotANumber))),
    (OpenMetrics, "# EOF", None),
    (OpenMetrics, "# TYPE a_s gauge\n# UNIT a_s s\n# HELP a_s \na_s{x=\"\\q\"} 1 1.5e3\n# EOF\n", None),
    (OpenMetrics, "# TYPE a counter\na_total 1 # {t=\"é\"} 0.5 1.25\n# EOF\n", None),
    (OpenMetrics, "a 1\n", Some((1, 1, Rule::MissingEof))),
    (OpenMetrics, "# EOF\na 1\n", Some((2, 1, Rule::TextAfterEof))),
    (OpenMetrics, "a  1\n# EOF\n", Some((1, 2, Rule::ExtraBlank))),
    (OpenMetrics, "a 1\n\n# EOF\n", Some((2, 1, Rule::BlankLine))),
    (OpenMetrics, "# hi\n# EOF\n", Some((1, 1, Rule::Comment))),
    (OpenMetrics, "# TYPE a untyped\n# EOF\n", Some((1, 10, Rule::UntypedType))),
    (OpenMetrics, "# TYPE a counter\na 1\n# EOF\n", Some((2, 1, Rule::SampleSuffix))),
    (OpenMetrics, "# TYPE a counter\na_total -1\n# EOF\n", Some((2, 1, Rule::NegativeValue))),
    (OpenMetrics, "# TYPE a info\na_info 2\n# EOF\n", Some((2, 1, Rule::InfoValue))),
    (OpenMetrics, "# TYPE a gauge\na 1 2\na 1 1\n# EOF\n", Some((3, 1, Rule::TimestampsFall))),
    (OpenMetrics, "# UNIT a seconds\n# EOF\n", Some((1, 1, Rule::UnitSuffix))),
    (OpenMetrics, "# TYPE a gauge\na 1 # {x=\"y\"} 1\n# EOF\n", Some((2, 1, Rule::ExemplarPlace))),
    (OpenMetrics, "a 1\n#EOF\n", Some((2, 2, Rule::MissingBlank))),
    (OpenMetrics, "a 1\n#  EOF\n", Some((2, 2, Rule::BlankInMetadata))),
    (Text, "a 1\n#EOF\n", None),
    // "MetricFamilies MUST NOT be interleaved": by a sample, or by metadata of either
    (OpenMetrics, "# TYPE a gauge\nb 1\na 2\n# EOF\n", Some((3, 1, Rule::Interleaved))),
    (OpenMetrics, "# TYPE a gauge\n# TYPE b gauge\na 1\n# EOF\n", Some((3, 1, Rule::Interleaved))),
    (OpenMetrics, "# HELP a x\n# TYPE b gauge\na 1\n# EOF\n", Some((3, 1, Rule::Interleaved))),
    (OpenMetrics, "# TYPE a gauge\n# TYPE b gauge\nb 1\n# EOF\n", None),
    (Text, "# TYPE a gauge\nb 1\na 2\n", None),
    // "*escaped-char" after the one space: the help may begin with a blank
    (OpenMetrics, "# HELP a  x\n# EOF\n", None),
    (OpenMetrics, "# HELP a \tx\n# EOF\n", None),
    (OpenMetrics, "# HELP a\tx\n# EOF\n", Some((1, 9, Rule::ExtraBlank))),
    // "beginning with underscores are RESERVED and MUST NOT be used": names of labels and of families
    (OpenMetrics, "a{__x=\"1\"} 1\n# EOF\n", Some((1, 1, Rule::TwoUnderscores))),
    (OpenMetrics, "a{_x=\"1\"} 1\n# EOF\n", Some((1, 1, Rule::Underscore))),
    (OpenMetrics, "_a 1\n# EOF\n", Some((1, 1, Rule::Underscore))),
    (OpenMetrics, "# TYPE _a gauge\n# EOF\n", Some((1, 1, Rule::Underscore))),
    (OpenMetrics, "a{x_=\"1\"} 1\n# EOF\n", None),
    (Text, "_a{__x=\"1\"} 1\n", None),
    // "Each bucket covers the values less and or equal to it, and the value of the exemplar MUST be within this range"
    (
        OpenMetrics,
        "# TYPE h histogram\nh_bucket{le=\"1.0\"} 1 # {} 1.5\nh_bucket{le=\"+Inf\"} 1\n# EOF\n",
        Some((2, 1, Rule::ExemplarOutside)),
    ),
    (OpenMetrics, "# TYPE h histogram\nh_bucket{le=\"1.0\"} 1\nh_bucket{le=\"+Inf\"} 1 # {} 0.5\n# EOF\n", None),
    (OpenMetrics, "# TYPE h histogram\nh_bucket{le=\"1.0\"} 1 # {} 1\nh_bucket{le=\"+Inf\"} 1\n# EOF\n", None),
    // "A MetricPoint in a Metric with the type Counter MUST have one value called Total"
    (OpenMetrics, "# TYPE a counter\na_created 1\n# EOF\n", Some((2, 1, Rule::MissingTotal))),
    (
        OpenMetrics,
        "# TYPE a counter\na_total{x=\"1\"} 1\na_created{x=\"2\"} 1\n# EOF\n",
        Some((3, 1, Rule::MissingTotal)),
    ),
    (OpenMetrics, "# TYPE a counter\na_total 1 1\na_created 1 1\na_total 2 2\na_created 1 2\n# EOF\n", None),
    (OpenMetrics, "# TYPE a counter\n# EOF\n", None),
    // "There MUST NOT be more than one of each type of metadata line", be it empty
    (OpenMetrics, "# UNIT a_s \n# UNIT a_s \n# EOF\n", Some((2, 1, Rule::RepeatedMetadata))),
    (OpenMetrics, "# UNIT a_s \n# UNIT a_s s\n# EOF\n", Some((2, 1, Rule::RepeatedMetadata))),
    (OpenMetrics, "# TYPE a info\n# UNIT a \na_info 1\n# EOF\n", None),
];

/// Texts, and whether client_python 0.26.0 refuses them: in the text format, and with `# EOF` as OpenMetrics.
const CLIENT_PYTHON: &[(&str, bool, bool)] = &[
    ("{x=\"y\"} 1", true, true),
    ("{} 1", true, true),
    ("{\"\"} 1", true, true),
    ("{\"\",x=\"y\"} 1", true, true),
    ("{\"a\", x=\"y\"} 1", false, false),
    ("a{\"\"=\"x\"} 1", false, false),
    ("a{foo=\"x\",,} 1", true, true),
    ("a{,foo=\"x\"} 1", false, true),
    ("a{,} 1", false, true),
    ("a{foo=\"x\",} 1", false, true),
    ("a{x=\"1\" y=\"2\"} 1", true, true),
    ("a{x=\"1\",x=\"2\"} 1", true, true),
    ("a{__x=\"b\"} 1", true, true),
    ("a{_x=\"b\"} 1", false, false),
    ("a{__name__=\"b\"} 1", true, true),
    ("_a 1", false, false),
    ("a{b:c=\"x\"} 1", false, false),
    ("a{:b=\"x\"} 1", false, false),
    ("a{b-c=\"x\"} 1", true, true),
    ("a{x=y} 1", true, true),
    ("a {x=\"y\"} 1", false, false),
    ("a{x=\"y\", z=\"w\"} 1", false, false),
    ("a{ x = \"y\" } 1", false, false),
    ("a  1", false, true),
    (" a 1", false, true),
    ("a 1 ", false, true),
    ("a\t1", false, true),
    ("a{x=\"y\"}1", false, true),
    ("a 1\u{b}", false, true),
    ("a 1\u{a0}", false, true),
    ("a \u{a0}1", false, true),
    ("a 1 # note", true, true),
    ("a 1 2 # note", true, true),
    ("a 1 #", true, true),
    ("a 1 x", true, true),
    ("a 0x1", true, true),
    ("# TYPE a  gauge", false, false),
    ("#  TYPE a gauge", false, false),
    ("# UNIT a_s  s", false, false),
    ("# TYPE a\tgauge", false, true),
    ("# TYPE a gauge ", false, true),
    ("# HELP a  x", false, false),
    ("# HELP a\tx", false, true),
    ("# TYPE a foo", true, true),
    ("# TYPE a unknown", false, false),
    ("# hello", false, true),
    ("# TYPE a gauge\nb 1\na 2", false, true),
    ("# HELP a x\n# TYPE b gauge\na 1", false, true),
    ("# TYPE a counter\na_created 1", false, false),
    ("# TYPE a counter\na_total 1 # {__x=\"b\"} 1", false, true),
    ("# UNIT a_s \n# UNIT a_s ", false, true),
    ("# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\nh_bucket{le=\"+Inf\"} 1", false, false),
    ("# TYPE h histogram\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"1.0\"} 1\nh_bucket{le=\"+Inf\"} 1", false, true),
    ("# TYPE h histogram\nh_bucket{le=\"2\"} 1\nh_bucket{le=\"1\"} 1\nh_bucket{le=\"+Inf\"} 1", false, true),
    ("# TYPE h histogram\nh_bucket{le=\"1\"} 1 # {} 2\nh_bucket{le=\"+Inf\"} 1", false, false),
];

#[test]
fn whom_client_python_refuses() {
    let mut wrong = Vec::new();
    for (text, in_text, in_openmetrics) in CLIENT_PYTHON {
        for (format, refused, end) in [(Text, in_text, ""), (OpenMetrics, in_openmetrics, "# EOF\n")] {
            let found = lint(&format!("{text}\n{end}"), format);
            let mut refusing = found.iter().flat_map(|finding| finding.rule.refused_by(format));
            if refusing.any(|parser| parser.name() == "client_python") != *refused {
                wrong.push(format!("{format:?} {text:?}: {refused}: {found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_first_breach_and_its_place() {
    for (format, text, expected) in CASES {
        let expected = match expected {
            None => Verdict::Accepted,
            Some((line, column, rule)) => Verdict::Rejected(Finding { line: *line, column: *column, rule: *rule }),
        };
        assert_eq!(check(text, *format), expected, "{format:?}: {text:?}");
    }
}

fn rules(text: &str, format: Format) -> Vec<(usize, Rule)> {
    lint(text, format).iter().map(|finding| (finding.line, finding.rule)).collect()
}

#[test]
fn what_no_parser_minds_is_a_finding_all_the_same() {
    let histogram = "# TYPE h histogram\n\
        h_bucket{le=\"1\"} 5\nh_bucket{le=\"0.5\"} 2\nh_bucket{le=\"2\"} 1\nh_bucket{le=\"+Inf\"} 6\n\
        h_count 7\nh_sum 2.5\n";
    assert!(check(histogram, Text).is_accepted());
    let found = rules(histogram, Text);
    assert_eq!(found, [(3, Rule::BucketOrder), (4, Rule::BucketsFall), (7, Rule::CountMismatch)]);

    let apart = "# TYPE a gauge\na{x=\"1\"} 1\nb 1\na{x=\"2\"} 1\na{x=\"1\"} 3\n";
    assert!(check(apart, Text).is_accepted());
    let found = rules(apart, Text);
    assert_eq!(found, [(4, Rule::Interleaved), (5, Rule::DuplicateSeries)]);

    let cut = "# TYPE h histogram\nh_bucket{le=\"1\"} 5\nh_sum 2.5\n";
    assert_eq!(rules(cut, Text), [(3, Rule::MissingInfinity), (3, Rule::SumWithoutCount)]);
}

#[test]
fn labels_in_another_order_are_the_same_series() {
    assert_eq!(rules("a{x=\"1\",y=\"2\"} 1\na{y=\"2\",x=\"1\"} 2\n", Text), [(2, Rule::DuplicateSeries)]);
}

#[test]
fn a_clean_histogram_has_no_findings() {
    let text =
        "# HELP h Time.\n# TYPE h histogram\nh_bucket{le=\"0.5\"} 1\nh_bucket{le=\"+Inf\"} 2\nh_count 2\nh_sum 3\n";
    assert_eq!(rules(text, Text), []);
    assert_eq!(rules(&format!("{text}# EOF\n"), OpenMetrics), []);
}

#[test]
fn every_rule_has_a_name_and_a_sentence() {
    assert_eq!(Rule::TrailingComma.name(), "trailing-comma");
    assert!(Rule::ALL.iter().all(|rule| !rule.sentence().is_empty()));
}
