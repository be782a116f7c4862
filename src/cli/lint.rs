//! `decodescope lint`: whether a text is valid in its format, and who would refuse it.

use crate::arguments::{file_name, wants_json};
use crate::input::{decode, read_bytes};
use crate::{Failure, Outcome};
use clap::ArgMatches;
use decodescope::paste::Warning;
use decodescope::paste::prometheus::{self, Finding, Format, Parser, Rule, Verdict};
use serde::Serialize;
use std::fmt::Write as _;

#[derive(Serialize)]
struct Report<'a> {
    schema: &'static str,
    format: &'static str,
    strict: bool,
    accepted: bool,
    findings: Vec<Row>,
    samples: usize,
    warnings: &'a [Warning],
}

#[derive(Serialize)]
struct Row {
    line: usize,
    column: usize,
    rule: String,
    message: &'static str,
    forbidden: bool,
    refused_by: Vec<&'static str>,
}

/// Runs the command. Strict: the verdict is the specification's. Otherwise it is that of the tolerant
/// reader, which accepts whatever it can read anything of.
pub fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let name = file_name(matches);
    let (strict, json) = (matches.get_flag("strict"), wants_json(matches));
    let format = if matches.get_flag("openmetrics") { Format::OpenMetrics } else { Format::Text };
    let bytes = read_bytes(name)?;
    let verdict = prometheus::check_bytes(&bytes, format);
    let decoded = decode(name, &bytes)?;
    let exposition = prometheus::read(&decoded.text);
    let mut findings = prometheus::lint(&decoded.text, format);
    if let Verdict::Rejected(finding) = verdict {
        // What only the bytes show, such as text that is not UTF-8, is not among the text's findings.
        if !findings.contains(&finding) {
            findings.insert(0, finding);
        }
    }
    let samples = exposition.samples().count();
    let accepted = if strict { verdict.is_accepted() } else { samples > 0 || exposition.has_metadata_only() };
    let text = if json {
        let findings = findings.iter().map(|finding| row(finding, format)).collect();
        let warnings = exposition.warnings();
        let schema = "decodescope.lint/1";
        let report = Report { schema, format: format_name(format), strict, accepted, findings, samples, warnings };
        serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
    } else {
        let guessed = prometheus::guess_format(&exposition);
        in_words(name, format, guessed, verdict, accepted, &findings, samples)
    };
    Ok(Outcome { text, usable: accepted })
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Text => "Prometheus text 0.0.4",
        Format::OpenMetrics => "OpenMetrics 1.0",
    }
}

fn refused_by(rule: Rule, format: Format) -> Vec<&'static str> {
    rule.refused_by(format).map(Parser::name).collect()
}

fn row(finding: &Finding, format: Format) -> Row {
    Row {
        line: finding.line,
        column: finding.column,
        rule: finding.rule.name(),
        message: finding.rule.sentence(),
        forbidden: finding.rule.forbidden_in(format),
        refused_by: refused_by(finding.rule, format),
    }
}

fn in_words(
    name: &str,
    format: Format,
    guessed: Format,
    verdict: Verdict,
    accepted: bool,
    findings: &[Finding],
    samples: usize,
) -> String {
    let mut text = String::new();
    for finding in findings {
        let refused = refused_by(finding.rule, format);
        let grade = if finding.rule.forbidden_in(format) { "error" } else { "note" };
        let who = if refused.is_empty() { String::new() } else { format!(" (refused by {})", refused.join(", ")) };
        let Finding { line, column, rule } = finding;
        let _ = writeln!(text, "{name}:{line}:{column}: {grade}: {} [{}]{who}", rule.sentence(), rule.name());
    }
    let valid = if verdict.is_accepted() { "valid" } else { "not valid" };
    let _ = writeln!(text, "{name}: {valid} as {}; {samples} samples read", format_name(format));
    if guessed != format && !verdict.is_accepted() {
        let _ = writeln!(text, "{name}: it looks like {}", format_name(guessed));
    }
    if !accepted && samples == 0 {
        let _ = writeln!(text, "{name}: nothing in it can be read as metrics");
    }
    text
}
