//! The handful of figures that answer the question at a glance.

use super::predicted::Predicted;
use super::verdict::Outlook;
use crate::budget::{Analysis, EstimateKind, FirstToken, LayerSaving, Step, WhatIf};
use crate::metrics::{Histogram, Meaning};
use crate::scenario::{Field, Scenario, Source};
use crate::units::format::{NOTHING, count, many, show, show_change, show_message, show_micros, show_range, trimmed};
use crate::units::{Range, Seconds, TokensPerSecond};

/// One figure: what it is, how much, and a short remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyFigure {
    /// A name for tests and styles.
    pub key: &'static str,
    /// What it is.
    pub label: String,
    /// How much, with its unit.
    pub value: String,
    /// A short remark: where it comes from, or what it means.
    pub note: String,
}

/// The figures, in the order of the page. What is not known shows as `—` with what it needs.
#[must_use]
pub fn key_figures(scenario: &Scenario, analysis: &Analysis) -> Vec<KeyFigure> {
    // Whose these are, where they are not of what somebody measured on hardware that somebody said.
    let floor = analysis.step.as_ref().filter(|step| step.time.source == Source::Modelled);
    let whose = match floor {
        _ if scenario.left_over.any() => "by the example's hardware; ".to_owned(),
        Some(step) => format!("of the floor, {}; ", show(step.time.value)),
        None => String::new(),
    };
    let told = |mut figure: KeyFigure| {
        if figure.value != NOTHING {
            figure.note.insert_str(0, &whose);
        }
        figure
    };
    let of_floor = |figure: KeyFigure| if floor.is_some() { told(figure) } else { figure };
    vec![
        speed(scenario, analysis),
        of_floor(layer(analysis)),
        told(allreduce(analysis)),
        told(bandwidth(analysis)),
        told(ceiling(analysis)),
        first_token(scenario, analysis),
    ]
}

fn figure(key: &'static str, label: impl Into<String>, value: Option<String>, note: impl Into<String>) -> KeyFigure {
    KeyFigure { key, label: label.into(), value: value.unwrap_or_else(|| NOTHING.to_owned()), note: note.into() }
}

/// What was measured, else what is predicted.
fn speed(scenario: &Scenario, analysis: &Analysis) -> KeyFigure {
    let label = "Decode speed";
    let Some(step) = &analysis.step else {
        return figure("speed", label, None, "paste a dump, or type a latency");
    };
    let value = Some(show(step.speed).to_string());
    if step.time.source != Source::Modelled {
        return figure("speed", label, value, format!("{} a step, {}", show(step.time.value), step.time.source.word()));
    }
    match Predicted::of(scenario).and_then(Outlook::of) {
        Some(predicted) => {
            let most = analysis.memory.as_ref().map(|memory| step.speed_at(memory.time));
            let most = most.map_or(String::new(), |most| format!("; memory alone allows {}", show(most)));
            let note =
                format!("{} a step, predicted: {}{most}", show(predicted.time.likely), show_range(predicted.speed));
            figure("speed", label, Some(show(predicted.speed.likely).to_string()), note)
        }
        None => figure("speed", label, value, format!("{} a step, a floor, not measured", show(step.time.value))),
    }
}

fn layer(analysis: &Analysis) -> KeyFigure {
    let label = analysis.layers.map_or("Each layer".to_owned(), |l| format!("Each of {} layers", count(l.value)));
    let missing = if analysis.layers.is_some() { "" } else { "needs the model" };
    let note = analysis.saving.as_ref().map_or(missing.to_owned(), |saving| match saving.too_much {
        Some(asked) => format!("{} µs would be all of it or more", trimmed(asked.as_micros())),
        None => {
            let passes = saving.passes.map_or("", |_| ", past what memory allows");
            format!("{} µs less in each: {}{passes}", trimmed(saving.per_layer.as_micros()), show_change(saving.gain))
        }
    });
    figure("layer", label, analysis.layer_time().map(|time| show_micros(time).to_string()), note)
}

fn allreduce(analysis: &Analysis) -> KeyFigure {
    let label = "Allreduce share";
    match (analysis.traffic, &analysis.chosen) {
        (Some(traffic), _) if traffic.per_step == 0.0 => {
            figure("allreduce", label, Some("0 %".to_owned()), "one GPU has nobody to reduce with")
        }
        (Some(traffic), Some(chosen)) => {
            let volume = format!("{} of {} a step", count(traffic.per_step), show_message(traffic.message));
            let note = if chosen.kind == EstimateKind::Combined {
                format!("{volume}; the estimates span {}", show_range(chosen.share))
            } else {
                volume
            };
            figure("allreduce", label, Some(show(chosen.share.likely).to_string()), note)
        }
        (Some(traffic), None) => {
            let volume =
                format!("{} of {} a step; set a latency", count(traffic.per_step), show_message(traffic.message));
            figure("allreduce", label, None, volume)
        }
        (None, _) => figure("allreduce", label, None, "needs the model"),
    }
}

fn bandwidth(analysis: &Analysis) -> KeyFigure {
    let label = "Memory bandwidth used";
    match &analysis.memory {
        Some(memory) => {
            let note = format!("{} a step of {}", show(memory.bytes), show(memory.bandwidth.value));
            figure("bandwidth", label, Some(show(memory.utilisation).to_string()), note)
        }
        None => figure("bandwidth", label, None, "needs the model and the GPU"),
    }
}

fn ceiling(analysis: &Analysis) -> KeyFigure {
    let label = "With free allreduce";
    let Some(chosen) = analysis.chosen.filter(|chosen| chosen.time.high.get() > 0.0) else {
        return figure("ceiling", label, None, "no allreduce, or nothing known of it");
    };
    let note = format!("most likely {}", show(chosen.ceiling.likely));
    figure("ceiling", label, Some(show_range(chosen.ceiling).to_string()), note)
}

fn first_token(scenario: &Scenario, analysis: &Analysis) -> KeyFigure {
    let (key, label) = ("first-token", "Time to first token");
    if let FirstToken::Impossible(first) = analysis.first_token {
        return figure(key, label, Some(show(first).to_string()), "cannot be right: nothing is concluded from it");
    }
    let Some(first) = scenario.seconds(Field::TimeToFirstToken) else {
        let observed = scenario.metrics().as_ref().and_then(|set| buckets(set.histogram(Meaning::TimeToFirstToken)?));
        let (value, note) = observed.unzip();
        return figure(
            key,
            label,
            value,
            note.unwrap_or_else(|| {
                if scenario.measured.is_some() { "not in the dump" } else { "not measured" }.to_owned()
            }),
        );
    };
    let note = match (analysis.first_token, analysis.reply.filter(|_| is_measured(analysis))) {
        (FirstToken::Queue(share), _) => format!("{} of it in the queue", show(share)),
        (FirstToken::Waiting { waiting, .. }, _) => format!("with the queue: {} waiting", many(waiting, "request")),
        (_, Some(reply)) => format!("{} of decoding {}", show(reply.over_decode), many(reply.tokens, "token")),
        (_, None) => "nothing measured to weigh it against".to_owned(),
    };
    figure(key, label, Some(show(first).to_string()), note)
}

fn is_measured(analysis: &Analysis) -> bool {
    analysis.step.as_ref().is_some_and(|step| step.time.source != Source::Modelled)
}

/// Where observations lie of which no mean is known, and how many there are.
fn buckets(histogram: &Histogram) -> Option<(String, String)> {
    let occupied = histogram.occupied();
    let (first, last) = (occupied.first()?, occupied.last()?);
    let low = Seconds::new(first.lower);
    let range = show_range(Range { low, likely: low, high: Seconds::new(last.upper) });
    Some((range.to_string(), format!("{}, their sum not in the dump", many(histogram.total(), "observation"))))
}

/// What the changes under trial come to: a shorter layer, a changed allreduce or bytes, and all of them together.
#[must_use]
pub fn what_if_figures(analysis: &Analysis) -> Vec<KeyFigure> {
    let Some(step) = &analysis.step else { return Vec::new() };
    let trial = |key, label: String, what_if: &WhatIf| {
        let gain = show_change(what_if.speed.likely - step.speed);
        let note = format!("likely {gain}{}{}", from(step), but(what_if.passes));
        figure(key, label, Some(show_range(what_if.speed).to_string()), note)
    };
    let changed = analysis.what_if.filter(|what_if| what_if.changes_anything);
    let changed = changed.map(|what_if| trial("trial", "Allreduce and bytes as set".to_owned(), &what_if));
    let together = analysis.together.zip(analysis.saving).filter(|(_, saving)| saving.too_much.is_none());
    let together = together.map(|(what_if, saving)| {
        let label = format!("All together, {} µs off each layer too", trimmed(saving.per_layer.as_micros()));
        trial("together", label, &what_if)
    });
    let saving = analysis.saving.as_ref().map(|saving| shorter_layers(analysis, step, saving));
    [saving, changed, together].into_iter().flatten().collect()
}

fn shorter_layers(analysis: &Analysis, step: &Step, saving: &LayerSaving) -> KeyFigure {
    if let Some(asked) = saving.too_much {
        let layer = analysis.layer_time().map_or(NOTHING.to_owned(), |layer| show_micros(layer).to_string());
        let label = format!("{} µs off each layer", trimmed(asked.as_micros()));
        return figure("saving", label, None, format!("all that a layer takes, or more: each takes {layer}"));
    }
    let label = format!("{} µs off each layer, {} of it", trimmed(saving.per_layer.as_micros()), show(saving.share));
    let first_order = show_change(saving.first_order_gain);
    let note = format!("{} (first order {first_order}){}{}", show_change(saving.gain), from(step), but(saving.passes));
    figure("saving", label, Some(show(saving.speed).to_string()), note)
}

/// What a change is a change of, where that is no measurement.
fn from(step: &Step) -> String {
    if step.time.source == Source::Modelled { format!(" from the floor's {}", show(step.speed)) } else { String::new() }
}

/// What stands against a speed, as the end of a remark.
fn but(passes: Option<TokensPerSecond>) -> String {
    passes.map_or(String::new(), |most| format!("; but memory allows only {}", show(most)))
}
