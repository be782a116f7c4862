//! The handful of figures that answer the question at a glance.

use crate::budget::{Analysis, EstimateKind};
use crate::scenario::{Field, Scenario, Source};
use crate::units::format::{NOTHING, count, show, show_change, show_message, show_micros, show_range, trimmed};

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
    vec![
        speed(analysis),
        layer(analysis),
        allreduce(analysis),
        bandwidth(analysis),
        ceiling(analysis),
        first_token(scenario, analysis),
    ]
}

fn figure(key: &'static str, label: impl Into<String>, value: Option<String>, note: impl Into<String>) -> KeyFigure {
    KeyFigure { key, label: label.into(), value: value.unwrap_or_else(|| NOTHING.to_owned()), note: note.into() }
}

fn speed(analysis: &Analysis) -> KeyFigure {
    let step = analysis.step.as_ref();
    let note = step.map_or("paste a dump, or type a latency".to_owned(), |step| {
        let how = if step.time.source == Source::Modelled { "a floor, not measured" } else { step.time.source.word() };
        format!("{} a step, {how}", show(step.time.value))
    });
    figure("speed", "Decode speed", step.map(|step| show(step.speed).to_string()), note)
}

fn layer(analysis: &Analysis) -> KeyFigure {
    let label = analysis.layers.map_or("Each layer".to_owned(), |l| format!("Each of {} layers", count(l.value)));
    let nothing_left = if analysis.layers.is_some() { "less than what is taken off" } else { "needs the model" };
    let note = analysis.saving.as_ref().map_or(nothing_left.to_owned(), |saving| {
        format!("{} µs less in each: {}", trimmed(saving.per_layer.as_micros()), show_change(saving.gain))
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
    let value = scenario.seconds(Field::TimeToFirstToken).map(|time| show(time).to_string());
    let missing = if value.is_some() { "nothing to weigh it against" } else { "not in the dump" };
    let note = analysis.reply.map_or(missing.to_owned(), |reply| {
        format!("{} of decoding {} tokens", show(reply.over_decode), count(reply.tokens))
    });
    figure("first-token", "Time to first token", value, note)
}

/// What the changes under trial come to: a shorter layer, and a changed allreduce or bytes.
#[must_use]
pub fn what_if_figures(analysis: &Analysis) -> Vec<KeyFigure> {
    let Some(step) = &analysis.step else { return Vec::new() };
    let saving = analysis.saving.as_ref().map(|saving| {
        let label =
            format!("{} µs off each layer, {} of it", trimmed(saving.per_layer.as_micros()), show(saving.share));
        let note = format!("{} (first order {})", show_change(saving.gain), show_change(saving.first_order_gain));
        figure("saving", label, Some(show(saving.speed).to_string()), note)
    });
    let trial = analysis.what_if.filter(|what_if| what_if.changes_anything).map(|what_if| {
        let gain = show_change(what_if.speed.likely - step.speed);
        figure(
            "trial",
            "Allreduce and bytes as set",
            Some(show_range(what_if.speed).to_string()),
            format!("likely {gain}"),
        )
    });
    saving.into_iter().chain(trial).collect()
}
