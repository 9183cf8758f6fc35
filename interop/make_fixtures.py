"""Writes the folders of crates/interop/tests/data that `./course test` compares with.

    python interop/make_fixtures.py     # with the packages of interop/requirements.txt

Each is a random folder of folders.py with two more files: expected.safetensors has ids and their
float64 logits by reference.py, texts.json has texts with the ids of the tokenizers library. blocks.json
has weights as the gguf package quantizes them.
"""
import json
import pathlib
import shutil

import gguf
import numpy as np
import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer

import folders
import reference

DATA = pathlib.Path(__file__).parent.parent / "crates/interop/tests/data"

if __name__ == "__main__":
    shutil.rmtree(DATA, ignore_errors=True)
    for name in folders.all_folders(DATA):
        folder, ids = DATA / name, folders.some_ids(DATA / name, 7)
        logits = reference.logits(folder, ids)
        theirs = reference.transformers_logits(folder, ids, torch.float64)
        assert (logits - theirs).abs().max() < 1e-9, (name, (logits - theirs).abs().max())
        save_file({"ids": torch.tensor(ids), "logits": logits}, folder / "expected.safetensors")

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        framed = [tokenizer.encode(text).ids for text in folders.TEXTS]
        tokenizer.encode_special_tokens = True  # here text never becomes a control token
        plain = [tokenizer.encode(text, add_special_tokens=False).ids for text in folders.TEXTS]
        rows = [{"text": t, "ids": p, "framed": f} for t, p, f in zip(folders.TEXTS, plain, framed)]
        (folder / "texts.json").write_text("[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in rows) + "\n]\n")
    # Weights in blocks, as the gguf package stores them.
    weights = np.random.default_rng(6).normal(size=(8, 32)).astype(np.float32)
    weights[1] *= 1e-7  # scales that are subnormal as f16
    weights[2] = np.round(weights[2] * 2) / 2  # codes half-way between two
    kinds = gguf.GGMLQuantizationType
    stored = {name: gguf.quants.quantize(weights, kind).tobytes().hex() for name, kind in [("q8_0", kinds.Q8_0), ("q4_0", kinds.Q4_0)]}
    (DATA / "blocks.json").write_text(json.dumps({"weights": [float(w) for w in weights.ravel()], **stored}) + "\n")
    for path in sorted(DATA.rglob("*")):
        path.is_file() and print(path.stat().st_size, path.relative_to(DATA))
