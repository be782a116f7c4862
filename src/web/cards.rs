//! The charts, each in a card with what is worth saying beside it.

use super::chart_view::ChartView;
use super::intake::sentence;
use super::state::{Action, State};
use crate::budget::EstimateKind;
use crate::paste::WarningKind;
use crate::report::{Figure, figures, server_facts};
use crate::scenario::EstimateChoice;
use leptos::prelude::*;

/// How many traps are told beside the numbers; all are among the remarks on the text.
const MOST_TRAPS: usize = 20;

/// All charts there is data for.
#[component]
pub fn Cards() -> impl IntoView {
    let state = State::expect();
    let all = state.derive(figures);
    let keys = Memo::new(move |_| all.with(|all| all.iter().map(|figure| figure.key).collect::<Vec<_>>()));
    view! {
        <div class="cards">
            <For each=move || keys.get() key=|key| *key let:key>
                <Card figures=all key=key/>
            </For>
            <ServerCard/>
        </div>
    }
}

#[component]
fn Card(figures: Memo<Vec<Figure>>, key: &'static str) -> impl IntoView {
    // The last figure stays while its card is being taken away.
    let figure = Memo::new(move |last: Option<&Option<Figure>>| {
        let now = figures.with(|all| all.iter().find(|figure| figure.key == key).cloned());
        now.or_else(|| last.cloned().flatten())
    });
    let chart = Signal::derive(move || figure.get().map(|figure| figure.chart));
    let title = move || figure.with(|figure| figure.as_ref().map(|figure| figure.chart.title().to_owned()));
    let notes = move || figure.with(|figure| figure.as_ref().map(|figure| figure.notes.clone())).unwrap_or_default();
    let heading = format!("card-{key}");
    let labelled_by = heading.clone();
    view! {
        <section class="card" data-card=key aria-labelledby=labelled_by>
            <h2 id=heading>{title}</h2>
            {(key == "budget").then(|| view! { <EstimatePicker/> })}
            {move || chart.with(Option::is_some).then(|| {
                let chart = Signal::derive(move || chart.get().unwrap_or_else(empty));
                view! { <ChartView chart=chart key=key/> }
            })}
            {move || notes().into_iter().map(|note| view! { <p class="note">{note}</p> }).collect_view()}
        </section>
    }
}

/// What else the dump says.
#[component]
fn ServerCard() -> impl IntoView {
    let state = State::expect();
    let facts = state.read(|scenario| scenario.measured.as_ref().map(server_facts).unwrap_or_default());
    let sources = state.read(|scenario| {
        let set = scenario.metrics().unwrap_or_default();
        set.histograms
            .into_iter()
            .map(|(meaning, latency)| format!("{}: {}", meaning.title(), latency.metric))
            .collect::<Vec<_>>()
    });
    // What is easily misread belongs beside the numbers, not only among the remarks on the text.
    let traps = move || {
        state.import.with(|import| {
            let traps = import.warnings.iter().filter(|warning| warning.kind == WarningKind::Trap);
            traps.take(MOST_TRAPS).map(|warning| sentence(&warning.message)).collect::<Vec<_>>()
        })
    };
    view! {
        <Show when=move || facts.with(|facts| !facts.is_empty())>
            <section class="card" data-card="server" aria-labelledby="card-server">
                <h2 id="card-server">"What else the server says"</h2>
                <dl class="facts">
                    {move || facts.get().into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> }).collect_view()}
                </dl>
                <ul class="traps">
                    {move || traps().into_iter().map(|text| view! { <li>{text}</li> }).collect_view()}
                </ul>
                <p class="note">{move || format!("Read from {}.", sources.get().join("; "))}</p>
            </section>
        </Show>
    }
}

fn empty() -> crate::chart::Chart {
    crate::chart::Chart::Stack(crate::chart::Stack::default())
}

/// Which estimate of the allreduce the budget, the ceilings and the what-ifs use.
#[component]
fn EstimatePicker() -> impl IntoView {
    let state = State::expect();
    let choice = state.read(|scenario| scenario.choice);
    let known = Memo::new(move |_| {
        state.analysis.with(|analysis| analysis.estimates.iter().map(|estimate| estimate.kind).collect::<Vec<_>>())
    });
    let offered = move || {
        EstimateChoice::ALL
            .into_iter()
            .filter(|&choice| known.with(|known| known.contains(&EstimateKind::of(choice))))
            .collect::<Vec<_>>()
    };
    view! {
        <Show when=move || 1 < offered().len()>
            <fieldset class="segmented">
                <legend>"Allreduce by"</legend>
                {move || offered().into_iter().map(|one| view! {
                    <label class:chosen=move || choice.get() == one>
                        <input
                            type="radio"
                            name="estimate"
                            value=one.key()
                            prop:checked=move || choice.get() == one
                            on:change=move |_| state.apply(Action::Estimate(one))
                        />
                        {short_title(one)}
                    </label>
                }).collect_view()}
            </fieldset>
        </Show>
    }
}

fn short_title(choice: EstimateChoice) -> &'static str {
    match choice {
        EstimateChoice::Combined => "best evidence",
        EstimateChoice::AlphaBeta => "latency and bandwidth",
        EstimateChoice::StatedShare => "stated share",
        EstimateChoice::StatedCompute => "stated compute",
    }
}
