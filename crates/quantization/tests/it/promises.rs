//! A quantized decoder is a language model like every other.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use llm_autograd::Element;
use llm_evaluation::{
    FramedDocument, LanguageModel, ScoreRequest, WindowRule, check_promises, collect_records,
};
use llm_model::{DecoderConfig, DecoderModel, ValidConfig};
use llm_quantization::{QuantizedDecoder, WeightFormat};
use proptest::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

const FORMATS: [WeightFormat; 2] = [WeightFormat::Int8, WeightFormat::Int4];

/// Both formats of decoders in both precisions.
fn models(vocab_size: usize, d_model: usize) -> Vec<Box<dyn LanguageModel + Sync + Send>> {
    fn both<E: Element>(config: ValidConfig) -> [Box<dyn LanguageModel + Sync + Send>; 2] {
        let model = DecoderModel::<E>::initialize(config, 39);
        FORMATS.map(|format| -> Box<dyn LanguageModel + Sync + Send> {
            Box::new(QuantizedDecoder::quantize(&model, format).unwrap())
        })
    }
    let config = DecoderConfig { d_model, ..DecoderConfig::reference(vocab_size, 48) };
    let config = config.validate().unwrap();
    both::<f32>(config).into_iter().chain(both::<f64>(config)).collect()
}

/// Large enough that the work is shared among threads.
static LARGE: LazyLock<Vec<Box<dyn LanguageModel + Sync + Send>>> =
    LazyLock::new(|| models(3000, 32));

static POOLS: LazyLock<Vec<ThreadPool>> = LazyLock::new(|| {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    (1..=4).map(pool).collect()
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_quantized_decoder_keeps_the_promises_of_a_language_model(
        texts in prop::collection::vec(prop::collection::vec(0u32..11, 2..12), 1..4),
    ) {
        let requests: Vec<_> =
            texts.iter().map(|ids| ScoreRequest { ids, first_target: 1 }).collect();
        for model in models(11, 8) {
            let kept = check_promises(&*model, &requests);
            prop_assert!(kept.is_ok(), "{}: {:?}", model.identity(), kept);
        }
    }

    #[test]
    fn its_scores_are_the_same_bits_in_any_batch_order_company_and_pool_of_threads(
        texts in prop::collection::vec(prop::collection::vec(0u32..3000, 2..60), 1..3),
        threads in 1usize..=4,
        batch in 1usize..=3,
    ) {
        let document =
            |(i, ids): (usize, &Vec<u32>)| FramedDocument::from_ids(format!("d{i}"), ids.clone(), None);
        let documents: Vec<FramedDocument> =
            texts.iter().enumerate().map(document).collect::<Result<_, _>>().unwrap();
        let mut moved = documents.clone();
        moved.reverse();
        let rule = WindowRule { window: 40, stride: 20, bos_per_window: false };
        for model in LARGE.iter() {
            let records = |documents: &[FramedDocument], batch| {
                let batch = NonZeroUsize::new(batch).unwrap();
                let (mut records, _) = collect_records(&**model, documents, rule, batch).unwrap();
                records.sort_by(|a, b| (&a.document, a.position).cmp(&(&b.document, b.position)));
                records
            };
            let one = POOLS[0].install(|| records(&documents, 1));
            let other = POOLS[threads - 1].install(|| records(&moved, batch));
            prop_assert_eq!(one, other, "{}", model.identity());
        }
    }
}
