//! The check of a model's promises: every model here passes, and every kind of breach is found.

use std::cell::Cell;

use llm_evaluation::{
    BrokenPromise, LanguageModel, Row, RowRequest, RowVisitor, ScoreError, ScoreRequest,
    check_promises,
};
use llm_tokenizer::TokenId;
use proptest::prelude::*;

use crate::invariants::{request, requests};
use crate::models::{VOCAB_SIZE, all_models};

/// Uniform, but for what it does wrong.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    None,
    Company,
    Memory,
    SumOfTwo,
    ShortRow,
    LooksAhead,
    ChangesName,
}

struct Faulty(Fault, Cell<u64>);

impl LanguageModel for Faulty {
    fn vocab_size(&self) -> usize {
        VOCAB_SIZE
    }

    fn max_context(&self) -> Option<usize> {
        None
    }

    fn identity(&self) -> String {
        format!("faulty {}", if self.0 == Fault::ChangesName { self.1.get() } else { 0 })
    }

    fn visit_rows(
        &self,
        requests: &[RowRequest<'_>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError> {
        self.1.set(self.1.get() + 1);
        for (request, RowRequest { ids, first }) in requests.iter().enumerate() {
            for position in *first..=ids.len() {
                // How much of the whole the last id has; the others share the rest.
                let share = match self.0 {
                    Fault::Company if requests.len() > 1 => 0.5,
                    Fault::Memory if self.1.get() > 11 => 0.5,
                    Fault::LooksAhead if ids.len() > position => 0.5,
                    _ => 1.0 / VOCAB_SIZE as f64,
                };
                let others = (1.0 - share) / (VOCAB_SIZE - 1) as f64;
                let mut row = vec![others.ln(); VOCAB_SIZE];
                row[VOCAB_SIZE - 1] = share.ln();
                match self.0 {
                    Fault::SumOfTwo => row.iter_mut().for_each(|x| *x += 2.0_f64.ln()),
                    Fault::ShortRow => row.truncate(VOCAB_SIZE - 1),
                    _ => {}
                }
                visit(Row { request, position, log_probabilities: &row })?;
            }
        }
        Ok(())
    }
}

#[test]
fn every_breach_is_found() {
    let texts: [&[TokenId]; 2] = [&[0, 2, 3, 4], &[0, 3, 3]];
    let requests = texts.map(|ids| ScoreRequest { ids, first_target: 1 });
    let found = |fault| check_promises(&Faulty(fault, Cell::new(0)), &requests).unwrap_err();
    assert!(check_promises(&Faulty(Fault::None, Cell::new(0)), &requests).is_ok());
    let when = |fault| match found(fault) {
        BrokenPromise::Bits { request: 0, when } => when,
        other => panic!("{other}"),
    };
    assert_eq!(when(Fault::Company), "in company");
    assert_eq!(when(Fault::Memory), "a second time");
    let BrokenPromise::Sum { request: 0, position: 1, sum } = found(Fault::SumOfTwo) else {
        panic!("the sum is two")
    };
    assert!((sum - 2.0).abs() < 1e-12);
    assert!(matches!(found(Fault::ShortRow), BrokenPromise::Sum { .. }));
    let ahead = found(Fault::LooksAhead);
    assert!(matches!(ahead, BrokenPromise::Future { request: 0, position: 1 }), "{ahead}");
    let changed = found(Fault::ChangesName).to_string();
    assert!(changed.starts_with("scoring turned faulty 0 into faulty "), "{changed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_model_keeps_its_promises(given in prop::collection::vec(request(), 1..6)) {
        for model in all_models() {
            let kept = check_promises(&*model, &requests(&given));
            prop_assert!(kept.is_ok(), "{}: {:?}", model.identity(), kept);
        }
    }
}
