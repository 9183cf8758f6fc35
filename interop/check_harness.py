"""The scores of lm-evaluation-harness: options of questions, and whole texts."""
import json
import pathlib
import random
import tempfile

import lm_eval
from lm_eval.api.instance import Instance
from lm_eval.api.task import ConfigurableTask
from lm_eval.models.huggingface import HFLM

import folders
import ours
import reference
import train_fixture

WITHIN = 1e-4  # nats, of a sum


def items(count, seed):
    """Questions whose options differ in length; every fourth prompt ends with a space."""
    rng = random.Random(seed)
    endings = list(train_fixture.sentences(400, seed))
    for number in range(count):
        words = rng.choice(endings).split(" ")
        cut = rng.randrange(2, len(words))
        options = [" ".join(words[cut:]), "a boat.", "quartz juggles 7 small ropes at dawn.", "é 東."]
        rng.shuffle(options)
        space = number % 4 == 0
        if not space:
            options = [" " + option for option in options]
        answer = next(i for i, option in enumerate(options) if option.strip() == " ".join(words[cut:]))
        yield {"context": " ".join(words[:cut]) + (" " if space else ""), "options": options, "answer": answer}


def harness(folder, dtype, **options):
    """Without its cache of logits, which gives wrong scores to some options (README.md here)."""
    return HFLM(pretrained=str(folder), dtype=dtype, device="cpu", batch_size=4, logits_cache=False, **options)


def harness_task(path):
    """As its tasks are written: options without the space that stands before them."""
    return ConfigurableTask(config={
        "task": "interop", "dataset_path": "json", "dataset_kwargs": {"data_files": {"test": str(path)}}, "test_split": "test",
        "output_type": "multiple_choice", "doc_to_text": "{{context.rstrip()}}", "doc_to_choice": "{{options | map('trim') | list}}", "doc_to_target": "{{answer}}",
        "target_delimiter": " ", "metric_list": [{"metric": "acc"}, {"metric": "acc_norm"}]})


def read_lines(path):
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


def check_tasks(report, name, folder, dtype, archive, root):
    path = root / "items.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items(60, 11)))
    theirs = lm_eval.simple_evaluate(model=harness(folder, dtype), tasks=[harness_task(path)], log_samples=True, bootstrap_iters=0, verbosity="ERROR")
    records = root / "options.jsonl"
    mine = ours.llm("tasks", "--model", archive, "--items", path, "--records", records)
    records = read_lines(records)
    report.equal(f"{name}: no token spans a join", {record["join"] for record in records}, {"clean"})
    sums = {(record["item"], record["option"]): sum(record["log_probabilities"]) for record in records}
    largest = 0.0
    for sample in theirs["samples"]["interop"]:
        for option, response in enumerate(sample["filtered_resps"]):
            largest = max(largest, abs(sums[sample["doc_id"], option] - float(response[0])))
    report.within(f"{name}: {len(sums)} options, largest difference of a sum", largest, WITHIN)
    accuracy = {result["rule"]: result["accuracy"] for result in mine["rules"]}
    scores = theirs["results"]["interop"]
    report.equal(f"{name}: acc is the accuracy of rule sum", scores["acc,none"], accuracy["sum"])
    report.equal(f"{name}: acc_norm is the accuracy of rule char-bare", scores["acc_norm,none"], accuracy["char-bare"])


def check_rolling(report, name, folder, dtype, archive, root, start_token):
    lm = harness(folder, dtype, add_bos_token=False)  # else a tokenizer that begins texts begins them twice
    context = lm.max_length
    text = " ".join(train_fixture.sentences(80, 5))
    # Texts of 1, of fewer than, of exactly and of three times as many tokens as the context has.
    texts = {count: lm.tokenizer.decode(lm.tok_encode(text)[:count]) for count in [1, context // 2, context, 3 * context]}
    texts = {count: text for count, text in texts.items() if len(lm.tok_encode(text)) == count}
    assert len(texts) == 4
    texts[2 * context + 10] = lm.tokenizer.decode(lm.tok_encode(text)[: 2 * context + 10])
    path, records = root / "texts.jsonl", root / "targets.jsonl"
    path.write_text("".join(json.dumps({"id": str(count), "text": text}) + "\n" for count, text in texts.items()))
    requests = [Instance("loglikelihood_rolling", {}, (text,), i) for i, text in enumerate(texts.values())]
    theirs = lm.loglikelihood_rolling(requests, disable_tqdm=True)
    mine = ours.llm("evaluate", "--model", archive, "--input", path, "--no-eos", "--start-token", start_token,
                    "--window", context, "--stride", context, "--records", records)
    sums = {}
    for record in read_lines(records):
        sums[record["document"]] = sums.get(record["document"], 0.0) + record["log_probability"]
    for count, their_sum in zip(texts, theirs):
        what = f"{name}: log-likelihood of a text of {count} tokens"
        if count <= context or count % context == 0:
            report.within(what, abs(sums[str(count)] - their_sum), WITHIN)
        else:
            print(f"info  {what}: {sums[str(count)]:.6f}, there {their_sum:.6f} (the last window)")
    report.equal(f"{name}: every token is a target once", mine["targets"], sum(texts))


def main(report):
    with tempfile.TemporaryDirectory() as root:
        root = pathlib.Path(root)
        folders.all_folders(root)
        harbour = train_fixture.FOLDER
        check(report, "harbour in f32", harbour, "f32", root, "bos")
        with reference.transformers_in_float64():
            check(report, "harbour in f64", harbour, "f64", root, "bos")
            check(report, "smollm2 in f64", root / "smollm2", "f64", root, "eos-as-prefix")
            check(report, "llama3 in f64", root / "llama3", "f64", root, "bos")


def check(report, name, folder, element, root, start_token):
    archive, dtype = root / "model.llm", {"f32": "float32", "f64": "float64"}[element]
    ours.llm("import", "hf", folder, "--output", archive, "--dtype", element)
    check_tasks(report, name, folder, dtype, archive, root)
    check_rolling(report, name, folder, dtype, archive, root, start_token)
