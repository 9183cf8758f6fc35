"""Writes hugging_face.json, gpt2_pieces.json and pieces.json, which the tests compare with.

Made with tokenizers 0.23.3 and regex 2026.11.19 (Unicode 18.0):
    pip install tokenizers==0.23.3 regex==2026.11.19 && python hugging_face.py

Each case of hugging_face.json is a byte-level BPE tokenizer that the Hugging Face library
trained or was given, written as an artifact of ours, with texts and the ids of that library.
pieces.json has the pieces that its pretokenizers cut, set up as in published folders.
"""
import json, pathlib, random
import regex
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

HERE = pathlib.Path(__file__).parent
GPT2 = r"""'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"""
LLAMA3 = r"""(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""
TRAINING = [
    "The ferry leaves at 7:45, doesn't it?  We'll see; they've 12 boats.\n\n",
    "def ferry(boats):\n    return [boat for boat in boats if boat.leaves]\n",
    "Größe, naïve café, Øresund; 東京 東京駅 \u00bd \u0661\u0662 \U0001f6a2\U0001f6a2\n",
    "aaaaaaa bananas, banana, ananas; aa aaa aaaa\t\t\tbananabanana\n",
] * 3
TEXTS = TRAINING[:4] + [
    "", " ", "   ", "a", "aaaaa", "bananananas", "We're  12345 boats\n\n\n  later ", "  x\u3000\u3000y\r\n\r\nz",
    "Straße 東京都 \U0001f6a2 naïveté", "<|end|> is text", "can't won't I'LL '' 's", "banana\tbanana  \t ferry",
]


def byte_symbols():
    """GPT-2's printable stand-in for every byte value."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    table, extra = {b: chr(b) for b in kept}, 0
    for b in range(256):
        if b not in table:
            table[b], extra = chr(256 + extra), extra + 1
    return table


SYMBOL = byte_symbols()
BYTE = {symbol: byte for byte, symbol in SYMBOL.items()}


def artifact(tokenizer, pretokenizer, control, extra):
    model = json.loads(tokenizer.to_str())["model"]
    vocab = model["vocab"]
    merges = [m if isinstance(m, list) else m.split(" ") for m in model["merges"]]
    return {
        "byte_ids": [vocab.get(SYMBOL[b]) for b in range(256)],
        "control_tokens": [{"id": tokenizer.token_to_id(t), "role": "end", "text": t} for t in control],
        "document_end": None, "document_start": None,
        "extra_tokens": [{"bytes": list(t.encode()), "id": tokenizer.token_to_id(t), "match_text": True} for t in extra],
        "format_version": 1,
        "merges": [{"id": vocab[a + b], "left": vocab[a], "right": vocab[b]} for a, b in merges],
        "normalizer": "none", "pretokenizer": pretokenizer,
        "vocab_size": tokenizer.get_vocab_size() + 7,
        "whole_piece_first": bool(model.get("ignore_merges")),
    }


def dress(model, pretokenizer):
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pretokenizer == "gpt2")
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def trained(pretokenizer, size, alphabet):
    tokenizer = dress(models.BPE(), pretokenizer)
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<|end|>"], initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TRAINING, trainer)
    return tokenizer


def all_splits(tokenizer, pretokenizer, ignore_merges):
    """The same vocabulary as a list of every split of every token, as converted files have it."""
    vocab = json.loads(tokenizer.to_str())["model"]["vocab"]
    merges = [(t[:k], t[k:]) for t in sorted(vocab, key=vocab.get) if not t.startswith("<|")
              for k in range(1, len(t)) if t[:k] in vocab and t[k:] in vocab
              and vocab[t[:k]] < vocab[t] and vocab[t[k:]] < vocab[t]]
    dressed = dress(models.BPE(vocab=vocab, merges=merges, ignore_merges=ignore_merges), pretokenizer)
    dressed.add_special_tokens(["<|end|>"])
    return dressed


def case(name, tokenizer, pretokenizer, extra=(), texts=TEXTS):
    if extra:
        tokenizer.add_tokens([AddedToken(t, normalized=False) for t in extra])
    record = {"name": name, "artifact": artifact(tokenizer, pretokenizer, ["<|end|>"], extra), "texts": []}
    plain = Tokenizer.from_str(tokenizer.to_str())
    plain.encode_special_tokens = True  # control-looking text is text
    for text in texts:
        ids = plain.encode(text, add_special_tokens=False).ids
        assert plain.decode(ids, skip_special_tokens=False) == text, (name, text)
        record["texts"].append({"ids": ids, "text": text})
    return record


def gpt2_texts():
    rng = random.Random(4)
    alphabet = ["a", "Z", "é", "東", "\u0301", "7", "\u00bd", "\u0661", "\u2167", ".", "'", "'s", "'ll", "\U0001f6a2", " ", " ", "  ", "\n", "\t", "\u3000", "\u00a0", "\u200b", "\u0085", "\x1c"]
    return TEXTS + ["".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 24))) for _ in range(200)]


def pieces_of(texts):
    split = lambda pattern: pre_tokenizers.Split(Regex(pattern), "isolated")
    words = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    rules = {
        "gpt2_digits": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), words]),
        "llama3": split(LLAMA3),
        "qwen2": split(LLAMA3.replace("{1,3}", "")),
    }
    cut = lambda rule, text: [text[a:b] for _, (a, b) in rule.pre_tokenize_str(text)]
    return [{"text": text, **{name: cut(rule, text) for name, rule in rules.items()}} for text in texts]


def line_texts():
    rng = random.Random(5)
    alphabet = ["a", "Zé", "東", "\u0301", "7", "12", "\u00bd", "\u0661", ".", "?!", "'", "'S", "'rE", "'\u017f", "\u017f", "\U0001f6a2", " ", " ", "  ", "\n", "\r\n", "\r", "\t", "\u3000", "\u00a0", "\u0085"]
    return ["".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 24))) for _ in range(200)]


if __name__ == "__main__":
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    whole, gpt2 = trained("none", 420, alphabet), trained("gpt2", 420, alphabet)
    cases = [
        case("one piece", whole, "none"),
        case("gpt2 pieces", gpt2, "gpt2"),
        case("every split is a merge", all_splits(gpt2, "gpt2", False), "gpt2"),
        case("whole pieces first", all_splits(gpt2, "gpt2", True), "gpt2"),
        case("runs of spaces", trained("gpt2", 420, alphabet), "gpt2", ["  ", "    ", "\t\t"]),
        case("only the bytes of its text", trained("gpt2", 420, []), "gpt2", texts=TRAINING[:4]),
    ]
    dump = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    (HERE / "hugging_face.json").write_text("[\n" + ",\n".join(map(dump, cases)) + "\n]\n")
    pieces = [{"pieces": regex.findall(GPT2, text), "text": text} for text in gpt2_texts()]
    (HERE / "gpt2_pieces.json").write_text("[\n" + ",\n".join(map(dump, pieces)) + "\n]\n")
    pieces = pieces_of(TEXTS + line_texts())
    (HERE / "pieces.json").write_text("[\n" + ",\n".join(map(dump, pieces)) + "\n]\n")
