use std::cell::RefCell;

use llm_autograd::Tensor;
use proptest::prelude::*;

use super::*;
use crate::{DecoderConfig, SplitMix64};

/// A decoder, a prompt and settings, all small and irregular.
#[derive(Clone, Debug)]
struct Case {
    config: DecoderConfig,
    seed: u64,
    /// Factor of the fresh matrices: large ones make sharp distributions.
    sharpness: f64,
    /// Taken modulo the vocabulary.
    prompt: Vec<TokenId>,
    decoding: Decoding,
    end_token: Option<TokenId>,
    max_new_tokens: usize,
}

prop_compose! {
    /// Most widths are no multiple of a vector, and some are smaller than one.
    fn configs()(
        vocab_size in 3_usize..=40,
        d_model in 1_usize..=21,
        n_layers in 1_usize..=3,
        n_kv_heads in 1_usize..=3,
        group in 1_usize..=3,
        half_head_dim in 1_usize..=5,
        d_ff in 1_usize..=19,
        context_len in 1_usize..=20,
        tied_head in any::<bool>(),
        attention_bias in any::<bool>(),
    ) -> DecoderConfig {
        DecoderConfig {
            d_model, n_layers, n_kv_heads, d_ff, tied_head, attention_bias,
            n_heads: n_kv_heads * group,
            head_dim: 2 * half_head_dim,
            ..DecoderConfig::reference(vocab_size, context_len)
        }
    }
}

fn decodings() -> impl Strategy<Value = Decoding> {
    let filters = (
        prop_oneof![Just(1.0), 0.1..4.0_f64],
        prop::option::of(1_usize..30),
        prop::option::of(0.05..=1.0_f64),
    );
    let sample = (filters, any::<u64>()).prop_map(|((temperature, top_k, top_p), seed)| {
        Decoding::Sample { filters: Filters { temperature, top_k, top_p }, seed }
    });
    prop_oneof![1 => Just(Decoding::Greedy), 3 => sample]
}

prop_compose! {
    fn any_case()(
        config in configs(),
        seed in any::<u64>(),
        sharpness in prop_oneof![Just(1.0), Just(4.0), Just(30.0)],
        prompt in prop::collection::vec(0..1000_u32, 1..=20),
        decoding in decodings(),
        end_token in prop::option::of(0..3_u32),
        max_new_tokens in prop_oneof![1 => 0_usize..3, 4 => 3_usize..30],
    ) -> Case {
        let mut prompt = prompt;
        prompt.truncate(config.context_len);
        prompt.iter_mut().for_each(|id| *id %= config.vocab_size as u32);
        Case { config, seed, sharpness, prompt, decoding, end_token, max_new_tokens }
    }
}

impl Case {
    /// Every parameter is random, gains and biases too.
    fn model<E: Element>(&self) -> DecoderModel<E> {
        let mut model = DecoderModel::<E>::initialize(self.config.validate().unwrap(), self.seed);
        let mut stream = SplitMix64::new(!self.seed);
        for parameter in model.parameters_mut() {
            let is_matrix = parameter.value().shape().len() == 2;
            for x in parameter.value_mut() {
                *x = E::from_f64(match is_matrix {
                    true => x.to_f64() * self.sharpness,
                    false => x.to_f64() + stream.unit() - 0.5,
                });
            }
        }
        model
    }

    fn generation(&self) -> GenerationConfig {
        let Self { decoding, end_token, max_new_tokens, .. } = *self;
        GenerationConfig { decoding, end_token, max_new_tokens }
    }
}

/// All implementations, and the fastest sharing even the smallest work between threads.
fn all_kernels() -> Vec<Kernels> {
    let sharing = Kernels::fastest().with_sharing_threshold(0);
    Kernels::available().into_iter().chain([sharing]).collect()
}

fn bits<E: Element>(logits: &[E]) -> Vec<u64> {
    logits.iter().map(|x| x.bits()).collect()
}

/// A text and the logits behind each of its steps.
type Trace = (Generation, Vec<Vec<u64>>);

fn cached_and_uncached<E: Element>(case: &Case, kernels: Kernels) -> [Trace; 2] {
    let (model, config) = (case.model::<E>(), case.generation());
    let seen = RefCell::new(Vec::new());
    let watch = |step: Step<'_, E>| seen.borrow_mut().push(bits(step.logits));
    let cached = model.generate(kernels, &case.prompt, &config, watch).unwrap();
    let cached_bits = seen.take();
    let uncached = model.generate_uncached(kernels, &case.prompt, &config, watch).unwrap();
    [(cached, cached_bits), (uncached, seen.take())]
}

fn check_generation<E: Element>(case: &Case) -> Result<(), TestCaseError> {
    let mut expected = None;
    for kernels in all_kernels() {
        let [cached, uncached] = cached_and_uncached::<E>(case, kernels);
        prop_assert_eq!(&cached, &uncached, "{}", kernels.name());
        let (text, logits) = &cached;
        prop_assert_eq!(logits.len(), text.ids.len());
        prop_assert_eq!(&expected.get_or_insert_with(|| cached.clone()), &&cached);
    }
    let (Generation { ids, stop }, _) = expected.unwrap();
    let last_is_end = case.end_token.is_some() && ids.last().copied() == case.end_token;
    prop_assert_eq!(stop == Stop::EndToken, last_is_end);
    if stop != Stop::EndToken {
        let room = case.config.context_len + 1 - case.prompt.len();
        prop_assert_eq!(ids.len(), room.min(case.max_new_tokens));
        prop_assert_eq!(stop == Stop::MaxNewTokens, case.max_new_tokens <= room);
    }
    Ok(())
}

/// Logits of the whole prompt, of the prompt in chunks, and of its last token alone.
fn check_chunks<E: Element>(case: &Case, cuts: &[usize]) -> Result<(), TestCaseError> {
    let model = case.model::<E>();
    let context = AutogradContext::no_grad_with(Kernels::portable());
    let whole: Tensor<E> =
        model.logits(&context, &one_document(&case.prompt)).unwrap().tensor().clone();
    for kernels in all_kernels() {
        let mut cache = KeyValueCache::new(model.config(), case.prompt.len()).unwrap();
        let mut rows = Vec::new();
        let mut cuts = cuts.iter();
        while cache.len() < case.prompt.len() {
            let rest = &case.prompt[cache.len()..];
            let chunk = &rest[..cuts.next().map_or(rest.len(), |&cut| cut.min(rest.len()))];
            rows.extend(bits(model.extend(kernels, &mut cache, chunk).unwrap().data()));
        }
        prop_assert_eq!(&rows, &whole.bits());
        cache.truncate(0);
        let last = model.prefill(kernels, &mut cache, &case.prompt).unwrap();
        prop_assert_eq!(bits(last.row(0)), bits(whole.row(case.prompt.len() - 1)));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn cached_and_uncached_generation_agree_in_every_logit_bit_and_token(case in any_case()) {
        check_generation::<f32>(&case)?;
        check_generation::<f64>(&case)?;
    }

    #[test]
    fn a_prompt_read_in_chunks_has_the_logits_of_the_prompt_read_at_once(
        case in any_case(),
        cuts in prop::collection::vec(1_usize..8, 0..20),
    ) {
        check_chunks::<f32>(&case, &cuts)?;
        check_chunks::<f64>(&case, &cuts)?;
    }

    #[test]
    fn branches_read_at_once_have_the_logits_of_each_read_alone(
        case in any_case(),
        branches in prop::collection::vec(prop::collection::vec(0..1000_u32, 0..6), 1..5),
    ) {
        check_branches::<f32>(&case, &branches)?;
        check_branches::<f64>(&case, &branches)?;
    }
}

fn check_branches<E: Element>(case: &Case, branches: &[Vec<TokenId>]) -> Result<(), TestCaseError> {
    let model = case.model::<E>();
    let room = model.config().context_len - case.prompt.len();
    let mut branches = branches.to_vec();
    for branch in &mut branches {
        branch.truncate(room);
        branch.iter_mut().for_each(|id| *id %= model.config().vocab_size as u32);
    }
    let all: Vec<&[TokenId]> = branches.iter().map(Vec::as_slice).collect();
    for kernels in all_kernels() {
        let mut cache = KeyValueCache::new(model.config(), model.config().context_len).unwrap();
        model.prefill(kernels, &mut cache, &case.prompt).unwrap();
        let together = model.extend_branches(kernels, &cache, &all).unwrap();
        prop_assert_eq!(cache.len(), case.prompt.len());
        prop_assert_eq!(together.len(), all.len());
        for (branch, together) in branches.iter().zip(together) {
            if branch.is_empty() {
                prop_assert_eq!(together.shape(), &[0, model.config().vocab_size]);
                continue; // nothing that `extend` would read
            }
            let alone = model.extend(kernels, &mut cache, branch).unwrap();
            cache.truncate(case.prompt.len());
            prop_assert_eq!(together.shape(), alone.shape());
            prop_assert_eq!(together.bits(), alone.bits());
        }
    }
    Ok(())
}

#[test]
fn branches_that_cannot_be_read_are_refused() {
    let model = small_model();
    let kernels = Kernels::detect();
    let mut cache = KeyValueCache::new(model.config(), 4).unwrap();
    model.prefill(kernels, &mut cache, &[0, 5]).unwrap();
    let read = |branches: &[&[TokenId]]| model.extend_branches(kernels, &cache, branches);
    let error = read(&[&[1, 2], &[1, 2, 3]]).unwrap_err();
    assert!(matches!(error, ModelError::ChunkLength { given: 3, used: 2, capacity: 4 }), "{error}");
    assert!(matches!(read(&[&[1], &[10]]), Err(ModelError::Token { id: 10, .. })));
    // Together they may be longer than the room that each has.
    assert_eq!(read(&[&[1, 2], &[3], &[4, 5]]).unwrap().len(), 3);
    assert_eq!(read(&[&[], &[]]).unwrap()[1].shape(), [0, 10]);
    assert!(read(&[]).unwrap().is_empty());
}

fn small_model() -> DecoderModel<f64> {
    DecoderModel::initialize(DecoderConfig::reference(10, 8).validate().unwrap(), 39)
}

fn greedy(max_new_tokens: usize) -> GenerationConfig {
    GenerationConfig { decoding: Decoding::Greedy, end_token: None, max_new_tokens }
}

#[test]
fn greedy_takes_the_largest_logit_of_a_full_forward_pass() {
    let (model, prompt) = (small_model(), [0, 5, 6]);
    let logits = model.logits(&AutogradContext::no_grad(), &one_document(&prompt)).unwrap();
    let row = logits.tensor().row(2);
    let best = (0..10).fold(0, |best, id| if row[id] > row[best] { id } else { best });
    let text = model.generate(Kernels::detect(), &prompt, &greedy(1), |_| ()).unwrap();
    assert_eq!(text, Generation { ids: vec![best as u32], stop: Stop::MaxNewTokens });
}

#[test]
fn a_model_that_knows_no_difference_writes_the_lowest_id() {
    let mut model = small_model();
    model.parameters_mut().iter_mut().for_each(|parameter| parameter.value_mut().fill(0.0));
    let text = model.generate(Kernels::detect(), &[7], &greedy(3), |_| ()).unwrap();
    assert_eq!(text.ids, [0, 0, 0]);
}

#[test]
fn the_same_seed_writes_the_same_text_and_others_write_others() {
    let model = small_model();
    let write = |seed| {
        let decoding = Decoding::Sample { filters: Filters::default(), seed };
        let config = GenerationConfig { decoding, ..greedy(8) };
        model.generate(Kernels::detect(), &[0], &config, |_| ()).unwrap().ids
    };
    assert_eq!(write(1), write(1));
    let texts: std::collections::HashSet<_> = (0..20).map(write).collect();
    assert!(texts.len() > 15, "{texts:?}");
}

#[test]
fn the_watcher_sees_the_distribution_before_and_after_the_filters() {
    let filters = Filters { top_k: Some(2), ..Filters::default() };
    let decoding = Decoding::Sample { filters, seed: 1 };
    let config = GenerationConfig { decoding, ..greedy(3) };
    let mut counts = Vec::new();
    let watch = |step: Step<'_, f64>| {
        assert!(step.after.candidates().iter().any(|candidate| candidate.id == step.chosen));
        counts.push((step.before.candidates().len(), step.after.candidates().len()));
    };
    small_model().generate(Kernels::detect(), &[0], &config, watch).unwrap();
    assert_eq!(counts, [(10, 2); 3]);
}

#[test]
fn a_refused_chunk_leaves_the_cache_as_it_was() {
    let (model, kernels) = (small_model(), Kernels::detect());
    let mut cache = KeyValueCache::new(model.config(), 3).unwrap();
    model.extend(kernels, &mut cache, &[0, 5]).unwrap();
    for (chunk, message) in [
        (&[][..], "0 tokens for a cache with 2 of 3 places in use"),
        (&[6, 6], "2 tokens for a cache with 2 of 3 places in use"),
        (&[10], "token id 10"),
    ] {
        let error = model.extend(kernels, &mut cache, chunk).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
        assert!(model.prefill(kernels, &mut cache, chunk).is_err());
    }
    let mut fresh = KeyValueCache::new(model.config(), 8).unwrap();
    let whole = model.extend(kernels, &mut fresh, &[0, 5, 6]).unwrap();
    assert_eq!(model.step(kernels, &mut cache, 6).unwrap().row(0), whole.row(2));
    assert_eq!(cache.len(), 3);
}

#[test]
fn prompts_and_settings_that_cannot_be_are_refused() {
    let model = small_model();
    let refuse = |prompt: &[TokenId], config: &GenerationConfig| {
        let cached = model.generate(Kernels::detect(), prompt, config, |_| ()).unwrap_err();
        let uncached =
            model.generate_uncached(Kernels::detect(), prompt, config, |_| ()).unwrap_err();
        assert_eq!(cached.to_string(), uncached.to_string());
        cached
    };
    for prompt in [&[][..], &[0; 9]] {
        assert!(matches!(refuse(prompt, &greedy(1)), ModelError::ChunkLength { .. }));
    }
    assert!(matches!(refuse(&[10], &greedy(0)), ModelError::Token { id: 10, vocab_size: 10 }));
    let filters = Filters { top_p: Some(0.0), ..Filters::default() };
    let decoding = Decoding::Sample { filters, seed: 1 };
    let error = refuse(&[0], &GenerationConfig { decoding, ..greedy(0) });
    assert!(matches!(error, ModelError::InvalidConfig { field: "top_p", .. }));
}

#[test]
fn a_model_that_gives_no_numbers_is_an_error_and_no_panic() {
    let mut model = small_model();
    model.parameters_mut()[0].value_mut().fill(f64::NAN);
    let error = model.generate(Kernels::detect(), &[0], &greedy(1), |_| ()).unwrap_err();
    assert!(matches!(error, ModelError::Logits { id: 0, .. }), "{error}");
}

#[test]
fn capacities_outside_the_context_are_refused() {
    for capacity in [0, 9] {
        let error = KeyValueCache::<f32>::new(small_model().config(), capacity).unwrap_err();
        assert!(error.to_string().contains(&format!("capacity is {capacity}")), "{error}");
    }
}
