//! Invariant 1 as a whole: batch size, order, company and number of threads change no bit.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use llm_autograd::Element;
use llm_evaluation::{FramedDocument, TargetRecord, WindowRule, collect_records};
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::TokenId;
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::models::framed;

const VOCAB_SIZE: usize = 3000;

/// Large enough that a window of 24 ids, over two million multiply-adds, is shared among threads.
fn decoder<E: Element>() -> DecoderModel<E> {
    let config = DecoderConfig { d_model: 32, ..DecoderConfig::reference(VOCAB_SIZE, 48) };
    DecoderModel::initialize(config.validate().unwrap(), 7)
}

static IN_F32: LazyLock<DecoderModel<f32>> = LazyLock::new(decoder);
static IN_F64: LazyLock<DecoderModel<f64>> = LazyLock::new(decoder);

/// Pools of 1, 2, 3 and 4 threads.
static POOLS: LazyLock<Vec<ThreadPool>> = LazyLock::new(|| {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    (1..=4).map(pool).collect()
});

/// Document, position, bits of the log-probability, ranks.
type Scored = (String, usize, u64, u64, u64);

fn scored(
    model: &DecoderModel<impl Element>,
    documents: &[FramedDocument],
    rule: WindowRule,
    batch: usize,
) -> Vec<Scored> {
    let batch = NonZeroUsize::new(batch).unwrap();
    let (records, _) = collect_records(model, documents, rule, batch).unwrap();
    let one = |r: TargetRecord| {
        (r.document, r.position, r.log_probability.to_bits(), r.rank_best, r.rank_worst)
    };
    let mut scored: Vec<Scored> = records.into_iter().map(one).collect();
    scored.sort();
    scored
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_documents_scores_are_the_same_bits_in_any_batch_order_company_and_pool_of_threads(
        texts in prop::collection::vec(
            prop::collection::vec(0..VOCAB_SIZE as TokenId, 2..60), 1..4),
        rotation in 0usize..3,
        threads in 1usize..=4,
        batch in 1usize..=4,
        (window, stride) in (24usize..=48).prop_flat_map(|w| (Just(w), w / 2..w)),
    ) {
        let rule = WindowRule { window, stride, bos_per_window: false };
        let documents: Vec<_> =
            texts.iter().enumerate().map(|(i, ids)| framed(&format!("d{i}"), ids)).collect();
        let mut moved = documents.clone();
        moved.rotate_left(rotation % documents.len());
        let alone = |model: &DecoderModel<f32>| {
            documents.iter().flat_map(|one| scored(model, std::slice::from_ref(one), rule, 1))
                .collect::<Vec<_>>()
        };
        let one_by_one = POOLS[0].install(|| alone(&IN_F32));
        let together = POOLS[threads - 1].install(|| scored(&*IN_F32, &moved, rule, batch));
        prop_assert_eq!(one_by_one, together);
        let in_order = POOLS[0].install(|| scored(&*IN_F64, &documents, rule, 1));
        let together = POOLS[threads - 1].install(|| scored(&*IN_F64, &moved, rule, batch));
        prop_assert_eq!(in_order, together);
    }
}
