"""Compares what the advice predicted with what its change costs: advice.py REPORT.json SOURCE.cu (programs/advice.cu)."""
import json
import re
import sys

report = json.load(open(sys.argv[1]))
accesses = [access for kernel in report["kernels"] for access in kernel["accesses"]]
pairs = {}
for number, text in enumerate(open(sys.argv[2]), 1):
    mark = re.search(r"// (before|after) (\w+) (\S+) (\w+)$", text)
    if not mark:
        continue
    when, name, op, space = mark.groups()
    found = [a for a in accesses if a["line"] == number and a["op"] in op.split("/") and a["space"] == space]
    assert found, f"line {number}: no {op} of {space} memory"
    pairs.setdefault(name, {})[when] = found
assert len(pairs) >= 8, pairs.keys()
wrong = 0
for name, pair in pairs.items():
    advice = [a["advice"][0] for a in pair["before"]]
    metric = advice[0]["metric"]
    predicted = sum(a["after"] for a in advice)
    measured = sum(a[metric] for a in pair["after"])
    before = sum(a[metric] for a in pair["before"])
    print(f"{name}: {before} -> {predicted} {metric} predicted, {measured} measured ({advice[0]['rule']})")
    wrong += predicted != measured or predicted >= before
sys.exit(wrong != 0)
