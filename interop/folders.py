"""Small random folders of the Llama family, each with what some published folder has."""
import json
import pathlib
import random
import unicodedata

import torch
from safetensors.torch import save_file
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

LLAMA3 = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
TEXT = [
    "The lighthouse keeper's log: 12 ships passed, 345 gulls stayed.\n\n",
    "They'll count 6789 waves; it's a long night\tfor a short candle.\r\n",
    "Le café de Málaga, Ελλάδα, 東京の灯台, \u0661\u0662\u0663 \U0001f6a2\n",
    "def keep(light):\n    return light or keep(light)\n",
] * 4
TEXTS = TEXT[:4] + ["", " ", "a", "  \n\n x", "It'S 2026, isn't it?", "<|end|> is text", "gulls\u3000\u3000waves 1234567"]


def byte_level(pretokenizer, size, specials, specials_first, alphabet=None, normalizer=None, texts=TEXT):
    """A byte-level BPE trained on `texts`; `pretokenizer` are the steps before ByteLevel."""
    tokenizer = Tokenizer(models.BPE())
    steps = pretokenizer + [pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not any(isinstance(s, pre_tokenizers.Split) for s in pretokenizer))]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(steps) if len(steps) > 1 else steps[0]
    tokenizer.decoder = decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    trainer = trainers.BpeTrainer(
        vocab_size=size, special_tokens=specials if specials_first else [], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if alphabet is None else alphabet)
    tokenizer.train_from_iterator(texts, trainer)
    if not specials_first:
        tokenizer.add_special_tokens(specials)
    return tokenizer


def begin_with(tokenizer, start):
    """Lets a tokenizer put a token before every text, as Llama 3's does."""
    template = processors.TemplateProcessing(single=f"{start} $A", pair=f"{start} $A {start}:1 $B:1", special_tokens=[(start, tokenizer.token_to_id(start))])
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), template])


def llama3(size=300):
    tokenizer = byte_level([pre_tokenizers.Split(Regex(LLAMA3), "isolated")], size, ["<|begin|>", "<|end|>", "<|turn|>"], False)
    tokenizer.model.ignore_merges = True
    begin_with(tokenizer, "<|begin|>")
    return tokenizer, {"bos_token": "<|begin|>", "eos_token": "<|end|>"}


def smollm2(size=300):
    """Control tokens first, single digits, and some bytes without a token."""
    some = [symbol for symbol in sorted(pre_tokenizers.ByteLevel.alphabet()) if symbol not in "öÿñò"]
    tokenizer = byte_level([pre_tokenizers.Digits(individual_digits=True)], size, ["<|end|>", "<|im_start|>"], True, some)
    return tokenizer, {"bos_token": "<|end|>", "eos_token": "<|end|>", "unk_token": "<|end|>"}


def qwen2(size=300):
    """Normal form C, and an added token that is text."""
    tokenizer = byte_level([pre_tokenizers.Split(Regex(LLAMA3.replace("{1,3}", "")), "isolated")], size, ["<|end|>"], False, normalizer=normalizers.NFC())
    tokenizer.add_tokens([AddedToken("<tool_call>", special=False, normalized=False), AddedToken("   ", special=False, normalized=False)])
    return tokenizer, {"eos_token": "<|end|>", "pad_token": "<|end|>", "add_bos_token": False}


def model(kind, seed, **sizes):
    """A random model whose attention and feed-forward layers matter to its logits."""
    config, model = {"llama": (LlamaConfig, LlamaForCausalLM), "qwen2": (Qwen2Config, Qwen2ForCausalLM)}[kind]
    model = model(config(**sizes))
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            random_values = torch.randn(p.shape, generator=generator)
            p.copy_(1 + 0.2 * random_values if "norm" in name else random_values * (0.5 if p.dim() == 1 else 1.5 / p.shape[-1] ** 0.5))
    return model


def save(folder, model, tokenizer, settings, dtype=torch.float32, **options):
    """Writes a folder as transformers does, and the tokenizer's files beside it."""
    folder = pathlib.Path(folder)
    model.to(dtype).save_pretrained(folder, **options)
    (folder / "generation_config.json").unlink(missing_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"), pretty=False)
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "PreTrainedTokenizerFast", **settings}))
    return folder


def rewrite(folder, **keys):
    """Changes keys of config.json; a value of None removes one."""
    path = pathlib.Path(folder) / "config.json"
    config = {**json.loads(path.read_text()), **keys}
    path.write_text(json.dumps({key: value for key, value in config.items() if value is not None}, indent=1))


def all_folders(root):
    """Folders that differ in everything that import must handle."""
    root = pathlib.Path(root)
    # Grouped heads, untied head, bf16, the newer keys of the configuration.
    tokenizer, settings = llama3()
    sizes = dict(vocab_size=tokenizer.get_vocab_size() + 5, hidden_size=16, intermediate_size=20, num_hidden_layers=2,
                 num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64, rms_norm_eps=1e-5,
                 rope_parameters={"rope_type": "default", "rope_theta": 500000.0}, bos_token_id=300, eos_token_id=[301, 302])
    save(root / "llama3", model("llama", 1, **sizes), tokenizer, settings, torch.bfloat16)

    # Tied head, heads wider than hidden_size / heads, f32, the older keys.
    tokenizer, settings = smollm2()
    sizes = dict(vocab_size=304, hidden_size=12, intermediate_size=16, num_hidden_layers=1, num_attention_heads=3,
                 num_key_value_heads=1, head_dim=8, max_position_embeddings=64, tie_word_embeddings=True, bos_token_id=0, eos_token_id=0)
    folder = save(root / "smollm2", model("llama", 2, **sizes), tokenizer, settings)
    rewrite(folder, rope_parameters=None, rope_theta=100000.0, dtype=None, torch_dtype="float32", rope_scaling=None, rope_interleaved=False, is_llama_config=True)

    # Biases, f16, three shards.
    tokenizer, settings = qwen2()
    sizes = dict(vocab_size=tokenizer.get_vocab_size(), hidden_size=16, intermediate_size=20, num_hidden_layers=2,
                 num_attention_heads=4, num_key_value_heads=4, max_position_embeddings=64, bos_token_id=None, eos_token_id=300)
    save(root / "qwen2", model("qwen2", 3, **sizes), tokenizer, settings, torch.float16, max_shard_size="8KB")

    # A tied folder that still carries its head, as a model with a bias whose output bias is zero.
    tokenizer, settings = llama3()
    sizes = dict(vocab_size=tokenizer.get_vocab_size(), hidden_size=8, intermediate_size=12, num_hidden_layers=1, num_attention_heads=2,
                 num_key_value_heads=2, max_position_embeddings=32, tie_word_embeddings=True, attention_bias=True, bos_token_id=300, eos_token_id=301)
    made = model("llama", 4, **sizes)
    made.model.layers[0].self_attn.o_proj.bias.data.zero_()
    folder = save(root / "tied", made, tokenizer, settings)
    state = {name: tensor.clone().contiguous() for name, tensor in made.state_dict().items()}
    save_file(state, folder / "model.safetensors", {"format": "pt"})
    return ["llama3", "smollm2", "qwen2", "tied"]


def wide(root):
    """A folder whose rows are long enough for blocks of 32 weights."""
    tokenizer, settings = smollm2()
    sizes = dict(vocab_size=tokenizer.get_vocab_size(), hidden_size=64, intermediate_size=96, num_hidden_layers=3, num_attention_heads=4,
                 num_key_value_heads=2, max_position_embeddings=64, tie_word_embeddings=True, bos_token_id=0, eos_token_id=0)
    return save(pathlib.Path(root) / "wide", model("llama", 5, **sizes), tokenizer, settings)


def random_texts(count, seed=0):
    """Texts in which letters, digits, signs and spaces of many kinds meet, in normal form C."""
    rng = random.Random(seed)
    parts = ["a", "The", " light", "house", "é", "東京", "Ελ", "ſ", "7", "12", "345", "½", "\u0661", "'s", "'S", "'lL", "'", "!?", ".", "_", "\u0301",
             "\U0001f6a2", " ", "  ", "   ", "\t", "\n", "\r\n", "\n\n", "\u3000", "\u00a0", "\u200b", "\u0085", "<", "|", ">", "\x00", "\x1c"]
    texts = ("".join(rng.choice(parts) for _ in range(rng.randrange(1, 30))) for _ in range(count))
    return [unicodedata.normalize("NFC", text) for text in texts]


def some_ids(folder, count, seed=0):
    vocab_size = json.loads((pathlib.Path(folder) / "config.json").read_text())["vocab_size"]
    return [random.Random(seed).randrange(vocab_size) for _ in range(count)]
