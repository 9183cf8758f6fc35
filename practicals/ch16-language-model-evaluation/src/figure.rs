//! The losses of all runs as an SVG picture.

use llm_chapter_kit::{Canvas, Drawn, FIGURE_COLOURS, draw_legend, svg_figure};
use plotters::element::DashedPathElement;
use plotters::prelude::*;

use crate::{Checkpoint, Run};

/// Draws mean NLL against updates: a colour for each seed, a solid line with filled points for
/// validation and a dashed one with open points for training.
///
/// # Errors
/// What the drawing library reports.
pub fn render_figure(runs: &[Run]) -> anyhow::Result<String> {
    svg_figure(|canvas| draw(runs, canvas))
}

fn draw(runs: &[Run], canvas: &Canvas<'_>) -> Drawn {
    let all = || runs.iter().flat_map(|run| &run.checkpoints);
    let last = all().map(|c| c.update).max().unwrap_or(1);
    let losses = all().flat_map(|c| [c.train.mean_nll, c.validation.mean_nll]);
    let highest = losses.fold(0.0, f64::max).ceil().max(1.0);

    let mut chart = ChartBuilder::on(canvas)
        .caption("Training loss falls while held-out loss rises", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..last as f64, 0.0..highest)?;
    chart
        .configure_mesh()
        .x_desc("updates")
        .y_desc("mean NLL (nats per target)")
        .x_label_formatter(&|update| format!("{update:.0}"))
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .draw()?;

    for (run, &colour) in runs.iter().zip(FIGURE_COLOURS.iter().cycle()) {
        let points = |nll: fn(&Checkpoint) -> f64| {
            run.checkpoints.iter().map(move |c| (c.update as f64, nll(c))).collect::<Vec<_>>()
        };
        let validation = points(|c| c.validation.mean_nll);
        let train = points(|c| c.train.mean_nll);
        let line = colour.stroke_width(2);

        chart
            .draw_series(LineSeries::new(validation.iter().copied(), line))?
            .label(format!("seed {}, validation", run.seed))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 26, y)], line));
        chart.draw_series(validation.iter().map(|&p| Circle::new(p, 4, colour.filled())))?;

        chart
            .draw_series(DashedLineSeries::new(train.iter().copied(), 5, 4, line))?
            .label(format!("seed {}, training", run.seed))
            .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + 26, y)], 5, 4, line));
        chart.draw_series(train.iter().map(|&p| Circle::new(p, 4, line)))?;
    }
    draw_legend(&mut chart, SeriesLabelPosition::UpperMiddle)
}
