//! The losses of a run as an SVG picture.

use llm_chapter_kit::{Canvas, Drawn, FIGURE_COLOURS, draw_legend, svg_figure};
use plotters::prelude::*;

use super::log::{Log, LookEvent};

/// Most points of the line of single updates: more cannot be seen, and a file should stay small.
const MOST_POINTS: usize = 2000;

/// A point: updates made, nats per token.
type Point = (f64, f64);

/// Draws the training loss of single updates, its mean between looks, and the validation loss with
/// the lowest point marked.
///
/// # Errors
/// What the drawing library reports.
pub(super) fn loss_figure(log: &Log) -> anyhow::Result<String> {
    svg_figure(|canvas| draw(log, canvas))
}

fn draw(log: &Log, canvas: &Canvas<'_>) -> Drawn {
    let step = log.updates.len().div_ceil(MOST_POINTS).max(1);
    let single: Vec<Point> = (log.updates.iter().step_by(step))
        .map(|event| (event.update as f64, event.nats_per_token))
        .collect();
    // A mean over updates stands in their middle: at their end it would seem to lag behind.
    let mean = |pair: &[LookEvent]| {
        let middle = (pair[0].update + pair[1].update) as f64 / 2.0;
        Some((middle, pair[1].train_nats_per_token?))
    };
    let train: Vec<Point> = log.looks.windows(2).filter_map(mean).collect();
    let look = |look: &LookEvent| Some((look.update as f64, look.validation?.nats_per_token));
    let validation: Vec<Point> = log.looks.iter().filter_map(look).collect();

    let all = || single.iter().chain(&train).chain(&validation);
    let last = all().map(|point| point.0).fold(1.0, f64::max);
    let lowest = all().map(|point| point.1).fold(f64::INFINITY, f64::min).min(1e9);
    let highest = all().map(|point| point.1).fold(lowest, f64::max);
    let room = (0.05 * (highest - lowest)).max(0.01);
    let mut chart = ChartBuilder::on(canvas)
        .caption("Loss during training", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..last, (lowest - room)..(highest + room))?;
    chart
        .configure_mesh()
        .x_desc("updates")
        .y_desc("nats per token")
        .x_label_formatter(&|update| format!("{update:.0}"))
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .draw()?;

    let pale = FIGURE_COLOURS[5].mix(0.6);
    chart
        .draw_series(LineSeries::new(single.iter().copied(), pale))?
        .label("training, single updates")
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 26, y)], pale));
    for (label, points, colour) in [
        ("training, mean between two looks", &train, FIGURE_COLOURS[0]),
        ("validation", &validation, FIGURE_COLOURS[1]),
    ] {
        if points.is_empty() {
            continue;
        }
        let line = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(points.iter().copied(), line))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 26, y)], line));
        chart.draw_series(points.iter().map(|&point| Circle::new(point, 4, colour.filled())))?;
    }
    if let Some((look, best)) = log.best() {
        let point = (look.update as f64, best.nats_per_token);
        let ring = FIGURE_COLOURS[1].stroke_width(2);
        chart
            .draw_series([Circle::new(point, 8, ring)])?
            .label(format!("lowest: {:.4} at update {}", best.nats_per_token, look.update))
            .legend(move |(x, y)| Circle::new((x + 13, y), 6, ring));
    }
    draw_legend(&mut chart, SeriesLabelPosition::UpperRight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::train::log::tests::four_updates;

    /// Three looks at the validation documents, two means between them, and a ring at the lowest.
    #[test]
    fn every_look_is_a_point_and_the_lowest_is_named() {
        let svg = loss_figure(&four_updates()).unwrap();
        let [train, validation] =
            ["#0072B2", "#D55E00"].map(|colour| format!("r=\"4\" opacity=\"1\" fill=\"{colour}\""));
        assert_eq!(svg.matches(&train).count(), 2, "{svg}");
        assert_eq!(svg.matches(&validation).count(), 3);
        assert!(svg.contains("lowest: 3.0000 at update 2"));
    }

    #[test]
    fn a_run_of_which_nothing_is_known_has_a_picture_too() {
        let file = tempfile::tempfile().unwrap();
        let empty = Log::start(file, serde_json::Value::Null).unwrap();
        assert!(loss_figure(&empty).unwrap().starts_with("<svg "));
    }
}
