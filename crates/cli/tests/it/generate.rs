//! `llm generate`.

use crate::support::{Folder, json, llm, printed, refused};

#[test]
fn the_same_seed_gives_the_same_text_and_stops_where_the_context_ends() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let words = ["generate", "--model", &model, "--prompt", "ab"];
    let one = json(&mut llm(words));
    assert_eq!(one, json(&mut llm(words)));
    // 16 inputs hold the start token, the prompt and 13 new tokens; a 14th is written, not read.
    let count = one["ids"].as_array().unwrap().len();
    assert!(count == 14 || one["stop"] == "end_token", "{one}");
    let three = json(llm(words).args(["--tokens", "3"]));
    assert_eq!(three["ids"], serde_json::json!(one["ids"].as_array().unwrap()[..3]));
    assert_eq!(three["stop"], "max_new_tokens");
    assert_ne!(json(llm(words).args(["--seed", "8"]))["ids"], one["ids"]);
}

#[test]
fn greedy_text_is_the_prompt_and_what_follows() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let words = ["generate", "--model", &model, "--prompt", "ab", "--tokens", "0", "--greedy"];
    assert_eq!(printed(&mut llm(words)), "ab\n");
}

#[test]
fn settings_and_prompts_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let words = ["generate", "--model", &model];
    refused(llm(words).args(["--greedy", "--top-k", "3"]), 2);
    assert!(refused(llm(words).args(["--temperature", "-1"]), 2).contains("temperature"));
    assert!(refused(llm(words).args(["--top-p", "0"]), 2).contains("top_p"));
    let long = "x".repeat(17);
    // The start token comes before them.
    let message = refused(llm(words).args(["--prompt", &long]), 1);
    assert!(message.contains("18 tokens, expected 1 to 16"), "{message}");
    let message = refused(llm(words).args(["--prompt", "", "--start-token", "none"]), 1);
    assert!(message.contains("0 tokens, expected 1 to 16"), "{message}");
}
