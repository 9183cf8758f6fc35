"""Losses of a model of the evaluation chapter with rounded weights, in plain Python.

Usage: python3 quantized_losses.py MODEL.safetensors
Reads the file that chapter 16 saves, rounds its matrices by the rule of crates/quantization/src/format.rs,
runs the decoder in ordinary floating point, and prints bytes, errors, losses, divergences and changed
first guesses. Shares no code with the crates; agrees to about ten digits.
"""
import json, math, struct, sys
from fractions import Fraction

def load(path):
    raw = open(path, "rb").read()
    n = struct.unpack("<Q", raw[:8])[0]
    header = json.loads(raw[8:8 + n])
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            a, b = entry["data_offsets"]
            flat = struct.unpack(f"<{(b - a) // 8}d", raw[8 + n + a:8 + n + b])
            tensors[name] = (entry["shape"], list(flat))
    return tensors

def scale_of(largest, levels):
    if largest == 0: return 2.0 ** -126
    x = Fraction(largest) / levels
    e = math.frexp(float(x))[1] - 16           # a unit of the 16th significant bit
    unit = Fraction(2) ** e
    return max(float(math.ceil(x / unit) * unit), 2.0 ** -126)

def round_channel(w, fmt):
    levels, block = (127, len(w)) if fmt == "int8" else (7, 32)
    out, scales = [], 0
    for i in range(0, len(w), block):
        part = w[i:i + block]
        s = scale_of(max(abs(x) for x in part), levels)
        scales += 1
        out += [round(Fraction(x) / Fraction(s)) * s for x in part]   # Python rounds halves to even
    code_bytes = len(w) if fmt == "int8" else (len(w) + 1) // 2
    return out, code_bytes + 4 * scales

def quantize(tensors, fmt):
    result, size = {}, 0
    for name, (shape, flat) in tensors.items():
        if len(shape) == 1:
            result[name] = (shape, flat); size += 8 * len(flat); continue
        rows, cols = shape
        new = [0.0] * len(flat)
        by_row = name == "token_embedding.weight"
        for c in range(rows if by_row else cols):
            idx = [c * cols + i for i in range(cols)] if by_row else [i * cols + c for i in range(rows)]
            values, b = round_channel([flat[i] for i in idx], fmt)
            size += b
            for i, v in zip(idx, values): new[i] = v
        result[name] = (shape, new)
    return result, size

def matvec(x, t):
    (rows, cols), w = t
    return [sum(x[i] * w[i * cols + j] for i in range(rows)) for j in range(cols)]

def norm(x, g):
    r = math.sqrt(sum(v * v for v in x) / len(x) + 1e-6)
    return [v / r * k for v, k in zip(x, g[1])]

def rope(x, p, d=4):
    out = list(x)
    for h in range(0, len(x), d):
        for j in range(d // 2):
            a = p * 10000.0 ** (-2 * j / d)
            l, r = x[h + 2 * j], x[h + 2 * j + 1]
            out[h + 2 * j], out[h + 2 * j + 1] = l * math.cos(a) - r * math.sin(a), l * math.sin(a) + r * math.cos(a)
    return out

def rows(t, ids):
    E = t["token_embedding.weight"][1]
    emb = lambda i: E[8 * i:8 * i + 8]
    xs = [emb(i) for i in ids]
    b = "blocks.0."
    hs = [norm(x, t[b + "attention_norm.gain"]) for x in xs]
    q = [rope(matvec(h, t[b + "attention.query.weight"]), p) for p, h in enumerate(hs)]
    k = [rope(matvec(h, t[b + "attention.key.weight"]), p) for p, h in enumerate(hs)]
    v = [matvec(h, t[b + "attention.value.weight"]) for h in hs]
    out = []
    for p in range(len(ids)):
        mixed = []
        for h in (0, 4):
            s = [sum(q[p][h + i] * k[m][h + i] for i in range(4)) / 2 for m in range(p + 1)]
            e = [math.exp(z - max(s)) for z in s]
            mixed += [sum(w * v[m][h + i] for m, w in enumerate(e)) / sum(e) for i in range(4)]
        x = [a + c for a, c in zip(xs[p], matvec(mixed, t[b + "attention.output.weight"]))]
        h = norm(x, t[b + "ffn_norm.gain"])
        g, u = matvec(h, t[b + "ffn.gate.weight"]), matvec(h, t[b + "ffn.up.weight"])
        x = [a + c for a, c in zip(x, matvec([z / (1 + math.exp(-z)) * y for z, y in zip(g, u)], t[b + "ffn.down.weight"]))]
        f = norm(x, t["final_norm.gain"])
        logits = [sum(a * c for a, c in zip(f, emb(i))) for i in range(266)]
        m = max(logits)
        ls = m + math.log(math.fsum(math.exp(z - m) for z in logits))
        out.append([z - ls for z in logits])
    return out

SPLITS = {"train": ["aaab", "aab"], "validation": ["abaa", "baa"]}
original = load(sys.argv[1])
for fmt in ("int8", "int4"):
    small, size = quantize(original, fmt)
    print(fmt, "bytes", size)
    for name, (shape, flat) in original.items():
        if len(shape) == 2:
            err = [a - c for a, c in zip(small[name][1], flat)]
            rms = math.sqrt(math.fsum(e * e for e in err) / len(err))
            print(f"  {name} max {max(map(abs, err)):.9f} rms {rms:.9f} relative {rms / math.sqrt(math.fsum(w * w for w in flat) / len(flat)):.9f}")
    for split, texts in SPLITS.items():
        before, after, kl, flips = [], [], [], 0
        for text in texts:
            ids = [0] + [ord(c) + 2 for c in text] + [1]
            for target, a, c in zip(ids[1:], rows(original, ids[:-1]), rows(small, ids[:-1])):
                before.append(-a[target]); after.append(-c[target])
                kl.append(math.fsum(math.exp(x) * (x - y) for x, y in zip(a, c)))
                flips += a.index(max(a)) != c.index(max(c))
        n = len(before)
        print(f"  {split} nll {math.fsum(before) / n:.9f} -> {math.fsum(after) / n:.9f} kl {math.fsum(kl) / n:.9f} largest {max(kl):.9f} flips {flips}/{n}")
