//! The rigorous bounds hold for any observations, and no narrower ones would: random samples are drawn, bucketed and
//! summed, and what they really are is compared with what the histogram says of them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use decodescope::metrics::histogram::{Histogram, NativeHistogram};
use decodescope::paste::prometheus::{NativeParts, Runs};
use proptest::collection::vec;
use proptest::prelude::*;

/// Buckets and sums observations as an exporter does.
fn observe(observations: &[f64], bounds: &[f64]) -> Histogram {
    let up_to = |le: f64| observations.iter().filter(|&&value| value <= le).count() as f64;
    let cumulative = bounds.iter().copied().chain([f64::INFINITY]).map(|le| (le, up_to(le))).collect();
    let (sum, count) = (observations.iter().sum(), observations.len() as f64);
    let (histogram, issues) = Histogram::from_cumulative(cumulative, Some(sum), Some(count));
    assert_eq!(issues, [], "sound observations raise no issue");
    histogram
}

/// The smallest value that at least `thousandths`/1000 of the observations do not exceed, in whole numbers.
fn true_quantile(observations: &[f64], thousandths: usize) -> f64 {
    let mut sorted = observations.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[(thousandths * sorted.len()).div_ceil(1000).max(1) - 1]
}

fn true_deviation(observations: &[f64]) -> f64 {
    let count = observations.len() as f64;
    let mean = observations.iter().sum::<f64>() / count;
    (observations.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

fn ascending(bounds: impl Strategy<Value = f64>) -> impl Strategy<Value = Vec<f64>> {
    vec(bounds, 1..9).prop_map(|mut bounds| {
        bounds.sort_by(f64::total_cmp);
        bounds.dedup();
        bounds
    })
}

/// Bounds, and observations spread, heaped, or exactly on the bounds.
fn durations() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    let value = prop_oneof![0.0..2.0, 0.0..60.0, 0.9..1.1, Just(0.0), (-9.0..3.0).prop_map(f64::exp)];
    (ascending(prop_oneof![0.001..2.0, 0.001..50.0, Just(1.0), Just(0.0)]), vec(value, 1..60), any::<bool>()).prop_map(
        |(bounds, mut values, on_bounds)| {
            if on_bounds {
                values.extend(&bounds);
            }
            (bounds, values)
        },
    )
}

fn signed() -> impl Strategy<Value = (Vec<f64>, Vec<f64>)> {
    (ascending(-20.0..-0.1), ascending(0.1..20.0), vec(-25.0..25.0, 1..40))
        .prop_map(|(low, high, values)| (low.into_iter().chain(high).collect(), values))
}

fn holds(bounds: &[f64], observations: &[f64], thousandths: usize, threshold: f64) -> Result<(), TestCaseError> {
    let histogram = observe(observations, bounds);
    let count = observations.len() as f64;

    let quantile = histogram.quantile(thousandths as f64 / 1000.0).unwrap();
    let truth = true_quantile(observations, thousandths);
    prop_assert!(quantile.low <= truth && truth <= quantile.high, "{truth} is outside {quantile:?}");
    prop_assert!(quantile.bucket.0 <= quantile.low && quantile.high <= quantile.bucket.1, "{quantile:?}");
    prop_assert!(quantile.estimate.is_none_or(|x| quantile.low <= x && x <= quantile.high), "{quantile:?}");
    prop_assert!(quantile.sum_used);

    let (smallest, largest) = (true_quantile(observations, 0), true_quantile(observations, 1000));
    let (minimum, maximum) = (histogram.minimum().unwrap(), histogram.maximum().unwrap());
    prop_assert!(minimum.0 <= smallest && smallest <= minimum.1, "{smallest} is outside {minimum:?}");
    prop_assert!(maximum.0 <= largest && largest <= maximum.1, "{largest} is outside {maximum:?}");

    for threshold in [threshold, observations[0], bounds[0], truth] {
        let share = observations.iter().filter(|&&value| value > threshold).count() as f64 / count;
        let (low, high) = histogram.share_above(threshold).unwrap();
        prop_assert!(low <= share && share <= high, "above {threshold}: {share} is outside {low} to {high}");
    }

    let (low, high) = histogram.standard_deviation().unwrap();
    let truth = true_deviation(observations);
    let rounding = 1e-7 * truth.max(histogram.mean().unwrap().abs()); // of the square root of a difference near 0
    prop_assert!(low - rounding <= truth && truth <= high + rounding, "sd {truth} is outside {low} to {high}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn durations_lie_within_their_bounds(
        (bounds, values) in durations(), thousandths in 0_usize..=1000, threshold in 0.0..60.0
    ) {
        holds(&bounds, &values, thousandths, threshold)?;
    }

    #[test]
    fn signed_values_lie_within_their_bounds(
        (bounds, values) in signed(), thousandths in 0_usize..=1000, threshold in -25.0..25.0
    ) {
        holds(&bounds, &values, thousandths, threshold)?;
    }

    /// The same mass in fractions, as `rate` gives it, must not narrow the bounds below the truth.
    #[test]
    fn scaled_counts_bound_the_same_quantile((bounds, values) in durations(), thousandths in 0_usize..=1000) {
        let whole = observe(&values, &bounds);
        let mut scaled = whole.clone();
        scaled.buckets.iter_mut().for_each(|bucket| bucket.count /= 300.7);
        scaled.sum = scaled.sum.map(|sum| sum / 300.7);
        scaled.count = Some(scaled.buckets.iter().map(|bucket| bucket.count).sum());
        let quantile = scaled.quantile(thousandths as f64 / 1000.0).unwrap();
        // At a step between two observations both are the quantile, up to rounding of the rank.
        let near = [thousandths.saturating_sub(1), thousandths, (thousandths + 1).min(1000)];
        let truths = near.map(|thousandths| true_quantile(&values, thousandths));
        let slack = 1e-9 * truths[2].max(1e-3);
        prop_assert!(quantile.low <= truths[2] + slack && truths[0] - slack <= quantile.high, "{truths:?} {quantile:?}");
    }

    /// The bucket of index `i` is `(b^(i−1), b^i]`, so a value belongs to `⌈log_b⌉` of it.
    #[test]
    fn native_histograms_bound_the_same_observations(
        values in vec((-9.0..5.0).prop_map(f64::exp), 1..60), schema in -2..4_i32, thousandths in 0_usize..=1000
    ) {
        let index = |value: f64| (value.log2() * f64::from(schema).exp2()).ceil() as i32;
        let first = values.iter().map(|&value| index(value)).min().unwrap();
        let last = values.iter().map(|&value| index(value)).max().unwrap();
        let count = |at| values.iter().filter(|&&value| index(value) == at).count() as f64;
        let counts: Vec<f64> = (first..=last).map(count).collect();
        let parts = NativeParts {
            schema,
            positive: Runs { spans: vec![(first, counts.len() as u32)], counts },
            sum: Some(values.iter().sum()),
            count: values.len() as f64,
            ..NativeParts::default()
        };
        let (classic, issues) = NativeHistogram::new(&parts).unwrap().to_classic();
        prop_assert_eq!(issues, []);
        let quantile = classic.quantile(thousandths as f64 / 1000.0).unwrap();
        let truth = true_quantile(&values, thousandths);
        prop_assert!(quantile.low <= truth && truth <= quantile.high, "{truth} is outside {quantile:?}");
        prop_assert!(quantile.bucket.1 <= quantile.bucket.0 * f64::from(-schema).exp2().exp2() * (1.0 + 1e-12));
    }

    #[test]
    fn merged_histograms_are_those_of_all_observations((bounds, values) in durations(), part in 0.0..1.0) {
        let split = ((values.len() as f64 * part) as usize).max(1).min(values.len() - 1);
        prop_assume!(split > 0);
        let mut merged = observe(&values[..split], &bounds);
        merged.add(&observe(&values[split..], &bounds));
        let all = observe(&values, &bounds);
        prop_assert_eq!(&merged.buckets, &all.buckets);
        prop_assert!((merged.sum.unwrap() - all.sum.unwrap()).abs() <= 1e-12 * all.sum.unwrap());
    }

    #[test]
    fn any_input_is_mended_into_a_sound_histogram(
        cumulative in vec((any::<f64>(), prop_oneof![any::<f64>(), 0.0..9.0]), 0..8),
        sum in any::<Option<f64>>(), count in any::<Option<f64>>(), q in any::<f64>(), threshold in any::<f64>(),
    ) {
        let (histogram, issues) = Histogram::from_cumulative(cumulative, sum, count);
        prop_assert!(histogram.buckets.is_sorted_by(|a, b| a.le < b.le));
        prop_assert!(histogram.buckets.iter().all(|bucket| bucket.count.is_finite() && bucket.count >= 0.0));
        prop_assert!(issues.iter().all(|issue| !issue.to_string().is_empty()));
        let text = serde_json::to_string(&histogram).unwrap();
        prop_assert_eq!(&serde_json::from_str::<Histogram>(&text).unwrap(), &histogram);
        for q in [q, 0.0, 0.5, 1.0] {
            if let Some(quantile) = histogram.quantile(q) {
                prop_assert!(quantile.low <= quantile.high, "{:?} {:?}", quantile, histogram);
                prop_assert!(quantile.estimate.is_none_or(|estimate| !estimate.is_nan()));
            }
        }
        prop_assert!(histogram.share_above(threshold).is_none_or(|(low, high)| 0.0 <= low && low <= high && high <= 1.0));
        prop_assert!(histogram.standard_deviation().is_none_or(|(low, high)| low <= high), "{:?}", histogram);
        prop_assert!(histogram.main_bucket().is_none_or(|main| main.share > 0.0));
        let mut twice = histogram.clone();
        twice.add(&histogram);
    }
}

/// Bounds that ascend by at least 0.1 and, for each bucket up to the last bound, how many observations it gets.
fn layout() -> impl Strategy<Value = (Vec<f64>, Vec<usize>)> {
    vec((0.1..5.0, 0_usize..6), 1..7).prop_filter("some observation", |b| b.iter().any(|b| b.1 > 0)).prop_map(|steps| {
        let mut bound = 0.0;
        let bounds = steps.iter().map(|(step, _)| {
            bound += step;
            bound
        });
        (bounds.collect(), steps.iter().map(|(_, count)| *count).collect())
    })
}

/// As near above a lower bound, which itself belongs to the bucket below, as the tests' tolerance asks.
const JUST_ABOVE: f64 = 1e-9;
const TOLERANCE: f64 = 1e-6;

/// All observations' bucket bounds, one entry per observation, ascending.
fn places(bounds: &[f64], counts: &[usize]) -> Vec<(f64, f64)> {
    let lowers = [0.0].into_iter().chain(bounds.iter().copied());
    lowers.zip(bounds).zip(counts).flat_map(|((low, &high), &count)| vec![(low, high); count]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The upper bound is met: the quantile and its equals above it in the bucket at `v`, all others at their lower bounds.
    /// The lower bound likewise, with all others at their upper bounds.
    #[test]
    fn quantile_bounds_are_sharp((bounds, counts) in layout(), pick in any::<prop::sample::Index>(), part in 0.01..0.99) {
        let places = places(&bounds, &counts);
        let index = pick.index(places.len());
        let (low, high) = places[index];
        let value = low + part * (high - low);
        let q = (index as f64 + 0.5) / places.len() as f64;

        let raised: Vec<f64> = places.iter().enumerate()
            .map(|(other, place)| if other >= index && place.0 == low { value } else { place.0 + JUST_ABOVE }).collect();
        let found = observe(&raised, &bounds).quantile(q).unwrap();
        prop_assert!((found.high - value).abs() < TOLERANCE, "{found:?}, met at {value}");

        let lowered: Vec<f64> = places.iter().enumerate()
            .map(|(other, place)| if other <= index && place.0 == low { value } else { place.1 }).collect();
        let found = observe(&lowered, &bounds).quantile(q).unwrap();
        prop_assert!((found.low - value).abs() < TOLERANCE, "{found:?}, met at {value}");
    }

    /// With observations above the last bound: one takes all the room, or all share what the others leave.
    #[test]
    fn bounds_above_the_last_bucket_are_sharp((bounds, counts) in layout(), above in 1_usize..6, far in 1.0_f64..99.0) {
        let last: f64 = *bounds.last().unwrap();
        let places = places(&bounds, &counts);
        let mut values: Vec<f64> = places.iter().map(|place| place.0 + JUST_ABOVE).collect();
        values.extend(vec![last + JUST_ABOVE; above - 1]);
        values.push(last + far);
        let histogram = observe(&values, &bounds);
        prop_assert!((histogram.maximum().unwrap().1 - (last + far)).abs() < TOLERANCE);
        prop_assert!((histogram.standard_deviation().unwrap().1 - true_deviation(&values)).abs() < TOLERANCE * far);

        let mut values: Vec<f64> = places.iter().map(|place| place.1).collect();
        values.extend(vec![last + far; above]);
        prop_assert!((observe(&values, &bounds).maximum().unwrap().0 - (last + far)).abs() < TOLERANCE);
    }

    /// Observations at `t` just above, as many as the room pays for; or at `t`, the others at their upper bounds.
    #[test]
    fn share_bounds_are_sharp((bounds, counts) in layout(), pick in any::<prop::sample::Index>(), part in 0.1..0.9) {
        let places = places(&bounds, &counts);
        let index = pick.index(places.len());
        let (low, high) = places[index];
        let threshold = low + part * (high - low);

        let raised: Vec<f64> = places.iter().enumerate().map(|(other, place)| {
            if other >= index && place.0 == low { threshold + JUST_ABOVE } else { place.0 + JUST_ABOVE }
        }).collect();
        let share = raised.iter().filter(|&&value| value > threshold).count() as f64 / raised.len() as f64;
        let found = observe(&raised, &bounds).share_above(threshold).unwrap();
        prop_assert!((found.1 - share).abs() < TOLERANCE, "{found:?}, met at {share}");

        let lowered: Vec<f64> = places.iter().enumerate()
            .map(|(other, place)| if other <= index && place.0 == low { threshold } else { place.1 }).collect();
        let share = lowered.iter().filter(|&&value| value > threshold).count() as f64 / lowered.len() as f64;
        let found = observe(&lowered, &bounds).share_above(threshold).unwrap();
        prop_assert!((found.0 - share).abs() < TOLERANCE, "{found:?}, met at {share}");
    }

    /// The widest spread: from the top down at the upper bounds, the rest at the lower ones. The narrowest: all as near
    /// to one level as they can be.
    #[test]
    fn spread_bounds_are_sharp((bounds, counts) in layout(), pick in any::<prop::sample::Index>(), part in 0.0..1.0) {
        let places = places(&bounds, &counts);
        let index = pick.index(places.len());
        let wide: Vec<f64> = places.iter().enumerate()
            .map(|(other, place)| if other >= index { place.1 } else { place.0 + JUST_ABOVE }).collect();
        // The square root magnifies what the nudge above the lower bounds leaves.
        let near = |found: f64, truth: f64| (found.powi(2) - truth.powi(2)).abs() < TOLERANCE;
        let found = observe(&wide, &bounds).standard_deviation().unwrap();
        prop_assert!(near(found.1, true_deviation(&wide)), "{found:?}, met at {}", true_deviation(&wide));

        let level: f64 = part * bounds.last().unwrap();
        let narrow: Vec<f64> = places.iter().map(|place| level.clamp(place.0 + JUST_ABOVE, place.1)).collect();
        let found = observe(&narrow, &bounds).standard_deviation().unwrap();
        prop_assert!(near(found.0, true_deviation(&narrow)), "{found:?}, met at {}", true_deviation(&narrow));
    }
}
