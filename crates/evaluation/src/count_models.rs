//! The count models as language models, and the source of a language with them.

use llm_baselines::{BigramModel, CountModel, NgramModel, SourceModel};

use crate::{LanguageModel, Row, RowRequest, RowVisitor, ScoreError};

/// A blanket implementation for every [`CountModel`] would forbid one for the decoder, which might
/// become one; so each type is named.
macro_rules! language_models {
    ($($model:ty),+) => {$(
        impl LanguageModel for $model {
            fn vocab_size(&self) -> usize {
                CountModel::vocab_size(self)
            }

            /// None: what is too far away is not looked at.
            fn max_context(&self) -> Option<usize> {
                None
            }

            fn identity(&self) -> String {
                CountModel::identity(self)
            }

            fn visit_rows(
                &self,
                requests: &[RowRequest<'_>],
                visit: &mut RowVisitor<'_>,
            ) -> Result<(), ScoreError> {
                requests.iter().enumerate().try_for_each(|(i, request)| request.check(i, self))?;
                visit_rows(self, requests, visit)
            }
        }
    )+};
}

language_models!(BigramModel, NgramModel, SourceModel);

fn visit_rows(
    model: &impl CountModel,
    requests: &[RowRequest<'_>],
    visit: &mut RowVisitor<'_>,
) -> Result<(), ScoreError> {
    let mut row = vec![0.0; model.vocab_size()];
    for (request, &RowRequest { ids, first }) in requests.iter().enumerate() {
        for position in first..=ids.len() {
            let history = &ids[position.saturating_sub(model.context_len())..position];
            model.fill_row(history, &mut row).map_err(ScoreError::model)?;
            // At most 1 but for rounding, and a log-probability is never above 0.
            row.iter_mut().for_each(|p| *p = libm::log(p.min(1.0)));
            visit(Row { request, position, log_probabilities: &row })?;
        }
    }
    Ok(())
}
