#!/usr/bin/env python3
"""What was measured and predicted of a list of programs, as one small JSON document: what page.py reads.

usage: keep.py LIST OUT > LAUNCHES.json      OUT: what measure.sh wrote for LIST

A program's `launches` are groups of equal ones: `count` of them, and of each sum [as machine code, as PTX, measured]; the bound is that as
machine code. `varies` names the sums that two measurements of one launch of the kernel, with this grid, tell apart by more than 0.1 %: there no prediction can be right. It
is missing where nothing was measured a second time. `other_shape`: the GPU launched another grid or block than was predicted.
"""
import json
import pathlib
import sys

CLOSE = 0.001


def read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return None


def close(a, b):
    return abs(a - b) <= CLOSE * max(abs(a), abs(b))


def unstable(document):
    """(kernel, grid, block) → the sums that two measurements (the last two sides) tell apart."""
    out = {}
    for kernel in document["kernels"]:
        for group in kernel["groups"]:
            if None in group["grid"]:
                continue
            place = out.setdefault((kernel["name"], str(group["grid"][1]), str(group["block"][1])), set())
            place |= {one["count"] for one in group["sums"] if not close(*one["values"][1:])}
    return out


def launches_of(document, again):
    for kernel in document["kernels"]:
        for group in kernel["groups"]:
            if None in group["grid"]:
                continue
            entry = {
                "kernel": kernel["name"],
                "count": group["count"],
                "grid": group["grid"][-1],
                "block": group["block"][-1],
                "seconds": group["measured_seconds"],
                "bound": group["bound_seconds"],
                "sums": {one["count"]: one["values"] for one in group["sums"]},
            }
            if any(group[what][side] != group[what][-1] for what in ("grid", "block") for side in (0, 1)):
                entry["other_shape"] = True
            if again is not None:
                place = (kernel["name"], str(group["grid"][-1]), str(group["block"][-1]))
                entry["varies"] = sorted(unstable(again).get(place, ()))
            yield entry


def main(listing, folder):
    folder, programs = pathlib.Path(folder), []
    for line in pathlib.Path(listing).read_text().splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, command = line.split(None, 1)
        document = read(folder / f"{name}.compared.json")
        launches = list(launches_of(document, read(folder / f"{name}.again.json"))) if document else []
        if launches:
            programs.append({"name": name, "arguments": " ".join(command.split()[1:]), "launches": launches})
    try:
        gpu, tool, day = (folder / "machine.txt").read_text().splitlines()
        machine = {"gpu": gpu.split(", ")[0], "driver": gpu.split(", ")[1], "tool": f"Nsight Compute {tool}", "date": day}
    except (OSError, ValueError):
        machine = {}
    rows = ",\n".join(json.dumps(one, separators=(",", ":")) for one in programs)
    print(f'{{"machine": {json.dumps(machine)},\n"programs": [\n{rows}\n]}}')


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
