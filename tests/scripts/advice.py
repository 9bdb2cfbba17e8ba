"""Compares what the advice predicted with what its change costs, made by hand: advice.py DIRECTORY SOURCE.cu…

DIRECTORY has a report STEM.json for each program STEM.cu. A mark at the end of a line names the pair and the accesses that are
compared, those of its line that are of this operation and space; where an access gets more than one piece of advice, the mark
before the change names the rule. Every rule that predicts must do so to the unit for at least three pairs.
"""
import json
import pathlib
import re
import sys

PREDICTING = {
    "uncoalesced-load", "misaligned-access", "scattered-access", "repeated-load", "narrow-access",
    "bank-conflict", "constant-serialised", "local-array", "same-address-atomic", "contended-atomic",
    "divergent-access", "missing-restrict",
}  # fmt: skip
MARK = re.compile(r"// (before|after) (\w+) (\S+) (\w+)(?: (\S+))?$")


def pairs_of(report, source):
    accesses = [access for kernel in report["kernels"] for access in kernel["accesses"]]
    pairs = {}
    for number, text in enumerate(open(source), 1):
        mark = MARK.search(text)
        if not mark:
            continue
        when, name, op, space, rule = mark.groups()
        found = [a for a in accesses if a["line"] == number and a["op"] in op.split("/") and a["space"] == space]
        assert found, f"{source}:{number}: no {op} of {space} memory"
        pairs.setdefault(name, {})[when] = found
        if rule:
            pairs[name]["rule"] = rule
    return pairs


def outcome(pair):
    """The rule, its metric, and how many there were before, are predicted and are counted after; no metric without advice."""
    rule = pair.get("rule") or next((a["advice"][0]["rule"] for a in pair["before"] if a["advice"]), "at all")
    advice = [next((a for a in access["advice"] if a["rule"] == rule), None) for access in pair["before"]]
    if not any(advice):
        return rule, None, 0, 0, 0
    metric = next(a["metric"] for a in advice if a)
    # Of an unrolled loop some instructions may be as they should be: they stay as they are.
    predicted = sum(a["after"] if a else access[metric] for a, access in zip(advice, pair["before"]))
    return rule, metric, sum(a[metric] for a in pair["before"]), predicted, sum(a[metric] or 0 for a in pair["after"])


def check(name, pair):
    """The rule, and whether its prediction holds."""
    rule, metric, before, predicted, measured = outcome(pair)
    if not metric:
        print(f"{name}: no advice {rule}: {[[a['rule'] for a in access['advice']] for access in pair['before']]}")
        return rule, False
    print(f"{name}: {before} -> {predicted} {metric} predicted, {measured} measured ({rule})")
    return rule, predicted == measured and predicted < before


def main(directory, sources):
    good, by_rule = True, {rule: 0 for rule in PREDICTING}
    for source in map(pathlib.Path, sources):
        report = json.load(open(pathlib.Path(directory) / f"{source.stem}.json"))
        for name, pair in pairs_of(report, source).items():
            rule, holds = check(name, pair)
            good &= holds
            rule = rule.replace("uncoalesced-store", "uncoalesced-load")  # one prediction
            by_rule[rule] = by_rule.get(rule, 0) + 1
    for rule, count in by_rule.items():
        if count < 3:
            good = False
            print(f"{rule}: {count} pairs, not three")
    return good


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1], sys.argv[2:]) else 1)
