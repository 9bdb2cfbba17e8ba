"""Compares what `check` predicts with what the emulator counts after the change, made by hand: check_advice.py DIRECTORY SOURCE.cu…

DIRECTORY has, of each program STEM.cu, the report STEM.json and the findings STEM.check.json. The marks are those of advice.py.
A prediction of `check` is for one warp of which all lanes take part: it is an upper bound where warps differ, and equal to the
average of the run where they are alike. Every rule that predicts must do so to the unit at least once.
"""
import json
import math
import pathlib
import sys

from advice import MARK

PREDICTING = {
    "uncoalesced-load", "uncoalesced-store", "uncoalesced-atomic", "misaligned-access", "bank-conflict",
    "constant-serialised", "scattered-access", "local-array", "missing-restrict",
}  # fmt: skip

# Made by hand is another change than `check` proposes: a block puts what it stores in order, not all of them together; and threadIdx.z
# takes the place of threadIdx.x, where `check` knows two dimensions of a block.
OTHER_CHANGE = {"digits", "volume"}


def marks_of(source):
    pairs = {}
    for number, text in enumerate(open(source), 1):
        if mark := MARK.search(text):
            when, name, op, space, _ = mark.groups()
            pairs.setdefault(name, {})[when] = (number, op.split("/"), space)
    return {name: pair for name, pair in pairs.items() if len(pair) == 2 and name not in OTHER_CHANGE}


def cost(access, counter):
    per = access["requests"] if counter == "sectors" else access["instructions"]
    return access[counter] / per


def loads_once(report, pair):
    """`missing-restrict` predicts that each thread loads once; what is moved out of a loop may have lost its line."""
    launches = {}
    for launch in report["launches"]:
        lines = {site["line"] for site in launch["sites"]}
        for when in pair:
            if pair[when][0] in lines:
                launches[when] = launch
    executed = {when: [s["instructions"] for s in launch["sites"] if s["op"] == "load" and s["space"] == pair[when][2]]
                for when, launch in launches.items()}  # fmt: skip
    x, y, z = launches["after"]["grid"]
    warps = x * y * z * -(-math.prod(launches["after"]["block"]) // 32)
    return sorted(executed["before"])[:-1] + [warps], sorted(executed["after"], reverse=True)


def main(directory, sources):
    equal, good = {rule: 0 for rule in PREDICTING}, True
    for source in map(pathlib.Path, sources):
        report = json.load(open(pathlib.Path(directory) / f"{source.stem}.json"))
        found = json.load(open(pathlib.Path(directory) / f"{source.stem}.check.json"))["findings"]
        accesses = [access for kernel in report["kernels"] for access in kernel["accesses"]]
        for name, pair in marks_of(source).items():
            line, operations, space = pair["after"]
            after = [a for a in accesses if a["line"] == line and a["op"] in operations and a["space"] == space]
            for finding in found:
                if not finding["costs"]:
                    continue  # of an index, not of an access
                predicted = finding["costs"][0]
                if finding["line"] == pair["before"][0] and finding["rule"] == "missing-restrict":
                    wanted, executed = loads_once(report, pair)
                    print(f"{name}: loads executed by {wanted} warps predicted, {executed} measured")
                    good &= wanted == executed
                    equal["missing-restrict"] += wanted == executed
                    continue
                if finding["line"] != pair["before"][0] or not finding["fix"] or predicted["fixed"] is None:
                    continue
                measured = max(cost(a, predicted["counter"]) for a in after if a.get(predicted["counter"]) is not None)
                print(f"{name}: {predicted['most']} -> {predicted['fixed']} {predicted['counter']} predicted, "
                      f"{measured} measured ({finding['rule']})")
                good &= measured <= predicted["fixed"] < predicted["most"]
                equal[finding["rule"]] = equal.get(finding["rule"], 0) + (measured == predicted["fixed"])
    for rule, count in equal.items():
        if count == 0:
            good = False
            print(f"{rule}: no prediction was right to the unit")
    return good


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1], sys.argv[2:]) else 1)
