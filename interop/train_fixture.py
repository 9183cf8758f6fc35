"""Trains the folder of chapter 23 with PyTorch, and scores its documents in float64.

    python interop/train_fixture.py     # with the packages of interop/requirements.txt

A Llama of 13 thousand parameters learns sentences of a small grammar, in a few seconds. It is stored in
bf16; expected.json has the losses of the stored weights by reference.py.
"""
import json
import pathlib
import random
import shutil

import torch
from transformers import LlamaConfig, LlamaForCausalLM

import folders
import reference

FOLDER = pathlib.Path(__file__).parent.parent / "practicals/ch23-real-models/harbour"
HELD_OUT = [
    "The pilot watches the red boat at dawn.",
    "A captain mends 7 old nets.",
    "Zebras juggle quartz.",
]


def sentences(count, seed):
    rng = random.Random(seed)
    people = ["pilot", "captain", "keeper", "sailor", "fisher"]
    things = ["boat", "net", "lamp", "rope", "sail"]
    for _ in range(count):
        who = f"{rng.choice(['The', 'A'])} {rng.choice(people)}"
        thing = f"{rng.choice(['red', 'old', 'small', 'long'])} {rng.choice(things)}"
        verb = rng.choice(["watches", "mends", "counts", "paints"])
        what = f"the {thing}" if rng.random() < 0.6 else f"{rng.randint(2, 9)} {thing}s"
        yield f"{who} {verb} {what}{rng.choice([' at dawn', ' at night', ''])}."


def tokenizer(texts):
    split = folders.pre_tokenizers.Split(folders.Regex(folders.LLAMA3), "isolated")
    made = folders.byte_level([split], 300, ["<|begin|>", "<|end|>"], False, texts=texts)
    made.model.ignore_merges = True
    folders.begin_with(made, "<|begin|>")
    return made


if __name__ == "__main__":
    torch.manual_seed(0)
    texts = [text for text in sentences(400, 1) if text not in HELD_OUT]
    made = tokenizer(texts)
    start, end = made.token_to_id("<|begin|>"), made.token_to_id("<|end|>")
    config = LlamaConfig(
        vocab_size=304, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        head_dim=8, max_position_embeddings=64, rms_norm_eps=1e-5, tie_word_embeddings=True, bos_token_id=start, eos_token_id=end,
        rope_parameters={"rope_type": "default", "rope_theta": 10000.0})
    model = LlamaForCausalLM(config)
    documents = [made.encode(text).ids + [end] for text in texts]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.0)
    for step in range(600):
        batch = random.Random(step).sample(documents, 16)
        longest = max(map(len, batch))
        inputs = torch.tensor([ids + [end] * (longest - len(ids)) for ids in batch])
        labels = torch.tensor([ids + [-100] * (longest - len(ids)) for ids in batch])
        for group in optimizer.param_groups:
            group["lr"] = 1e-2 * (1 - step / 600)
        loss = model(inputs, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"training loss {loss.item():.3f}")

    shutil.rmtree(FOLDER, ignore_errors=True)
    folders.save(FOLDER, model, made, {"bos_token": "<|begin|>", "eos_token": "<|end|>"}, torch.bfloat16)
    folders.rewrite(FOLDER, pretraining_tp=None, pad_token_id=None)
    rows = []
    for text in HELD_OUT:
        ids = made.encode(text).ids + [end]
        log_probabilities = reference.logits(FOLDER, ids[:-1]).log_softmax(-1)
        losses = -log_probabilities[torch.arange(len(ids) - 1), ids[1:]]
        rows.append({"text": text, "ids": ids, "nll": losses.sum().item()})
        print(f"{losses.mean().item():.3f} nats per token: {text}")
    (FOLDER / "expected.json").write_text("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")
