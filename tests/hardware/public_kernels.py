#!/usr/bin/env python3
"""Public programs that hold several variants of a kernel: what an H200 took for each, and how WarpLens ranks them.

usage: public_kernels.py FIGURES.json DIRECTORY        DIRECTORY/RUN.json for each run of FIGURES (data/h200_public_kernels.json)

FIGURES names the program, arguments and launches of each run; the programs are built with nvcc -O3 -gencode
arch=compute_90,code=compute_90 and run as `warplens run --proofs=always --launches N --json RUN.json …`. A variant is a kernel of a
run, or a run where each has one; the fastest launch of each kernel counts. Variants are ranked by cycles beyond need, and where
these are equal by the cycles in all. Pairs within 3 % of each other say nothing about order; of those that are ranked otherwise than
timed, it is told of how many the report says that memory need not limit the slower variant, or is not all that takes time. Sectors that differ are listed, with
the reason where it is known; exit code 1 where it is not.
"""
import itertools
import json
import pathlib
import re
import sys

import variants

REASONS = {
    "channelSum": "the assembler makes one load of three equal ones",
    "spmv": "the assembler lets lanes leave loops at other turns than PTX does",
    "filter": "who comes first decides which sectors a block stores to",
}
SAID = ["", "together", "others"]  # variants.said_of
COMPARED = ("sectors_loaded", "sectors_stored", "local_sectors_loaded")


def name_of(launch):
    return re.sub(r"\(\w+( \w+)*\)", "", launch["kernel"])


def variant_of(run, kernel, nth):
    """The group that a launch is compared in, and its name there; nothing where it is of no interest."""
    base = kernel.split("<")[0]
    if run.startswith(("softmax_", "bias_", "residual_")):
        return run.split("_")[0], run
    if run == "scan":
        return kernel.replace("scan_bcao", "scan"), base
    if run == "channelSum":
        return f"channelSum {nth}", base
    if run == "alignedTypes":
        match = re.match(r"testKernel<(u\w+\d)_(\w+)>", kernel)
        return match and (f"alignedTypes {match[1]}", match[2])
    if run == "transpose" and not re.match("transpose(Naive|Coalesced|No|Diag)", kernel) or base == "mv_dense":
        return None
    return run, base


def main(figures, directory):
    launches = {}
    for launch in figures["launches"]:
        launches.setdefault(launch["run"], []).append(launch)
    good, groups = True, {}
    for run, theirs in launches.items():
        report = json.load(open(pathlib.Path(directory) / f"{run}.json"))
        ours, waiting, otherwise = variants.in_order(report), variants.waits(report), variants.limited_otherwise(report)
        seen = {}
        for counted, measured in zip(ours, theirs, strict=True):
            found = variants.counted(counted)
            differ = [f"{name} {found[name]}, measured {measured[name]}" for name in COMPARED if found[name] != measured[name]]
            if differ:
                print(f"{run}, {measured['kernel']}: {'; '.join(differ)} ({REASONS.get(run, 'not explained')})")
                good &= run in REASONS
            kernel = name_of(measured)
            nth = seen[kernel] = seen.get(kernel, -1) + 1
            variant = variant_of(run, kernel, nth)
            if not variant:
                continue
            said = SAID.index(otherwise[counted["kernel"], tuple(counted["block"])])
            cycles = sum(map(variants.cycles, counted["sites"]))
            cost = (variants.beyond_need(counted, waiting), cycles, measured["nanoseconds"], said)
            kernels = groups.setdefault(variant[0], {}).setdefault(variant[1], {})
            kernels[kernel] = min(kernels.get(kernel, cost), cost, key=lambda c: c[2])
    level = 0
    told = {True: [0] * len(SAID), False: [0] * len(SAID)}  # of the slower variant, by whether the pair is ranked as timed
    print("| kernel | variant: cycles beyond need, in all, µs |\n|---|---|")
    for group, members in groups.items():
        sums = {}
        for name, kernels in members.items():
            *costs, said = zip(*kernels.values())
            sums[name] = (*map(sum, costs), max(said))
        cells = (f"{name}: {b / 1e6:.3g} M, {a / 1e6:.3g} M, {t / 1000:.1f}" for name, (b, a, t, _) in sums.items())
        print(f"| {group} | {' · '.join(cells)} |")
        for x, y in itertools.combinations(sums.values(), 2):
            if max(x[2], y[2]) <= variants.NOISE * min(x[2], y[2]):
                level += 1
            else:
                ranked = x[:2] != y[:2] and (x[:2] > y[:2]) == (x[2] > y[2])
                told[ranked][(x if x[2] > y[2] else y)[3]] += 1
    print(f"{sum(told[True])} pairs are ranked as timed, {sum(told[False])} are not, {level} take the same time within 3 %")
    for ranked, (nothing, together, others) in told.items():
        print(
            f"of those that are {'' if ranked else 'not '}ranked so, the report says of {others} that memory need not limit the slower "
            f"variant, of {together} that it is not all that takes time, of {nothing} nothing"
        )
    return good


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(0 if main(json.load(open(sys.argv[1])), sys.argv[2]) else 1)
