"""Calls this repository's programs."""
import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).parent.parent
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def build():
    subprocess.run(["cargo", "build", "--quiet", "--release", "--locked", "-p", "llm-interop", "--example", "probe", "-p", "llm-cli", "--bin", "llm"], cwd=ROOT, check=True)


def probe(*arguments, text=None):
    """The lines that crates/interop/examples/probe.rs prints."""
    program = TARGET / "release/examples/probe"
    run = subprocess.run([program, *map(str, arguments)], input=text, text=True, capture_output=True)
    assert run.returncode == 0, (arguments, run.stderr)
    return run.stdout.splitlines()


def logits(folder, element, ids):
    return [json.loads(line) for line in probe("logits", folder, element, *ids)]


def llm(*arguments):
    """The JSON that `llm ... --json` prints."""
    run = subprocess.run([TARGET / "release/llm", *map(str, arguments), "--json"], text=True, capture_output=True)
    assert run.returncode == 0, (arguments, run.stderr)
    return json.loads(run.stdout)


class Report:
    """Differences and their limits, printed as they come."""

    def __init__(self):
        self.passed = self.failed = 0

    def count(self, ok):
        self.passed += ok
        self.failed += not ok
        return ok

    def within(self, what, difference, limit):
        ok = self.count(difference <= limit)
        print(f"{'ok  ' if ok else 'FAIL'}  {what:64}  {difference:.1e}  limit {limit:.0e}", flush=True)

    def equal(self, what, one, other):
        ok = self.count(one == other)
        print(f"{'ok  ' if ok else 'FAIL'}  {what}" + ("" if ok else f": {one} and {other}"), flush=True)
