"""Our GGUF files in llama.cpp: the likelihood of every token, and ids of texts."""
import json
import pathlib
import tempfile

import gguf
import llama_cpp
import numpy as np

import folders
import ours


def open_in_llama_cpp(path, count):
    """Keys and values in f32: by default llama.cpp rounds them to f16, which is 4e-3 nats here."""
    f32 = llama_cpp.GGML_TYPE_F32
    return llama_cpp.Llama(str(path), n_ctx=count, n_batch=count, logits_all=True, type_k=f32, type_v=f32, n_threads=1, n_threads_batch=1, verbose=False)


def nll(logits, ids):
    """Negative log-likelihood of every id behind the first, from logits in float64."""
    logits = np.asarray(logits, dtype=np.float64)[: len(ids) - 1]
    largest = logits.max(1, keepdims=True)
    return np.log(np.exp(logits - largest).sum(1)) + largest[:, 0] - logits[np.arange(len(ids) - 1), ids[1:]]


def check_likelihood(report, name, folder, path, quantization):
    ids = folders.some_ids(folder, 30, 3)
    ours.probe("gguf", folder, path, quantization)
    model = open_in_llama_cpp(path, len(ids))
    model.eval(ids)
    mine = nll(ours.logits(folder, "f64", ids), ids)
    difference = np.abs(nll(model.scores, ids) - mine)
    if quantization == "f32":
        report.within(f"{name}: nats of a token in llama.cpp", difference.max(), 2e-4)
    else:
        print(f"info  {name} as {quantization}: mean NLL {mine.mean():.4f}, in llama.cpp {nll(model.scores, ids).mean():.4f}, largest difference of a token {difference.max():.4f}")
    return model


def check_ids(report, name, folder, model):
    texts = [text for text in folders.TEXTS if text and "<|" not in text]
    mine = [json.loads(line) for line in ours.probe("encode", folder, text=json.dumps(texts))]
    theirs = [model.tokenize(text.encode(), add_bos=False, special=False) for text in texts]
    report.equal(f"{name}: ids are those of llama.cpp", mine, theirs)


def check_codes(report, folder, path):
    """Codes and scales are those that the gguf package computes from the f32 file."""
    ours.probe("gguf", folder, path.with_suffix(".f32.gguf"), "f32")
    plain = {t.name: t for t in gguf.GGUFReader(path.with_suffix(".f32.gguf")).tensors}
    for quantization, kind in [("q8_0", gguf.GGMLQuantizationType.Q8_0), ("q4_0", gguf.GGMLQuantizationType.Q4_0)]:
        ours.probe("gguf", folder, path, quantization)
        same = all(
            np.array_equal(tensor.data, gguf.quants.quantize(plain[tensor.name].data, kind))
            for tensor in gguf.GGUFReader(path).tensors if tensor.tensor_type == kind)
        report.equal(f"codes of {quantization} are those of the gguf package", same, True)


def main(report):
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        for name in folders.all_folders(root):
            model = check_likelihood(report, name, root / name, root / f"{name}.gguf", "f32")
            check_ids(report, name, root / name, model)
        # A tokenizer that does not cut text is not in the file; ids are enough.
        ours.probe("fresh", root / "fresh", 5, 4, 2, 6, 2)
        check_likelihood(report, "fresh, without a tokenizer", root / "fresh", root / "fresh.gguf", "f32")
        folder = folders.wide(root)
        for quantization in ["f32", "q8_0", "q4_0"]:
            check_likelihood(report, "wide", folder, root / f"wide-{quantization}.gguf", quantization)
        check_codes(report, folder, root / "codes.gguf")
