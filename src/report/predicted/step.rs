//! The predicted step by part, and beside it the measured one.

use super::{Served, group, grouped, segment};
use crate::chart::{Chart, SegmentRole, Stack, StackBar, StackScale};
use crate::prediction::{Term, TermKind};
use crate::report::{Figure, capitalised};
use crate::scenario::Sourced;
use crate::units::format::{show, show_range, trimmed};
use crate::units::{Ratio, Seconds};

/// The median error on measurements that did not enter the fit: `docs/validation.md`.
const HELD_OUT_MEDIAN: Ratio = Ratio::new(0.071);
/// What a term's time goes to, in the words of the chart.
fn part(term: &Term) -> &'static str {
    match (term.kind, term.component) {
        (TermKind::Read, Some(component)) => group(component),
        (TermKind::Read, None) | (TermKind::Start | TermKind::Quantise, _) => "Starting kernels",
        (TermKind::Allreduce, _) => "Allreduces",
        (TermKind::Host, _) => "Host",
    }
}

/// A step's predicted time by part, and beside it the measured one.
pub(super) fn step(served: &Served, measured: Option<Sourced<Seconds>>) -> Option<Figure> {
    let prediction = served.predict(&served.today);
    let time = prediction.time();
    if !(time.high.is_finite() && time.likely > Seconds::ZERO) {
        return None;
    }
    let millis = |label: &str, time: Seconds, role| segment(label, time.as_millis(), show(time).to_string(), role);
    let parts = grouped(prediction.terms.iter().map(|term| (part(term), term.seconds.likely.get())));
    let sum: f64 = parts.iter().map(|(_, seconds)| seconds).sum();
    // The parts may promise more than the datasheet allows.
    let held_up =
        Some(time.likely.get() - sum).filter(|rest| *rest > sum * 1e-9).map(|rest| ("Datasheet's limit", rest));
    let parts = parts.into_iter().chain(held_up);
    let mut bars = vec![StackBar {
        label: "predicted".to_owned(),
        total_text: show(time.likely).to_string(),
        segments: parts.map(|(name, seconds)| millis(name, Seconds::new(seconds), SegmentRole::Part)).collect(),
    }];
    let range = format!("Predicted: {}, most likely {}", show_range(time), show(time.likely));
    let mut sentence = if served.fits(&served.today) {
        format!("{range}; nothing was measured to compare it with.")
    } else {
        format!("{range}, if the memory held it, which it does not.")
    };
    if let Some(measured) = measured {
        let residual = measured.value - time.likely;
        bars.push(StackBar {
            label: measured.source.word().to_owned(),
            total_text: show(measured.value).to_string(),
            segments: vec![
                millis("All that is predicted", time.likely, SegmentRole::Part),
                millis("Residual", residual, SegmentRole::Residual),
            ],
        });
        let error = Ratio::new(residual.get().abs() / measured.value.get());
        let side = if residual < Seconds::ZERO { "over" } else { "under" };
        let within = if time.low <= measured.value && measured.value <= time.high { "within" } else { "outside" };
        sentence = format!(
            "{range}; {} {}, {within} the range: the prediction is {} {side} it.",
            measured.source.word(),
            show(measured.value),
            show(error)
        );
    }
    let error = format!(
        "Of published measurements that did not enter the fit, half are predicted within {}.",
        show(HELD_OUT_MEDIAN)
    );
    let notes = [sentence, error].into_iter().chain(prediction.assumptions.iter().map(|text| as_sentence(text)));
    let title = "What the model predicts of a step".to_owned();
    Some(Figure {
        key: "predicted-step",
        chart: Chart::Stack(Stack { title, bars, scale: StackScale::Shared }),
        notes: notes.chain(verification(served)).collect(),
    })
}

fn as_sentence(fact: &str) -> String {
    format!("{}.", capitalised(fact))
}

fn verification(served: &Served) -> Option<String> {
    (served.today.tokens > 1.0).then(|| {
        format!(
            "A step yields {} tokens: predicted as if no more were drafted than were accepted.",
            trimmed(served.tokens_per_step)
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_error_is_the_published_one() {
        let published = include_str!("../../../docs/validation.md");
        let row = published.lines().find(|line| line.starts_with("| held out |")).unwrap();
        assert!(row.contains(&show(HELD_OUT_MEDIAN).to_string()), "{row}");
    }
}
