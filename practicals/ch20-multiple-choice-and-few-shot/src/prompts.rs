//! The same questions behind examples: how many, which, and in which order.

use llm_from_scratch_practical::{evaluation, metrics};

use evaluation::tasks::{
    Comparison, FewShot, OptionScoring, PromptTemplate, Question, TaskItem, TaskSummary,
    score_options,
};
use llm_chapter_kit::six_decimals;
use metrics::{SeedSummary, seed_summary};
use serde::Serialize;

use crate::Models;
use crate::contracts::{BATCH, RULE, conditions, score};

/// One line of the training texts.
pub(crate) const BLOCK: &str = "{context}{answer}\n";
/// All orders of three examples.
const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// Accuracy behind a number of drawn examples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ShotRow {
    /// Examples before each question.
    pub shots: usize,
    /// Seeds of the draws.
    pub draws: usize,
    /// Mean accuracy over the draws.
    #[serde(serialize_with = "six_decimals")]
    pub mean: f64,
    /// Lowest of them.
    #[serde(serialize_with = "six_decimals")]
    pub lowest: f64,
    /// Highest of them.
    #[serde(serialize_with = "six_decimals")]
    pub highest: f64,
}

/// The same three examples in every order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrderReport {
    /// The prompt of one question, in the first order.
    pub prompt: String,
    /// Questions; those about the examples' words are left out.
    pub items: usize,
    /// One row for each order.
    pub orders: Vec<OrderRow>,
    /// Highest minus lowest accuracy.
    #[serde(serialize_with = "six_decimals")]
    pub spread: f64,
    /// The best order against the worst, question by question.
    pub best_against_worst: PairReport,
}

/// One order.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OrderRow {
    /// The words of the examples, first to last.
    pub order: String,
    /// Right answers.
    pub right: usize,
    /// Right answers over questions.
    #[serde(serialize_with = "six_decimals")]
    pub accuracy: f64,
    /// How often the label of the last example was chosen.
    pub chosen_last_label: usize,
}

/// Two results on the same questions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PairReport {
    /// First accuracy minus second.
    #[serde(serialize_with = "six_decimals")]
    pub difference: f64,
    /// Its paired standard error.
    #[serde(serialize_with = "six_decimals")]
    pub standard_error: Option<f64>,
    /// The same with words as the independent units.
    #[serde(serialize_with = "six_decimals")]
    pub clustered_error: Option<f64>,
    /// Questions that only the first has right.
    pub only_first: usize,
    /// Questions that only the second has right.
    pub only_second: usize,
    /// Probability of so uneven a split if both were equally good.
    #[serde(serialize_with = "six_decimals")]
    pub mcnemar_p_value: f64,
    /// Smallest difference that these questions would show.
    #[serde(serialize_with = "six_decimals")]
    pub smallest_detectable_difference: Option<f64>,
}

impl From<Comparison> for PairReport {
    fn from(comparison: Comparison) -> Self {
        Self {
            difference: comparison.difference,
            standard_error: comparison.standard_error,
            clustered_error: comparison.clustered_standard_error,
            only_first: comparison.only_first,
            only_second: comparison.only_second,
            mcnemar_p_value: comparison.mcnemar_p_value,
            smallest_detectable_difference: comparison.smallest_detectable_difference,
        }
    }
}

/// Accuracy of the decoder behind 0 to 3 examples, drawn `draws` times for each question.
///
/// # Errors
/// What scoring refuses.
pub fn shot_rows(
    models: &Models,
    items: &[TaskItem],
    first_seed: u64,
    draws: usize,
) -> anyhow::Result<Vec<ShotRow>> {
    let mut rows = Vec::new();
    for shots in 0..=3 {
        let draws = if shots == 0 { 1 } else { draws }; // nothing is drawn for zero-shot
        let mut accuracies = Vec::new();
        for draw in 0..draws as u64 {
            let seed = first_seed.wrapping_add(draw);
            let few_shot = FewShot { template: PromptTemplate::new("", BLOCK)?, shots, seed };
            let conditions = conditions(items, None).with_few_shot(few_shot, items);
            let result = score(models.decoder(), &models.tokenizer, items, conditions)?;
            accuracies.push(result.accuracy()?.accuracy);
        }
        let SeedSummary { mean, minimum: lowest, maximum: highest, .. } =
            seed_summary(&accuracies)?;
        rows.push(ShotRow { shots, draws, mean, lowest, highest });
    }
    Ok(rows)
}

/// Accuracy of the decoder behind the same three examples, one of each kind, in every order.
///
/// # Errors
/// What scoring refuses.
pub fn order_report(models: &Models, items: &[TaskItem]) -> anyhow::Result<OrderReport> {
    let template = PromptTemplate::new("", BLOCK)?;
    // The first question of each kind; every item has a group, its word.
    let examples: Vec<&TaskItem> =
        (0..3).filter_map(|kind| items.iter().find(|item| item.answer() == kind)).collect();
    let word = |item: &TaskItem| item.group().unwrap_or_default().to_owned();
    let is_example =
        |item: &TaskItem| examples.iter().any(|example| example.group() == item.group());
    let asked: Vec<&TaskItem> = items.iter().filter(|item| !is_example(item)).collect();

    let (mut orders, mut results, mut prompt) = (Vec::new(), Vec::new(), String::new());
    for order in ORDERS {
        let shown = order.map(|place| examples[place]);
        let question = |item: &&'_ TaskItem| template.prompt(item, &shown);
        let questions: Vec<Question<'_>> =
            asked.iter().map(|item| Question::with_prompt(item, question(item))).collect();
        if orders.is_empty() {
            prompt = questions[0].prompt().to_owned();
        }
        let scoring = OptionScoring::default();
        let records =
            score_options(&models.decoder, &models.tokenizer, &questions, &scoring, BATCH)?;
        let result = TaskSummary::from_records(records)?;
        let by_rule = result.accuracy(RULE)?;
        let last = shown[2].answer();
        let choices = result.choices(RULE)?;
        orders.push(OrderRow {
            order: shown.map(word).join(" "),
            right: by_rule.right_count,
            accuracy: by_rule.accuracy,
            chosen_last_label: choices.iter().filter(|choice| choice.chosen == last).count(),
        });
        results.push(result);
    }
    let by_right = |place: &usize| orders[*place].right;
    let (best, worst) = ((0..6).max_by_key(by_right), (0..6).min_by_key(by_right));
    let (best, worst) = (best.unwrap_or(0), worst.unwrap_or(0)); // there are six
    Ok(OrderReport {
        prompt,
        items: asked.len(),
        spread: orders[best].accuracy - orders[worst].accuracy,
        best_against_worst: Comparison::of(&results[best], &results[worst], RULE)?.into(),
        orders,
    })
}
