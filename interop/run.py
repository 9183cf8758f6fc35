"""Runs the comparisons named on the command line, or all: folders, gguf, harness, real."""
import importlib
import os
import sys
import warnings

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
warnings.filterwarnings("ignore")

import ours

CHECKS = ["folders", "gguf", "harness", "real"]

if __name__ == "__main__":
    chosen = sys.argv[1:] or CHECKS
    unknown = [name for name in chosen if name not in CHECKS]
    if unknown:
        sys.exit(f"no comparison is called {', '.join(unknown)}: expected {', '.join(CHECKS)}")
    ours.build()
    report = ours.Report()
    for name in chosen:
        print(f"-- {name}", flush=True)
        importlib.import_module(f"check_{name}").main(report)
    print(f"{report.passed} passed, {report.failed} failed")
    sys.exit(report.failed > 0)
