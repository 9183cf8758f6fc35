//! The pooled loss of two domains that do not change, against the share of the harder one.

use plotters::prelude::*;

use crate::MixtureReport;

const SIZE: (u32, u32) = (820, 460);
/// Colours that people with any colour vision tell apart (Okabe and Ito 2008).
const BEFORE: RGBColor = RGBColor(0, 114, 178);
const AFTER: RGBColor = RGBColor(213, 94, 0);

/// Draws a line for the earlier and one for the later losses of the last change, and a point on
/// each where the report stood: lower everywhere, and yet higher there.
///
/// # Errors
/// What the drawing library reports.
pub fn render_figure(mixtures: &MixtureReport) -> anyhow::Result<String> {
    let mut svg = String::new();
    draw(mixtures, &mut svg).map_err(|error| anyhow::anyhow!("{error}"))?;
    Ok(svg)
}

fn draw(mixtures: &MixtureReport, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
    let change = mixtures.changes.last().ok_or("there is no change to draw")?;
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
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
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 14))
        .draw()?;
    root.present()?;
    Ok(())
}
