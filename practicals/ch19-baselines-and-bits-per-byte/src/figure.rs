//! Bits per byte of all models as a picture.

use llm_chapter_kit::{Canvas, Drawn, FIGURE_COLOURS, draw_legend, svg_figure};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::ModelReport;

/// Draws two bars for each model, training and held-out documents, and the entropy as a line.
///
/// # Errors
/// What the drawing library reports.
pub fn models_figure(models: &[ModelReport], entropy_per_byte: f64) -> anyhow::Result<String> {
    svg_figure(|canvas| draw(models, entropy_per_byte, canvas))
}

fn draw(models: &[ModelReport], entropy_per_byte: f64, canvas: &Canvas<'_>) -> Drawn {
    let all = models.iter().flat_map(|m| [m.train_bits_per_byte, m.held_out_bits_per_byte]);
    let highest = all.fold(entropy_per_byte, f64::max).ceil() + 0.5;
    let count = models.len() as f64;
    let mut chart = ChartBuilder::on(canvas)
        .caption("Longer contexts remember more and know less", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(150)
        .build_cartesian_2d(0.0..highest, 0.0..count)?;
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(0)
        .x_desc("bits per byte")
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .draw()?;
    let bar = |place: f64, bits: f64, colour: RGBColor| {
        Rectangle::new([(0.0, place), (bits, place + 0.38)], colour.filled())
    };
    type Bits = fn(&ModelReport) -> f64;
    let splits: [(&str, f64, Bits); 2] = [
        ("training documents", 0.42, |model| model.train_bits_per_byte),
        ("held-out documents", 0.04, |model| model.held_out_bits_per_byte),
    ];
    for ((label, offset, bits), &colour) in splits.into_iter().zip(&FIGURE_COLOURS) {
        // The first model on top.
        let bars = models
            .iter()
            .rev()
            .enumerate()
            .map(|(index, model)| bar(index as f64 + offset, bits(model), colour));
        chart
            .draw_series(bars)?
            .label(label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], colour.filled()));
    }
    let line = BLACK.stroke_width(2);
    chart
        .draw_series(LineSeries::new([(entropy_per_byte, 0.0), (entropy_per_byte, count)], line))?
        .label(format!("entropy {entropy_per_byte:.3}"))
        .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], line));
    draw_legend(&mut chart, SeriesLabelPosition::LowerRight)?;
    draw_names(models, &|index| chart.backend_coord(&(0.0, count - index as f64 - 0.5)), canvas)
}

/// The names of the models, left of their bars.
fn draw_names(
    models: &[ModelReport],
    place: &dyn Fn(usize) -> (i32, i32),
    canvas: &Canvas<'_>,
) -> Drawn {
    let style =
        ("sans-serif", 14).into_font().color(&BLACK).pos(Pos::new(HPos::Right, VPos::Center));
    for (index, model) in models.iter().enumerate() {
        let (x, y) = place(index);
        canvas.draw(&Text::new(model.model, (x - 8, y), style.clone()))?;
    }
    Ok(())
}
