//! Predictions hold against published measurements they were not fitted to.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod validation;

use decodescope::prediction::Constants;
use validation::{KNOBS, Row, errors, fit, loss, rows, unusable};

#[test]
fn the_rows_not_fitted_are_predicted_within_ten_percent() {
    let rows = rows();
    for (name, fitted) in [("fitted", true), ("held out", false)] {
        let errors = errors(&Constants::FITTED, rows.iter().filter(|row| row.is_fitted() == fitted));
        println!(
            "{name}: {} rows, median {:.1} %, p90 {:.1} %",
            errors.count,
            errors.median * 100.0,
            errors.p90 * 100.0
        );
        assert!(errors.count >= 60);
        assert!(errors.median <= 0.10, "{name}: {}", errors.median);
    }
}

#[test]
fn no_measured_speed_is_above_the_ceiling() {
    for row in rows() {
        let least = row.predict(&Constants::FITTED).ceiling.time;
        assert!(row.measured >= least, "{}: {:?} is faster than {least:?}", row.id, row.measured);
    }
}

#[test]
fn eight_of_ten_held_out_rows_lie_in_the_predicted_range() {
    let rows = rows();
    let held: Vec<&Row> = rows.iter().filter(|row| !row.is_fitted()).collect();
    let within = held.iter().filter(|row| {
        let range = row.predict(&Constants::FITTED).time();
        range.low <= row.measured && row.measured <= range.high
    });
    let share = within.count() as f64 / held.len() as f64;
    println!("{:.0} % of {} held-out rows lie within the range", share * 100.0, held.len());
    assert!(share >= 0.8, "{share}");
}

#[test]
fn the_constants_are_the_fit_to_their_half() {
    let rows = rows();
    let fitted: Vec<&Row> = rows.iter().filter(|row| row.is_fitted()).collect();
    let best = fit(&fitted, 60);
    for knob in &KNOBS {
        println!(
            "{}: {:.4} {}, kept as {:.4}",
            knob.name,
            (knob.get)(&best),
            knob.unit,
            (knob.get)(&Constants::FITTED)
        );
    }
    let (here, there) = (loss(&Constants::FITTED, &fitted), loss(&best, &fitted));
    println!("loss {here:.4}, of the fit {there:.4}");
    assert!(here <= there + 0.002, "{here} against {there}");
}

#[test]
fn every_published_row_is_used_or_has_its_reason() {
    let mut ids: Vec<&str> = rows().iter().map(|row| row.id).chain(unusable().into_iter().map(|(id, _)| id)).collect();
    assert_eq!(ids.len(), 204);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 204);
    assert!(unusable().iter().all(|(_, reason)| reason.len() > 10));
}

#[test]
fn the_published_page_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/validation.md");
    let published = std::fs::read_to_string(path).unwrap();
    // All but the fits without a model each, which take long.
    let mut lines = published.lines();
    for line in validation::document::markdown(false).lines() {
        assert!(lines.any(|published| published == line), "docs/validation.md is out of date (make validate): {line}");
    }
}
