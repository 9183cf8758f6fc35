//! The pooled loss of two domains that do not change, against the share of the harder one.

use llm_chapter_kit::{Canvas, Drawn, FIGURE_COLOURS, draw_legend, svg_figure};
use plotters::prelude::*;

use crate::MixtureReport;

const BEFORE: RGBColor = FIGURE_COLOURS[0];
const AFTER: RGBColor = FIGURE_COLOURS[1];

/// Draws a line for the earlier and one for the later losses of the last change, and a point on
/// each where the report stood: lower everywhere, and yet higher there.
///
/// # Errors
/// What the drawing library reports.
pub fn render_figure(mixtures: &MixtureReport) -> anyhow::Result<String> {
    svg_figure(|canvas| draw(mixtures, canvas))
}

fn draw(mixtures: &MixtureReport, canvas: &Canvas<'_>) -> Drawn {
    let change = mixtures.changes.last().ok_or("there is no change to draw")?;
    let mut chart = ChartBuilder::on(canvas)
        .caption("Both domains get better, the pooled loss rises", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..1.0, 1.5..4.5)?;
    chart
        .configure_mesh()
        .x_desc("share of the targets that is of the harder domain")
        .y_desc("pooled mean NLL (nats per target)")
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .draw()?;
    for (name, colour, losses, targets, pooled) in [
        ("before", BEFORE, &change.losses_before, &change.targets_before, change.pooled_before),
        ("after", AFTER, &change.losses_after, &change.targets_after, change.pooled_after),
    ] {
        let ends = [(0.0, losses[0]), (1.0, losses[1])];
        let line = colour.stroke_width(2);
        chart
            .draw_series(LineSeries::new(ends, line))?
            .label(format!("{name}: pooled loss {pooled:.1}"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 26, y)], line));
        let share = targets[1] as f64 / (targets[0] + targets[1]) as f64;
        chart.draw_series([Circle::new((share, pooled), 6, colour.filled())])?;
    }
    draw_legend(&mut chart, SeriesLabelPosition::UpperLeft)
}
