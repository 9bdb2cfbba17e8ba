#!/usr/bin/env python3
"""Public kernels in several variants: what an H200 took for them, and how WarpLens ranks them.

usage: public_variants.py FIGURES.json DIRECTORY       DIRECTORY/RUN.json for each "run" of FIGURES (data/h200_public_variants.json)

The programs are cuda-samples' reduction and dev/cuda of llm.c, built with nvcc -O3 -gencode arch=compute_90,code=compute_90 and run
with the same arguments: `warplens run --proofs=always --launches 6 --json RUN.json …` (reduction: --launch-skip 1 --launches 3).
Sectors must be equal launch by launch. Of each variant the fastest launch counts, or with several kernels the first launch of
each together. The table has the cycles beyond need, by which WarpLens ranks, and where these are equal the cycles in all.
Exit code 0 when all sectors agree.
"""
import collections
import json
import pathlib
import sys

import variants

def main(figures, directory):
    runs = collections.OrderedDict()
    for launch in json.load(open(figures))["launches"]:
        runs.setdefault(launch["run"], []).append(launch)
    good = True
    print("| variant | cycles beyond need | cycles in all | µs |\n|---|---|---|---|")
    for run, theirs in runs.items():
        path = pathlib.Path(directory) / f"{run}.json"
        ours = variants.in_order(json.load(open(path))) if path.exists() else []
        if not ours:
            print(f"| {run} | not counted | | |")
            continue
        by_kernel = {}
        for counted, measured in zip(ours, theirs):
            found = variants.counted(counted)
            for name in ("sectors_loaded", "sectors_stored", "local_sectors_loaded"):
                if found[name] != measured[name]:
                    good = False
                    print(f"{run}, {measured['kernel']}: {name} {found[name]}, measured {measured[name]}", file=sys.stderr)
            beyond = sum(s["excess_cycles"] or 0 for s in counted["sites"])
            row = (measured["nanoseconds"], beyond, sum(map(variants.cycles, counted["sites"])))
            kernel = measured["kernel"].split("<")[0]
            if run.startswith("reduction"):  # the launches that follow finish the sum
                by_kernel.setdefault("all", row)
            elif kernel not in by_kernel or row[0] < by_kernel[kernel][0]:
                by_kernel[kernel] = row
        time, beyond, total = map(sum, zip(*by_kernel.values()))
        print(f"| {run} | {beyond} | {total} | {time / 1000:.1f} |")
    return good


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(0 if main(sys.argv[1], sys.argv[2]) else 1)
