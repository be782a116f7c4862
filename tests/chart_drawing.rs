//! What is drawn is what the data say, at any width, in any palette, and whatever the data are.
//!
//! `DECODESCOPE_GALLERY=some/folder cargo test --test chart_drawing` also writes the drawings there, to be
//! looked at.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod chart_examples;

use chart_examples::*;
use decodescope::chart::*;
use proptest::prelude::*;

const WIDTHS: [u32; 6] = [320, 340, 480, 560, 640, 900];

fn draw_svg(chart: &Chart, theme: &Theme, width: u32) -> String {
    svg(chart, theme, width, chart.preferred_height(f64::from(width)).ceil() as u32).unwrap()
}

/// The value of an attribute in an element's opening tag.
fn attribute<'a>(element: &'a str, name: &str) -> &'a str {
    let after = element.split_once(&format!(" {name}=\"")).map_or("", |(_, after)| after);
    after.split_once('"').map_or("", |(value, _)| value)
}

/// An element's number, back in CSS pixels: the file is drawn four times larger.
fn number(element: &str, name: &str) -> f64 {
    attribute(element, name).parse::<f64>().unwrap() / 4.0
}

/// The texts with the rectangles they are estimated to cover.
fn texts(file: &str) -> Vec<(String, Rect)> {
    file.split("<text ")
        .skip(1)
        .map(|element| {
            let element = format!(" {element}");
            let content = element.split_once('>').unwrap().1.split_once("</text>").unwrap().0.trim();
            let content = content.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
            let size = number(&element, "font-size");
            let width = text_width(&content, size, attribute(&element, "font-weight") == "bold");
            let x = number(&element, "x")
                - match attribute(&element, "text-anchor") {
                    "end" => width,
                    "middle" => width / 2.0,
                    _ => 0.0,
                };
            (content, Rect::new(x, number(&element, "y") - size / 2.0, width, size))
        })
        .collect()
}

/// The filled rectangles of a colour.
fn bars(file: &str, colour: Colour) -> Vec<Rect> {
    file.split("<rect ")
        .skip(1)
        .map(|element| format!(" {}", element.split_once("/>").unwrap().0))
        .filter(|element| attribute(element, "fill").eq_ignore_ascii_case(&colour.css()))
        .map(|element| {
            let side = |name| number(&element, name);
            Rect::new(side("x"), side("y"), side("width"), side("height"))
        })
        .collect()
}

fn assert_tidy(name: &str, file: &str, width: u32, height: f64) {
    assert!(!file.contains("NaN"), "{name}");
    let texts = texts(file);
    for (index, (text, place)) in texts.iter().enumerate() {
        let inside = place.x >= -1.0 && place.right() <= f64::from(width) + 1.0 && place.y >= -1.0;
        assert!(inside && place.bottom() <= height + 1.0, "{name} at {width}: {text:?} leaves the drawing: {place:?}");
        for (other, there) in &texts[index + 1..] {
            let apart = place.right() <= there.x + 1.0
                || there.right() <= place.x + 1.0
                || place.bottom() <= there.y + 1.0
                || there.bottom() <= place.y + 1.0;
            assert!(apart, "{name} at {width}: {text:?} runs into {other:?}");
        }
    }
}

#[test]
fn texts_neither_overlap_nor_leave_the_drawing() {
    let folder = std::env::var_os("DECODESCOPE_GALLERY").map(std::path::PathBuf::from);
    for (name, chart) in gallery() {
        for width in WIDTHS {
            for (palette, theme) in [("light", Theme::light()), ("dark", Theme::dark()), ("print", Theme::print())] {
                let file = draw_svg(&chart, &theme, width);
                assert_tidy(name, &file, width, chart.preferred_height(f64::from(width)).ceil());
                if let Some(folder) = &folder {
                    std::fs::write(folder.join(format!("{name}-{width}-{palette}.svg")), file).unwrap();
                }
            }
        }
    }
}

#[test]
fn what_the_caller_wrote_stands_in_the_drawing_at_640() {
    let wanted: [(Chart, &[&str]); 4] = [
        (histogram(), &["1,623 · 100 %", "10", "25", "mean 17.4 ms", "ms"]),
        (stack(false), &["Per token", "17.4 ms", "223 µs", "Allreduce", "4.2 ms", "Residual", "MoE weights 1.5 ms"]),
        (ranges(), &["Microbenchmark", "3.7–7.5 ms", "≥ 3.83 ms", "measured step 17.4 ms", "allreduce per token, ms"]),
        (
            curve(),
            &["Today", "57.5 tok/s", "Free allreduce", "tokens per second", "allreduce per token, ms", "baseline"],
        ),
    ];
    for (chart, wanted) in wanted {
        let texts: Vec<String> =
            texts(&draw_svg(&chart, &Theme::light(), 640)).into_iter().map(|(text, _)| text).collect();
        for text in wanted {
            assert!(texts.iter().any(|written| written == text), "{}: no {text:?} in {texts:?}", chart.title());
        }
    }
}

#[test]
fn today_and_all_values_stay_readable_on_a_phone() {
    let texts = texts(&draw_svg(&ladder(), &Theme::light(), 320));
    for wanted in ["Today", "57.5 tok/s", "70–101 tok/s", "100–167 tok/s", "380–440 tok/s"] {
        assert!(texts.iter().any(|(text, _)| text == wanted), "no {wanted:?}");
    }
}

#[test]
fn a_ladders_bars_are_as_long_as_its_values() {
    let theme = Theme::light();
    let file = draw_svg(&ladder(), &theme, 640);
    // Today in the foreground colour: 57.5 tok/s. The gain of perfect bandwidth: 411 − 57.5 tok/s.
    let longest = |colour| bars(&file, colour).into_iter().map(|bar| bar.width).fold(0.0, f64::max);
    let today = bars(&file, theme.foreground).into_iter().filter(|bar| bar.height > 10.0 && bar.width > 2.0);
    let today = today.map(|bar| bar.width).fold(0.0, f64::max);
    assert!((longest(theme.accent) / today - (411.0 - 57.5) / 57.5).abs() < 0.1, "{} {today}", longest(theme.accent));
}

#[test]
fn a_stack_fills_the_width_and_its_parts_are_in_proportion() {
    let theme = Theme::light();
    let file = draw_svg(&stack(false), &theme, 640);
    let rest = bars(&file, theme.residual).into_iter().find(|bar| bar.height > 20.0).unwrap();
    // 17.4 − 1.1 − 1.5 − 0.2 − 4.2 = 10.4 of 17.4 ms.
    assert!((rest.width - 640.0 * 10.4 / 17.4).abs() < 1.5, "{rest:?}");
    assert!((rest.right() - 640.0).abs() < 0.5);
}

#[test]
fn what_the_parts_exceed_the_whole_by_is_an_overhang_in_the_warning_colour() {
    let theme = Theme::light();
    let file = draw_svg(&stack(true), &theme, 640);
    // Parts 1.1 + 1.5 + 0.2 + 17.2 = 20 ms of a whole of 17.4: the last 2.6 of 20 hang over.
    let stripe = bars(&file, theme.warning).into_iter().find(|bar| bar.width > 20.0).unwrap();
    assert!((stripe.width - 640.0 * 2.6 / 20.0).abs() < 1.0, "{stripe:?}");
    assert!((stripe.right() - 640.0).abs() < 0.5);
    assert!(file.contains("Residual −2.6 ms"));
    assert!(!draw_svg(&stack(false), &theme, 640).contains(&theme.warning.css().to_uppercase()));
}

#[test]
fn empty_buckets_far_from_the_mass_are_left_out() {
    let layout = histogram().layout(&Theme::light(), 640.0, 240.0);
    let titles: Vec<&str> = layout.hits.iter().map(|hit| hit.title.as_str()).collect();
    assert_eq!(titles, ["0–10 ms", "10–25 ms", "25–50 ms"]);
    assert_eq!(layout.hits[1].text, "1,623 · 100 %");
    // The last bucket has no upper bound.
    let open = long_histogram().layout(&Theme::light(), 640.0, 240.0);
    assert_eq!(open.hits.last().unwrap().title, "over 5000 ms");
}

#[test]
fn a_columns_height_is_its_count() {
    let theme = Theme::light();
    let file = draw_svg(&long_histogram(), &theme, 900);
    let mut heights: Vec<f64> = bars(&file, theme.accent).into_iter().map(|bar| bar.height).collect();
    heights.sort_by(|a, b| b.total_cmp(a));
    assert!((heights[1] / heights[0] - 910.0 / 1310.0).abs() < 0.01, "{heights:?}");
}

#[test]
fn the_mean_stands_inside_its_bucket() {
    let layout = histogram().layout(&Theme::light(), 640.0, 240.0);
    let column = layout.hits[1].rect;
    let file = draw_svg(&histogram(), &Theme::light(), 640);
    let pointer = format!(" {}", file.split_once("<polygon ").unwrap().1);
    let tip: f64 = attribute(&pointer, "points").split(',').next().unwrap().parse().unwrap();
    // 17.39 ms of (10, 25]: 7.39 of 15 along the column.
    assert!((tip / 4.0 - (column.x + column.width * 7.39 / 15.0)).abs() < 0.5);
}

#[test]
fn a_sliver_of_a_bar_can_still_be_pointed_at() {
    let layout = stack(false).layout(&Theme::light(), 320.0, 300.0);
    let sliver = layout.hits.iter().find(|hit| hit.title == "Per token: KV cache").unwrap();
    assert!(sliver.rect.width >= 8.0);
    assert_eq!(layout.hit(sliver.rect.centre()).unwrap().text, "0.2 ms");
}

#[test]
fn an_open_range_is_drawn_on_to_its_open_side_only() {
    let layout = ranges().layout(&Theme::light(), 640.0, 300.0);
    let projection = layout.projection.unwrap();
    let file = draw_svg(&ranges(), &Theme::light(), 640);
    // The arrow heads are the only polygons: one right of 3.83 ms, one left of 5.2 ms.
    let tips: Vec<Vec<f64>> = file
        .split("<polygon ")
        .skip(1)
        .map(|element| {
            let points = attribute(&format!(" {element}"), "points").to_string();
            points
                .split_whitespace()
                .map(|point| point.split_once(',').unwrap().0.parse::<f64>().unwrap() / 4.0)
                .collect()
        })
        .collect();
    assert_eq!(tips.len(), 2);
    assert!(tips[0].iter().all(|&x| x > projection.x_px(3.83)));
    assert!(tips[1].iter().all(|&x| x < projection.x_px(5.2)));
}

#[test]
fn pointing_at_a_marked_point_finds_it_and_the_projection_reads_the_curve() {
    let chart = curve();
    let layout = chart.layout(&Theme::light(), 640.0, 320.0);
    let projection = layout.projection.unwrap();
    let today = projection.px_from_data(4.2, 1000.0 / 17.4);
    assert_eq!(layout.hit(today).unwrap().title, "Today");
    let (x, _) = projection.data_from_px(today).unwrap();
    let Chart::Curve(spec) = &chart else { unreachable!() };
    let value = spec.lines[0].value_at(x).unwrap();
    assert!((value - 57.47).abs() < 0.01, "{value}");
}

#[test]
fn every_operation_under_a_roof_is_named_and_can_be_pointed_at() {
    for width in [340, 640, 900] {
        let texts: Vec<String> =
            texts(&draw_svg(&roofline(), &Theme::light(), width)).into_iter().map(|(text, _)| text).collect();
        let Chart::Roofline(chart) = roofline() else { unreachable!() };
        for wanted in chart
            .spots
            .iter()
            .map(|spot| &spot.label)
            .chain(["1458 GB/s", "ridge at 276 FLOP/B"].map(String::from).iter())
        {
            assert!(texts.contains(wanted), "{width}: no {wanted:?} in {texts:?}");
        }
        let layout =
            roofline().layout(&Theme::light(), f64::from(width), roofline().preferred_height(f64::from(width)));
        let projection = layout.projection.unwrap();
        for spot in &chart.spots {
            let place = spot.places.last().unwrap();
            assert_eq!(layout.hit(projection.px_from_data(place.x, place.y)).unwrap().title, spot.label, "{width}");
        }
    }
}

#[test]
fn a_sample_of_a_curve_answers_but_is_not_drawn() {
    let with = |role| {
        let point = |x: f64, role| MarkedPoint { x, y: 5.0, label: format!("at {x}"), text: "5".into(), role };
        Chart::Curve(Curve {
            lines: vec![Line { points: vec![(1.0, 5.0), (9.0, 5.0)], ..Line::default() }],
            points: vec![point(2.0, PointRole::Today), point(7.0, role)],
            ..Curve::default()
        })
    };
    let (sample, drawn) = (with(PointRole::Sample), with(PointRole::Estimate));
    let file = |chart: &Chart| draw_svg(chart, &Theme::light(), 600);
    assert!(!file(&sample).contains("at 7") && file(&drawn).contains("at 7"));
    assert!(file(&sample).matches("<circle").count() < file(&drawn).matches("<circle").count());
    let layout = sample.layout(&Theme::light(), 600.0, 300.0);
    let titles: Vec<&str> = layout.hits.iter().map(|hit| hit.title.as_str()).collect();
    assert_eq!(titles, ["at 2", "at 7"]);
}

#[test]
fn hits_lie_where_a_pointer_can_reach_them_at_any_pixel_ratio() {
    let chart = ladder();
    let plain = chart.layout(&Theme::light(), 640.0, 300.0);
    let sharp = chart.layout(&Theme::light().at_pixel_ratio(3.0), 640.0, 300.0);
    assert_eq!(plain, sharp);
    assert_eq!(plain.hits.len(), 5);
}

#[test]
fn a_summary_is_one_line_and_the_table_is_rectangular() {
    assert_eq!(histogram().summary(), "Inter-token latency: all 1,623 tokens lie in 10–25 ms; mean 17.4 ms.");
    for (name, chart) in gallery() {
        assert!(!chart.summary().is_empty() && !chart.summary().contains('\n'), "{name}");
        let table = chart.table();
        assert!(table.rows.iter().all(|row| row.len() == table.header.len()), "{name}");
    }
}

#[test]
fn an_svg_says_what_it_shows_and_escapes_it() {
    let chart = Chart::Ladder(Ladder { title: "a < b & c".into(), ..Ladder::default() });
    let file = svg(&chart, &Theme::print(), 640, 100).unwrap();
    assert!(file.contains("<title>a &lt; b &amp; c</title>"));
    assert!(file.starts_with("<svg ") && file.trim_end().ends_with("</svg>"));
    assert!(file.contains("width=\"640\" height=\"100\" viewBox=\"0 0 2560 400\""));
    assert!(file.contains("no data"));
    assert_eq!(svg(&chart, &Theme::light(), 0, 100), Err(DrawError::Size));
    assert_eq!(svg(&chart, &Theme::light(), 640, u32::MAX), Err(DrawError::Size));
}

/// Numbers as a broken dump may hold them.
fn any_number() -> impl Strategy<Value = f64> {
    prop_oneof![any::<f64>(), -1e3..1e3, Just(0.0), Just(f64::NAN), Just(f64::INFINITY), Just(f64::NEG_INFINITY)]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), Just("a rather long label that goes on and on".to_string()), ".{0,24}"]
}

fn any_axis() -> impl Strategy<Value = Axis> {
    let end = || proptest::option::of(any_number());
    (any::<bool>(), end(), end(), any_text()).prop_map(|(log, from, to, label)| Axis {
        scaling: if log { Scaling::Log } else { Scaling::Linear },
        label,
        from,
        to,
    })
}

fn any_chart() -> impl Strategy<Value = Chart> {
    let items = proptest::collection::vec((any_number(), any_number(), any_number(), any_text(), any_text()), 0..7);
    (0..6, items, any_axis(), any_axis(), any_number(), any_text()).prop_map(|(kind, items, x, y, value, title)| {
        let items = items.into_iter();
        match kind {
            0 => Chart::Histogram(Histogram {
                title,
                unit: "ms".into(),
                total_text: "some".into(),
                buckets: items
                    .map(|(upper, count, _, upper_text, count_text)| Bucket {
                        upper,
                        count,
                        upper_text,
                        share_text: count_text.clone(),
                        count_text,
                    })
                    .collect(),
                mean: Some(Marker { value, text: "mean".into() }),
            }),
            1 => {
                let segments = items
                    .map(|(value, _, role, label, text)| Segment {
                        value,
                        label,
                        text,
                        role: if role > 0.0 { SegmentRole::Part } else { SegmentRole::Residual },
                    })
                    .collect();
                let bar = StackBar { label: title.clone(), total_text: title.clone(), segments };
                let scale = if value > 0.0 { StackScale::Own } else { StackScale::Shared };
                Chart::Stack(Stack { title, bars: vec![bar.clone(), bar], scale })
            }
            2 => Chart::Ranges(Ranges {
                references: vec![Reference { value, text: title.clone() }],
                title,
                axis: x,
                rows: items
                    .map(|(low, likely, high, label, note)| RangeRow {
                        low: (low != 0.0).then_some(low),
                        likely: (likely != 0.0).then_some(likely),
                        high: (high != 0.0).then_some(high),
                        text: note.clone(),
                        label,
                        note,
                        emphasis: low > high,
                    })
                    .collect(),
            }),
            3 => Chart::Ladder(Ladder {
                title,
                axis: x,
                rungs: items
                    .map(|(low, likely, high, label, note)| Rung {
                        role: if low > high { RungRole::Today } else { RungRole::Ceiling },
                        text: note.clone(),
                        low,
                        likely,
                        high,
                        label,
                        note,
                    })
                    .collect(),
            }),
            4 => Chart::Roofline(Roofline {
                slope: Roof { label: title.clone(), value, ridge: String::new() },
                flats: vec![Roof { label: title.clone(), value: value * 2.0, ridge: title.clone() }],
                title,
                x,
                y,
                spots: items
                    .map(|(x, y, other, label, text)| {
                        let place = |x| Place { load: text.clone(), x, y, ..Place::default() };
                        Spot { label, role: SpotRole::Weights, places: vec![place(x), place(other)] }
                    })
                    .collect(),
            }),
            _ => {
                let items: Vec<_> = items.collect();
                Chart::Curve(Curve {
                    lines: vec![Line {
                        label: title.clone(),
                        points: items.iter().map(|item| (item.0, item.1)).collect(),
                        style: if value > 0.0 { LineStyle::Solid } else { LineStyle::Dashed },
                    }],
                    points: items
                        .iter()
                        .map(|(x, y, _, label, text)| MarkedPoint {
                            x: *x,
                            y: *y,
                            label: label.clone(),
                            text: text.clone(),
                            role: PointRole::Estimate,
                        })
                        .collect(),
                    bands: vec![Band { label: title.clone(), low: value, high: value + 1.0 }],
                    ribbons: vec![items.iter().map(|item| (item.0, item.1, value)).collect()],
                    title,
                    x,
                    y,
                })
            }
        }
    })
}

proptest! {
    #[test]
    fn nothing_in_the_data_can_break_a_drawing(chart in any_chart(), width in 1..700u32, height in 1..400u32) {
        let file = svg(&chart, &Theme::light(), width, height).unwrap();
        prop_assert!(!file.contains("=\"NaN") && !file.contains("inf\""));
        let preferred = chart.preferred_height(f64::from(width));
        prop_assert!(preferred.is_finite() && preferred >= 0.0);
        prop_assert!(!chart.summary().is_empty());
        let layout = chart.layout(&Theme::dark(), f64::from(width), f64::from(height));
        for hit in layout.hits {
            prop_assert!(hit.rect.x.is_finite() && hit.rect.y.is_finite());
            prop_assert!(hit.rect.width.is_finite() && hit.rect.height.is_finite());
        }
    }
}
