//! Decodescope's engine: where each decoded token's time goes, and how fast it could be.
//!
//! The engine is pure: no browser, no input or output, no clock. Both fronts (`src/web`, the page,
//! and `src/cli`, the terminal) call the same functions and show the same numbers.
//!
//! # The rooms
//!
//! | room | what lives there | may use |
//! |---|---|---|
//! | [`units`] | seconds, bytes, rates, ranges, and the one formatter of numbers | nothing |
//! | [`pace`] | long work in steps, so that the page can paint and stop it in between | nothing |
//! | [`paste`] | what a person can paste: text in, typed facts and warnings out | `units`, `pace` |
//! | [`metrics`] | what a dump means: engines' names, histogram statistics, windows | `paste`, `pace` |
//! | [`model`] | an architecture's parameters, bytes and FLOPs, per layer and per GPU | `units` |
//! | [`hardware`] | GPUs, their links, what bandwidth they achieve | `units` |
//! | [`collective`] | what an allreduce costs, how many there are, and the evidence | `units`, `hardware` |
//! | [`prediction`] | how long a step will take, term by term, and how well that is known | `units`, `model`, `hardware`, `collective` |
//! | [`scenario`] | everything a user sets, each value with where it came from; the link | the rooms above |
//! | [`budget`] | the decode step taken apart: slices, shares, ceilings, sensitivities | `scenario` and above |
//! | [`chart`] | chart specifications as plain data, and drawing them on any backend | `units` |
//! | [`report`] | verdict sentences, charts of an analysis, text, Markdown and JSON | all of the above |

pub mod budget;
pub mod chart;
pub mod collective;
pub mod hardware;
pub mod metrics;
pub mod model;
pub mod pace;
pub mod paste;
pub mod prediction;
pub mod report;
pub mod scenario;
pub mod units;

/// The page: components, state, and the browser's pieces. Only with the feature `web`.
#[cfg(feature = "web")]
pub mod web;
