//! Two pictures: the surprisals of the worked document, and the two averages of the corpus.

use llm_chapter_kit::{Canvas, Drawn, FIGURE_COLOURS, draw_legend, svg_figure};
use llm_from_scratch_practical::metrics::{SyntheticCorpus, random_guess_bits};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::bad_token;
use crate::guessing::VOCAB_SIZE;
use crate::{CorpusReport, TokenReport, WorkedDocument};

const DARK_BLUE: RGBColor = FIGURE_COLOURS[0];
const VERMILION: RGBColor = FIGURE_COLOURS[1];
const GREEN: RGBColor = FIGURE_COLOURS[2];
const PURPLE: RGBColor = FIGURE_COLOURS[3];
const SKY: RGBColor = FIGURE_COLOURS[5];
/// What the bars are coloured by.
const KINDS: [(&str, RGBColor); 3] = [
    ("first guess", DARK_BLUE),
    ("among the first five", GREEN),
    ("not among the first five", VERMILION),
];
/// Documents that are drawn; more points than this only darken the cloud.
const DRAWN_DOCUMENTS: usize = 2000;
/// The bad token's probability goes down to ten to the minus this.
const LAST_EXPONENT: u32 = 500;

/// Draws the surprisal of each token as a bar, with the bits per token as a line; beside it, how one
/// token lifts the bits per token of a hundred.
///
/// # Errors
/// What the drawing library reports.
pub fn surprisal_figure(document: &WorkedDocument) -> anyhow::Result<String> {
    svg_figure(|canvas| {
        let (left, right) = canvas.split_horizontally(430);
        draw_bars(document, &left)?;
        draw_bad_token(&right)
    })
}

fn draw_bars(document: &WorkedDocument, canvas: &Canvas<'_>) -> Drawn {
    let count = document.tokens.len();
    let mut chart = ChartBuilder::on(canvas)
        .caption("Surprisal of five tokens", ("sans-serif", 20))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..count as f64 + 0.6, 0.0..8.0)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_desc("token")
        .y_desc("bits")
        .x_labels(count + 1)
        .x_label_formatter(&|&place| {
            if place > 0.0 { format!("{place:.0}") } else { String::new() }
        })
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .draw()?;
    for (kind, (label, colour)) in KINDS.into_iter().enumerate() {
        let tokens = document.tokens.iter().enumerate().filter(|(_, token)| kind_of(token) == kind);
        let bars = tokens.map(|(index, token)| {
            let middle = index as f64 + 1.0;
            Rectangle::new([(middle - 0.35, 0.0), (middle + 0.35, token.bits)], colour.filled())
        });
        chart
            .draw_series(bars)?
            .label(label)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], colour.filled()));
    }
    let above =
        ("sans-serif", 14).into_font().color(&BLACK).pos(Pos::new(HPos::Center, VPos::Bottom));
    chart.draw_series(document.tokens.iter().enumerate().map(|(index, token)| {
        Text::new(
            format!("{:.3}", token.bits),
            (index as f64 + 1.0, token.bits + 0.08),
            above.clone(),
        )
    }))?;
    let mean = document.bits_per_token;
    chart
        .draw_series(LineSeries::new(
            [(0.0, mean), (count as f64 + 0.6, mean)],
            BLACK.stroke_width(2),
        ))?
        .label(format!("mean {mean:.3}"))
        .legend(|(x, y)| PathElement::new([(x, y), (x + 14, y)], BLACK.stroke_width(2)));
    draw_legend(&mut chart, SeriesLabelPosition::UpperLeft)
}

/// Place in [`KINDS`].
fn kind_of(token: &TokenReport) -> usize {
    usize::from(token.top_1_miss) + usize::from(token.top_5_miss)
}

fn draw_bad_token(canvas: &Canvas<'_>) -> Drawn {
    let level = random_guess_bits(VOCAB_SIZE)?;
    let last = f64::from(LAST_EXPONENT);
    let mut chart = ChartBuilder::on(canvas)
        .caption("One bad token in a hundred", ("sans-serif", 20))
        .margin(16)
        .x_label_area_size(44)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..last, 0.0..18.0)?;
    chart
        .configure_mesh()
        .x_desc("its probability is ten to the minus")
        .y_desc("bits per token of the document")
        .x_labels(6)
        .x_label_formatter(&|exponent| format!("{exponent:.0}"))
        .y_label_formatter(&|bits| format!("{bits:.0}"))
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .draw()?;
    let bits_per_token = |exponent: f64| {
        let bits = exponent * std::f64::consts::LOG2_10;
        bad_token::row(bits).map(|row| (exponent, row.bits_per_token))
    };
    let curve = (0..=LAST_EXPONENT).step_by(10).map(|exponent| bits_per_token(f64::from(exponent)));
    let curve: Vec<_> = curve.collect::<Result<_, _>>()?;
    chart
        .draw_series(LineSeries::new(curve, DARK_BLUE.stroke_width(2)))?
        .label("log-softmax")
        .legend(|(x, y)| PathElement::new([(x, y), (x + 14, y)], DARK_BLUE.stroke_width(2)));
    chart.draw_series([Circle::new(bits_per_token(30.0)?, 4, DARK_BLUE.filled())])?;
    let lines = [
        (format!("guessing {level:.2}"), [(0.0, level), (last, level)], BLACK),
        ("f32 ends".to_owned(), [(44.85, 0.0), (44.85, 18.0)], VERMILION),
        ("f64 ends".to_owned(), [(323.3, 0.0), (323.3, 18.0)], PURPLE),
    ];
    for (label, points, colour) in lines {
        chart
            .draw_series(DashedLineSeries::new(points, 5, 4, colour.stroke_width(1)))?
            .label(label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 14, y)], colour));
    }
    draw_legend(&mut chart, SeriesLabelPosition::LowerRight)
}

/// Draws length against bits per token for the first documents of the corpus in which long documents
/// are easier, and both averages over all of them.
///
/// # Errors
/// What the drawing library reports.
pub fn averages_figure(corpus: &SyntheticCorpus, report: &CorpusReport) -> anyhow::Result<String> {
    svg_figure(|canvas| draw_averages(corpus, report, canvas))
}

fn draw_averages(corpus: &SyntheticCorpus, report: &CorpusReport, canvas: &Canvas<'_>) -> Drawn {
    let points = corpus.lengths.iter().zip(&corpus.falling_bits).take(DRAWN_DOCUMENTS);
    let points: Vec<(f64, f64)> = points.map(|(&length, &bits)| (length as f64, bits)).collect();
    let highest = points.iter().map(|point| point.1).fold(0.0, f64::max).ceil() + 1.0;
    let longest = 2.0 * report.longest as f64;
    let mut chart = ChartBuilder::on(canvas)
        .caption("Long documents are easier, so pooling tokens flatters", ("sans-serif", 22))
        .margin(12)
        .x_label_area_size(44)
        .y_label_area_size(52)
        .build_cartesian_2d((1.0..longest).log_scale(), 0.0..highest)?;
    chart
        .configure_mesh()
        .x_desc("tokens of the document (logarithmic)")
        .y_desc("bits per token of the document")
        .x_label_formatter(&|length| format!("{length:.0}"))
        .light_line_style(WHITE)
        .label_style(("sans-serif", 14))
        .draw()?;
    chart.draw_series(points.iter().map(|&p| Circle::new(p, 2, SKY.filled())))?;
    let averages = report.longer_is_easier;
    for (name, level, colour) in [
        ("every document equal", averages.document_level, DARK_BLUE),
        ("every token equal", averages.token_level, VERMILION),
    ] {
        let line = colour.stroke_width(3);
        chart
            .draw_series(LineSeries::new([(1.0, level), (longest, level)], line))?
            .label(format!("{name}: {level:.3}"))
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 26, y)], line));
    }
    draw_legend(&mut chart, SeriesLabelPosition::UpperRight)
}
