"""Logits and ids of folders: theirs read by us, ours read by transformers."""
import json
import pathlib
import tempfile

import torch
from tokenizers import Tokenizer
from transformers import AutoTokenizer

import folders
import ours
import reference

SHAPES = [(4, 2, 6, 2), (3, 1, 8, 1), (2, 2, 4, 3), (6, 3, 10, 2), (1, 1, 2, 1)]  # heads, key/value heads, head_dim, blocks


def difference(one, other):
    return (torch.as_tensor(one, dtype=torch.float64) - torch.as_tensor(other, dtype=torch.float64)).abs().max().item()


def check_logits(report, name, folder):
    """Ours and transformers' against the float64 reference, on the same folder."""
    ids = folders.some_ids(folder, 24, 7)
    expected = reference.logits(folder, ids)
    f64 = json.loads((folder / "config.json").read_text()).get("dtype") == "float64"
    report.within(f"{name}: ours in f64", difference(ours.logits(folder, "f64", ids), expected), 1e-9)
    if not f64:
        report.within(f"{name}: ours in f32", difference(ours.logits(folder, "f32", ids), expected), 2e-5)
    report.within(f"{name}: transformers in f64", difference(reference.transformers_logits(folder, ids, torch.float64), expected), 1e-9)
    report.within(f"{name}: transformers in f32", difference(reference.transformers_logits(folder, ids, torch.float32), expected), 2e-5)


def check_ids(report, name, folder):
    """Texts without control tokens: our ids are those of both libraries."""
    texts = [text for text in folders.TEXTS if "<|" not in text] + folders.random_texts(1000)
    mine = [json.loads(line) for line in ours.probe("encode", folder, text=json.dumps(texts))]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    report.equal(f"{name}: ids are those of tokenizers", mine, [tokenizer.encode(t, add_special_tokens=False).ids for t in texts])
    tokenizer = AutoTokenizer.from_pretrained(folder)
    report.equal(f"{name}: ids are those of transformers", mine, [tokenizer.encode(t, add_special_tokens=False) for t in texts])
    report.equal(f"{name}: they stand for the text", [tokenizer.decode(ids) for ids in mine], texts)
    return tokenizer


def main(report):
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        for name in folders.all_folders(root):
            check_logits(report, f"{name}, read by us", root / name)
            ours.probe("copy", root / name, root / f"{name}-copy")
            check_logits(report, f"{name}, written by us again", root / f"{name}-copy")
            check_ids(report, f"{name}", root / name)
            check_ids(report, f"{name}, written by us again", root / f"{name}-copy")
        for seed, shape in enumerate(SHAPES):
            folder = root / f"fresh-{seed}"
            ours.probe("fresh", folder, seed, *shape)
            check_logits(report, f"fresh, shape {shape}", folder)
        tokenizer = check_ids(report, "fresh", folder)
        report.equal("fresh: transformers begins a text with BOS", tokenizer.encode("a"), [0, 99])
        report.equal("fresh: and knows EOS", tokenizer.eos_token_id, 1)
