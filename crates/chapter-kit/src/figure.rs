//! SVG figures: what the pictures of all chapters have in common.

use std::error::Error;

use plotters::chart::ChartContext;
use plotters::coord::{CoordTranslate, Shift};
use plotters::prelude::*;

/// What a figure is drawn on: 820 by 520 pixels, white.
pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// What drawing code returns: the drawing library's errors have many types.
pub type Drawn = Result<(), Box<dyn Error>>;

const SIZE: (u32, u32) = (820, 520);

/// Colours that people with any colour vision tell apart (Okabe and Ito 2008): blue, vermilion,
/// green, purple, orange, sky blue.
pub const FIGURE_COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// The text of an SVG file, with what `draw` puts on its canvas.
///
/// # Errors
/// What the drawing library reports.
///
/// # Example
/// ```
/// use llm_chapter_kit::{FIGURE_COLOURS, svg_figure};
/// use plotters::prelude::*;
///
/// let svg = svg_figure(|canvas| {
///     canvas.draw(&Rectangle::new([(10, 10), (60, 30)], FIGURE_COLOURS[0].filled()))?;
///     Ok(())
/// })?;
/// assert!(svg.starts_with("<svg ") && svg.contains("#0072B2"));
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn svg_figure(draw: impl FnOnce(&Canvas<'_>) -> Drawn) -> anyhow::Result<String> {
    let mut svg = String::new();
    let draw_all = |svg| -> Drawn {
        let canvas = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        canvas.fill(&WHITE)?;
        draw(&canvas)?;
        Ok(canvas.present()?)
    };
    draw_all(&mut svg).map_err(|error| anyhow::anyhow!("cannot draw the figure: {error}"))?;
    Ok(svg)
}

/// Draws the legend of a chart: the label of every series that has one, in a box.
///
/// # Errors
/// What the drawing library reports.
pub fn draw_legend<'a, 'svg: 'a, C: CoordTranslate>(
    chart: &mut ChartContext<'a, SVGBackend<'svg>, C>,
    position: SeriesLabelPosition,
) -> Drawn {
    chart
        .configure_series_labels()
        .position(position)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(("sans-serif", 14))
        .draw()?;
    Ok(())
}
