#!/usr/bin/env python3
"""Is the order in which WarpLens puts things worth time? Pairs of kernels, before and after the change that it advises, timed on a GPU.

usage: order.py FIGURES.json RUN.json [FIGURES.json RUN.json …] [--only NAME,…]

FIGURES are those of variants.sh, RUN is what `warplens run --json` says of the same program. Predicted is how many times fewer cycles
the busiest stage of an SM takes (with what atomics wait for one another, where that is more), measured how many times less time the
kernel takes. Prints a row for each pair, Spearman's rank correlation of both, how many predicted gains gained, and each false one: where
a gain of a tenth or more is predicted and less than 3 % is measured, or the other way round.
"""
import json
import sys

import variants

GAIN, NOISE = 1.10, 1.03


def cost_of(kernel):
    limit = kernel["limit"]
    if not limit:
        return 1
    waits = sum(max((a["wait_cycles"] for a in access["advice"]), default=0) for access in kernel["accesses"])
    return max([waits / limit["part"]["multiprocessors"], 1, *limit["cycles"].values()]) / kernel["launches"]


def ranks(values):
    order = sorted(range(len(values)), key=values.__getitem__)
    out = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for i in order[at : end + 1]:
            out[i] = (at + end) / 2
        at = end + 1
    return out


def correlation(a, b):
    a, b = ranks(a), ranks(b)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    covariance = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b))
    spread = (sum((x - mean_a) ** 2 for x in a) * sum((y - mean_b) ** 2 for y in b)) ** 0.5
    return covariance / spread if spread else 0.0


def pairs_of(figures, run):
    """Of each pair: predicted, measured, microseconds before and after, what the report says limits the first kernel otherwise."""
    kernels = {(k["kernel"], tuple(k["block"])): k for k in run["kernels"]}
    out = {}
    for ours, theirs in zip(variants.in_order(run), figures["launches"]):
        kernel = kernels[ours["kernel"], tuple(ours["block"])]
        out.setdefault(theirs["pair"], []).append((cost_of(kernel), theirs["nanoseconds"] / 1000, variants.said_of(kernel)))
    return {
        name: (before[0] / after[0], before[1] / after[1], before[1], after[1], before[2])
        for name, (before, after) in out.items()
    }


def main(arguments):
    only = None
    if "--only" in arguments:
        at = arguments.index("--only")
        only = set(arguments[at + 1].split(","))
        del arguments[at : at + 2]
    all_pairs = {}
    for figures, run in zip(arguments[::2], arguments[1::2], strict=True):
        with open(figures) as f, open(run) as r:
            all_pairs.update(pairs_of(json.load(f), json.load(r)))
    if only:
        all_pairs = {name: pair for name, pair in all_pairs.items() if name in only}
    print("| pair | predicted | measured | µs before | after | said |\n|---|---|---|---|---|---|")
    words = {"others": "memory need not limit", "together": "memory is not all", "": ""}
    for name, (predicted, measured, before, after, said) in sorted(all_pairs.items(), key=lambda item: -item[1][0]):
        print(f"| {name} | {predicted:.2f} | {measured:.2f} | {before:.1f} | {after:.1f} | {words[said]} |")
    predicted = [pair[0] for pair in all_pairs.values()]
    measured = [pair[1] for pair in all_pairs.values()]
    print(f"\n{len(all_pairs)} pairs, rank correlation {correlation(predicted, measured):.2f}")
    gains = [pair for pair in all_pairs.values() if pair[0] >= GAIN]
    print(f"{sum(pair[1] > NOISE for pair in gains)} of {len(gains)} predicted gains gained, {sum(pair[1] < 1 / NOISE for pair in gains)} lost")
    for name, (gain, real, _, _, said) in sorted(all_pairs.items()):
        if gain >= GAIN and real <= NOISE or gain < GAIN and real > GAIN:
            print(f"false: {name}: predicted {gain:.2f}, measured {real:.2f}{', ' + words[said] if said else ''}")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:])
