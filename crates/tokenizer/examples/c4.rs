use llm_tokenizer::*;
fn main() {
    let t = chapter_four_tokenizer();
    for m in &t.artifact().merges {
        println!("{:?} {:?}", m, String::from_utf8_lossy(t.token_bytes(m.id).unwrap()));
    }
    println!(
        "{} {} bytes\n{}",
        t.sha256(),
        t.to_json().len(),
        String::from_utf8(t.to_json()).unwrap()
    );
    let docs: Vec<_> =
        CHAPTER_FOUR_TRAINING_TEXT.iter().map(|s| WeightedDocument::once(s.as_bytes())).collect();
    for l in train_by_recounting(
        &docs,
        &TrainingConfig { merges: 12, minimum_count: 2, pretokenizer: Pretokenizer::None },
    )
    .unwrap()
    {
        println!("{l:?}");
    }
}
