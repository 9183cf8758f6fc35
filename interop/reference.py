"""The Llama decoder in float64, written from its formulas: what logits are compared with.

It takes the tensors of a Hugging Face folder as they are named there, with rotary pairs (j, j + d/2).
transformers is no reference for 1e-9: also in a float64 model it computes the norms, the rotary tables
and the softmax in float32. `transformers_in_float64` replaces these three, as a second opinion.
"""
import contextlib
import json
import math
import pathlib

import torch
from safetensors.torch import load_file


def weights(folder):
    """All tensors of a folder, in float64."""
    tensors = {}
    for file in sorted(pathlib.Path(folder).glob("*.safetensors")):
        tensors.update(load_file(file))
    return {name: tensor.double() for name, tensor in tensors.items()}


def logits(folder, ids):
    """Logits [len(ids), vocab_size] behind every id."""
    config, w = json.loads((pathlib.Path(folder) / "config.json").read_text()), weights(folder)
    heads = config["num_attention_heads"]
    kv_heads = config.get("num_key_value_heads") or heads
    d = config.get("head_dim") or config["hidden_size"] // heads
    eps = config["rms_norm_eps"]
    base = (config.get("rope_parameters") or config).get("rope_theta", 10000.0)
    angles = torch.outer(torch.arange(len(ids)).double(), base ** (-torch.arange(0, d, 2).double() / d))
    hidden_from_future = torch.full((len(ids), len(ids)), -math.inf, dtype=torch.float64).triu(1)

    def norm(x, gain):
        return x / torch.sqrt((x * x).mean(-1, keepdim=True) + eps) * gain

    def linear(x, name):
        bias = w.get(name + ".bias")
        y = x @ w[name + ".weight"].T
        return y if bias is None else y + bias

    def turn(x):  # [heads, tokens, d]
        left, right = x[..., : d // 2], x[..., d // 2 :]
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([left * cos - right * sin, left * sin + right * cos], -1)

    x = w["model.embed_tokens.weight"][ids]
    for layer in range(config["num_hidden_layers"]):
        at = f"model.layers.{layer}."
        h = norm(x, w[at + "input_layernorm.weight"])
        split = lambda name, n: linear(h, at + f"self_attn.{name}").view(len(ids), n, d).transpose(0, 1)
        q, k, v = turn(split("q_proj", heads)), turn(split("k_proj", kv_heads)), split("v_proj", kv_heads)
        k, v = (t.repeat_interleave(heads // kv_heads, 0) for t in (k, v))
        scores = q @ k.transpose(1, 2) / math.sqrt(d) + hidden_from_future
        mixed = (scores.softmax(-1) @ v).transpose(0, 1).reshape(len(ids), heads * d)
        x = x + linear(mixed, at + "self_attn.o_proj")
        h = norm(x, w[at + "post_attention_layernorm.weight"])
        gate = linear(h, at + "mlp.gate_proj")
        x = x + linear(gate / (1 + torch.exp(-gate)) * linear(h, at + "mlp.up_proj"), at + "mlp.down_proj")
    head = w.get("lm_head.weight", w["model.embed_tokens.weight"])
    return norm(x, w["model.norm.weight"]) @ head.T


@contextlib.contextmanager
def transformers_in_float64():
    """Replaces what transformers computes in float32 whatever the model's type is."""
    from transformers.models.llama import modeling_llama
    from transformers.models.qwen2 import modeling_qwen2

    def norm(self, x):
        return self.weight * (x / torch.sqrt(x.pow(2).mean(-1, keepdim=True) + self.variance_epsilon))

    def rotary(self, x, position_ids):
        d = self.inv_freq.shape[0] * 2
        theta = self.config.rope_parameters["rope_theta"]
        frequencies = theta ** (-torch.arange(0, d, 2).double() / d)
        angles = torch.outer(position_ids[0].double(), frequencies)
        angles = torch.cat([angles, angles], -1)[None]
        return angles.cos(), angles.sin()

    def attention(module, q, k, v, mask, scaling, dropout=0.0, **_):
        groups = module.num_key_value_groups
        k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
        scores = q @ k.transpose(2, 3) * scaling
        future = torch.full(scores.shape[-2:], -math.inf, dtype=scores.dtype).triu(1)
        return ((scores + future).softmax(-1) @ v).transpose(1, 2).contiguous(), None

    saved = []
    for module in (modeling_llama, modeling_qwen2):
        name = "Llama" if module is modeling_llama else "Qwen2"
        for owner, attribute, value in [
            (getattr(module, f"{name}RMSNorm"), "forward", norm),
            (getattr(module, f"{name}RotaryEmbedding"), "forward", rotary),
            (module, "eager_attention_forward", attention),
        ]:
            saved.append((owner, attribute, getattr(owner, attribute)))
            setattr(owner, attribute, value)
    try:
        yield
    finally:
        for owner, attribute, value in saved:
            setattr(owner, attribute, value)


def transformers_logits(folder, ids, dtype):
    """What transformers gives for a folder, in float32 as it is, in float64 with the replacements."""
    from transformers import AutoModelForCausalLM

    def run():
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation="eager")
        with torch.no_grad():
            return model(torch.tensor([ids])).logits[0]

    if dtype == torch.float64:
        with transformers_in_float64():
            return run()
    return run()
