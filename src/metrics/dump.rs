//! A whole dump, read.

use super::engines;
use super::gather::{Gathered, gather};
use super::meaning::Meaning;
use super::resemble::resemble;
use super::scrapes;
use super::series::SeriesMap;
use super::serving::{Selection, ServingMetrics};
use super::sets;
use super::traps::{Scene, traps};
use super::version::{VersionHint, version_hint};
use crate::pace::{Pace, Work};
use crate::paste::prometheus::Exposition;
use crate::paste::{Warning, WarningKind};

/// What became of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// No sample at all: this is not metrics text.
    NotMetrics,
    /// Samples, but none of them says anything about serving (or nothing was observed yet).
    NothingUsable,
    /// There is something to look at.
    Fine,
}

/// A metric name in the dump and how many samples carry it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameCount {
    /// The name, without a histogram's or counter's suffix.
    pub name: String,
    /// How many samples.
    pub samples: usize,
    /// What we take it for, if we know it.
    pub meaning: Option<Meaning>,
    /// The known name it is so close to that it may be meant.
    pub resembles: Option<String>,
}

/// A whole dump, read.
#[derive(Debug, Clone, PartialEq)]
pub struct Dump {
    /// One set per model and engine, in order of their names.
    pub sets: Vec<ServingMetrics>,
    /// What there is to say about it, by line.
    pub warnings: Vec<Warning>,
    /// Whether there is anything to look at.
    pub outcome: Outcome,
    /// Every metric name in it, in order of appearance.
    pub names: Vec<NameCount>,
    /// Which releases of the server it may come from.
    pub version_hint: Option<VersionHint>,
    /// When the server started, in seconds since 1970, if the dump says so.
    pub started: Option<f64>,
    /// When it was taken, in seconds since 1970, if its samples carry timestamps.
    pub taken: Option<f64>,
    /// Earlier scrapes of the same server in the same text, oldest first.
    pub earlier: Vec<Dump>,
    /// The series behind the sets.
    pub(super) series: SeriesMap,
}

impl Dump {
    /// The sets of one selection as one.
    #[must_use]
    pub fn select(&self, selection: &Selection) -> ServingMetrics {
        selection.of(&self.sets)
    }

    /// This scrape and the earlier ones of the same text, oldest first.
    pub fn scrapes(&self) -> impl Iterator<Item = &Dump> {
        self.earlier.iter().chain([self])
    }

    /// Puts a name before each warning, to tell several dumps' apart.
    pub fn name_warnings(&mut self, name: &str) {
        for warning in &mut self.warnings {
            warning.message = format!("{name}: {}", warning.message);
        }
    }

    /// The dumps of two servers as one: their sets side by side. What happened between scrapes cannot be told of it.
    #[must_use]
    pub fn beside(self, other: Dump) -> Dump {
        let fine = self.outcome == Outcome::Fine || other.outcome == Outcome::Fine;
        Dump {
            sets: [self.sets, other.sets].concat(),
            warnings: [self.warnings, other.warnings].concat(),
            outcome: if fine { Outcome::Fine } else { self.outcome },
            names: joined(self.names, other.names),
            version_hint: self.version_hint.filter(|hint| Some(hint) == other.version_hint.as_ref()),
            started: None,
            taken: None,
            earlier: Vec::new(),
            series: SeriesMap::new(),
        }
    }
}

/// Reads what the samples mean.
///
/// Where one text holds several scrapes of the same server, this is the last, and the others are
/// [`Dump::earlier`]; [`window`](fn@super::window) tells what happened between two of them.
#[must_use]
pub fn read_dump(exposition: &Exposition<'_>) -> Dump {
    Work::new(|pace| async move { read_dump_in_steps(exposition, &pace).await }).finish()
}

/// As [`read_dump`], resting every few thousand samples.
pub async fn read_dump_in_steps(exposition: &Exposition<'_>, pace: &Pace) -> Dump {
    let gathered = gather(exposition, 0..exposition.samples().len(), &pace.part(0.0, 0.5)).await;
    let repeated = gathered.repeated.samples > 0;
    let scrapes = if repeated { scrapes::split(exposition, &pace.part(0.5, 0.6)).await } else { Vec::new() };
    if scrapes.len() < 2 {
        return finished(exposition, conclude(exposition, gathered, &pace.part(0.6, 1.0)).await);
    }
    let used = scrapes.get(..=scrapes::last_whole(&scrapes)).unwrap_or_default();
    let mut dumps = Vec::with_capacity(used.len());
    let share = |place: usize| 0.6 + 0.4 * place as f64 / used.len() as f64;
    for (place, range) in used.iter().enumerate() {
        let (one, other) = (pace.part(share(place), share(place)), pace.part(share(place), share(place + 1)));
        let gathered = gather(exposition, range.clone(), &one).await;
        dumps.push(conclude(exposition, gathered, &other).await);
    }
    let Some(mut dump) = dumps.pop() else {
        return finished(exposition, conclude(exposition, gathered, pace).await);
    };
    dump.warnings.push(scrapes::several(&scrapes));
    dump.earlier = dumps;
    finished(exposition, dump)
}

/// With the remarks about the text itself.
fn finished(exposition: &Exposition<'_>, mut dump: Dump) -> Dump {
    dump.warnings.extend_from_slice(exposition.warnings());
    dump.warnings.sort_by_key(|warning| warning.line.unwrap_or(usize::MAX));
    dump
}

async fn conclude(exposition: &Exposition<'_>, gathered: Gathered, pace: &Pace) -> Dump {
    let Gathered { series, mut names, mut warnings, repeated, started, taken } = gathered;
    if repeated.samples > 0 {
        let message = format!(
            "samples that repeat an earlier one with the same name and labels: {} (two servers in one text, or a restart?); \
             the last of each counts",
            repeated.samples
        );
        warnings.push(Warning::at(repeated.first_line, WarningKind::Duplicate, message));
    }
    let (sets, too_many) = sets::sets(&series, &pace.part(0.0, 0.7)).await;
    warnings.extend(too_many);
    let outcome = outcome(&sets, &names);
    warnings.extend(explain(outcome, &sets, &names, exposition));
    let all = ServingMetrics::together(&sets);
    warnings.extend(not_added_up(&all, &sets));
    let scene = Scene { all, sets: &sets, names: &names, series: &series, exposition: Some(exposition) };
    warnings.extend(traps(&scene, &pace.part(0.7, 0.9)).await);
    warnings.extend(resemble(&mut names, &pace.part(0.9, 1.0)).await);
    let version_hint = version_hint(&names, &series);
    Dump { sets, warnings, outcome, names, version_hint, started, taken, earlier: Vec::new(), series }
}

/// Names counted together, in order of appearance.
fn joined(mut names: Vec<NameCount>, others: Vec<NameCount>) -> Vec<NameCount> {
    for other in others {
        match names.iter_mut().find(|name| name.name == other.name) {
            Some(name) => name.samples += other.samples,
            None => names.push(other),
        }
    }
    names
}

fn outcome(sets: &[ServingMetrics], names: &[NameCount]) -> Outcome {
    let tells = |set: &ServingMetrics| {
        let mut values = set.values.iter().filter(|(meaning, _)| !meaning.is_configuration());
        let mut histograms = set.histograms.values().map(|latency| &latency.histogram);
        values.any(|(_, &value)| value != 0.0) || histograms.any(|histogram| histogram.total() > 0.0)
    };
    match (names.is_empty(), sets.iter().any(tells)) {
        (true, _) => Outcome::NotMetrics,
        (false, false) => Outcome::NothingUsable,
        (false, true) => Outcome::Fine,
    }
}

/// Why there is nothing to look at, and what would help.
fn explain(
    outcome: Outcome,
    sets: &[ServingMetrics],
    names: &[NameCount],
    exposition: &Exposition<'_>,
) -> Option<Warning> {
    let metadata_only = exposition.has_metadata_only();
    let said = |kinds: &[WarningKind]| exposition.warnings().iter().any(|warning| kinds.contains(&warning.kind));
    let known_prefix = names.iter().any(|name| engines::with_prefix_of(&name.name).is_some());
    let message = match outcome {
        Outcome::Fine if !sets.iter().any(ServingMetrics::has_latency) => {
            "no inter-token latency and no time to first token with observations in this dump"
        }
        Outcome::Fine => return None,
        Outcome::NotMetrics if metadata_only && said(&[WarningKind::Skipped, WarningKind::BadValue]) => {
            "only HELP and TYPE lines, no samples: the server has not answered a request yet, or they are among the \
             lines that were left out"
        }
        Outcome::NotMetrics if metadata_only && said(&[WarningKind::Truncated]) => {
            "only HELP and TYPE lines, no samples: the server has not answered a request yet, or the text is cut"
        }
        Outcome::NotMetrics if metadata_only => {
            "only HELP and TYPE lines, no samples: the server has not answered a request yet"
        }
        Outcome::NotMetrics => "no metrics in this text: expected lines such as vllm:generation_tokens_total{…} 1635.0",
        Outcome::NothingUsable if !sets.is_empty() => {
            "serving metrics, but nothing observed yet: send a request and scrape again"
        }
        Outcome::NothingUsable if known_prefix => "a serving engine's metrics, but none that this tool uses",
        Outcome::NothingUsable => {
            "metrics, but none of a known serving engine: the server may run with --disable-log-stats, this may be \
             another process's port (a router), or no request has come yet"
        }
    };
    Some(Warning::whole(WarningKind::Missing, message))
}

/// Distributions of which all sets together hold fewer observations than the sets do one by one.
fn not_added_up(all: &ServingMetrics, sets: &[ServingMetrics]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (meaning, latency) in &all.histograms {
        let parts = sets.iter().filter(|set| all.product.starts_with(&set.product));
        let parts: Vec<f64> = parts.filter_map(|set| set.histogram(*meaning)).map(|h| h.total()).collect();
        let sum: f64 = parts.iter().sum();
        if latency.histogram.total() < sum {
            let message = format!(
                "{}: its {} parts are cut in different places and cannot be added up; together they show {} of at \
                 least {} observations",
                latency.metric,
                parts.len(),
                crate::units::format::count(latency.histogram.total()),
                crate::units::format::count(sum)
            );
            warnings.push(Warning::whole(WarningKind::Inconsistent, message));
        }
    }
    warnings
}
