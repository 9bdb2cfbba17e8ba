#!/usr/bin/env python3
"""The pairs of variants.cu: figures from a GPU, and what WarpLens says of them.

usage: variants.py figures MACHINE.txt PAIRS.tsv NCU.csv > FIGURES.json     each kernel launched twice; the faster counts
       variants.py compare FIGURES.json RUN.json [--table]                  each kernel launched once

`compare` wants every sector count equal to the GPU's, passes of the tag stage never above and at most a tenth below, and of each
pair the variant that costs more by WarpLens to be the slower one: by the cycles beyond need and those that atomics wait for one
another, and where these are equal by the cycles in all. Pairs whose times lie within 3 % of each other say nothing about order, nor
does one of whose slower variant the report says that memory need not limit it or is not all that takes time. NOT_RANKED says where
cycles cannot know the order for another reason, and a pair of it that comes out right is an error.
--table prints the pairs in Markdown. Exit code 0 when all agree, 1 when not.
"""
import csv
import json
import sys

COUNTERS = {
    "sectors_loaded": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "sectors_stored": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "local_sectors_loaded": "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
    "tag_passes_loaded": "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
}
COSTS = {"tag_pass": 1, "wavefront": 1, "sector": 4, "constant_request": 2}  # arch::StageCosts of 9.0
NOISE = 1.03  # of the times of one kernel, launch by launch
MORE_PASSES = 1.1  # where warps of several blocks meet in the tag stage, lines wait for lines of others
ELSEWHERE = 1.0005  # a line's tag set depends on its address, and so on where memory lies
NOT_RANKED = {
    "floats": "nothing moves in vain; more instructions, and 4 times as many warps, each of which waits for its load",
    "doubles": "as floats, with twice as many warps",
    "start": "3.4 % apart, of kernels that take little longer than an empty one",
    "stream copy": "as doubles",
}
# Counts that the GPU does not share.
DIFFER = {
    ("short rows", "before"): "ptxas unrolls PTX's loop of four again, by four and by two: lanes whose rows differ in length part there",
    ("atoms", "before"): "10.9 % more tag passes, where blocks meet in the tag stage",
    ("gather_wide", "before"): "11.0 % more tag passes, likewise",
    ("short_rows", "before"): "one block: a pass more or less by where memory lies",
    ("short_rows", "after"): "likewise",
    ("sparse", "before"): "likewise",
    ("bfs", "before"): "likewise",
    ("bfs", "after"): "likewise",
}


def number(text):
    return float(text.replace(",", ""))


def figures(machine, pairs, profile):
    names = ("gpu", "driver", "cuda", "ncu", "date")
    with open(machine) as file:
        out = {"machine": dict(zip(names, file.read().split("\n"))), "launches": []}
    with open(profile) as file:
        rows = [row for row in csv.DictReader(file) if row["ID"]]  # not the row of units
    with open(pairs) as file:
        for index, line in enumerate(file):
            pair, variant, _ = line.split("\t")
            twice = rows[2 * index : 2 * index + 2]
            launch = {"pair": pair, "variant": variant, "kernel": twice[0]["Kernel Name"].split("(")[0]}
            launch["nanoseconds"] = min(number(row["gpu__time_duration.sum"]) for row in twice)
            for name, counter in COUNTERS.items():
                launch[name] = int(number(twice[0][counter]))
            out["launches"].append(launch)
    json.dump(out, sys.stdout, indent=1)
    print()


def counted(launch):
    def total(member, space, op):
        return sum(s[member] or 0 for s in launch["sites"] if s["space"] == space and s["op"] == op)

    return {
        "sectors_loaded": total("sectors", "global", "load"),
        "sectors_stored": total("sectors", "global", "store"),
        "local_sectors_loaded": total("sectors", "local", "load"),
        "tag_passes_loaded": total("tag_passes", "global", "load"),
    }


def in_order(run):
    """The launches as they came, those that are alike each at its own place."""
    launches = []
    for launch in run["launches"]:
        runs = launch.get("occurrences") or [{"first": launch["index"], "count": 1, "step": 1}]
        for each in runs:
            launches += [(each["first"] + i * each["step"], launch) for i in range(each["count"])]
    return [launch for _, launch in sorted(launches, key=lambda item: item[0])]


def cycles(site):
    """Of the busiest stage, as measure::cycles."""
    if site["space"] == "shared":
        return site["wavefronts"] * COSTS["wavefront"]
    if site["space"] == "constant":
        return site["requests"] * COSTS["constant_request"]
    tag, data = (site.get(name) or 0 for name in ("tag_passes", "data_wavefronts"))
    return max(tag * COSTS["tag_pass"], data * COSTS["wavefront"], (site["sectors"] or 0) * COSTS["sector"])


def waits(run):
    """Cycles that atomics of each kernel wait for one another, of a launch: no access's own count shows them."""
    out = {}
    for kernel in run["kernels"]:
        each = (max((a["wait_cycles"] for a in access["advice"]), default=0) for access in kernel["accesses"])
        key = kernel["kernel"], tuple(kernel["block"])
        out[key] = sum(each) / kernel["launches"]
    return out


def said_of(kernel):
    """What the report says under the busiest stage: "others", that memory need not limit the kernel; "together", that instructions
    and waiting for loads take about as long; or nothing (src/output/report/tables.cpp, other_limits)."""
    limit = kernel["limit"]
    if not limit:
        return ""
    memory, issue, waiting = (limit[name + "_cycles"] for name in ("memory", "issue", "waiting"))
    if memory + issue + waiting < 4000 * kernel["launches"]:
        return ""  # no longer than an empty kernel
    if max(issue, waiting) > memory:
        return "others"
    return "together" if 3 * (issue + waiting) >= 2 * memory else ""


def limited_otherwise(run):
    """What is said, by kernel and block."""
    return {(kernel["kernel"], tuple(kernel["block"])): said_of(kernel) for kernel in run["kernels"]}


def beyond_need(launch, waiting):
    return sum(s["excess_cycles"] or 0 for s in launch["sites"]) + waiting.get((launch["kernel"], tuple(launch["block"])), 0)


def compare(measured, run, table):
    good, costs, waiting, otherwise = True, {}, waits(run), limited_otherwise(run)
    launches = in_order(run)
    if len(launches) > len(measured["launches"]):  # pairs at the end of the program that wait for a GPU
        print(f"{len(launches) - len(measured['launches'])} launches are not among the figures")
        launches = launches[: len(measured["launches"])]
    for ours, theirs in zip(launches, measured["launches"], strict=True):
        name = f"{theirs['pair']}, {theirs['variant']} ({theirs['kernel']})"
        for counter, value in counted(ours).items():
            passes = counter.startswith("tag_passes")
            fits = value <= ELSEWHERE * theirs[counter] <= MORE_PASSES * value if passes else value == theirs[counter]
            if not fits and (theirs["pair"], theirs["variant"]) not in DIFFER:
                good = False
                print(f"{name}: {counter} {value}, measured {theirs[counter]}")
        cost = round(beyond_need(ours, waiting)), sum(map(cycles, ours["sites"]))
        said = bool(otherwise[ours["kernel"], tuple(ours["block"])])
        costs.setdefault(theirs["pair"], []).append((cost, theirs["nanoseconds"], said))
    if table:
        print("| pair | cycles beyond need, before | after | µs before | after | times faster |\n|---|---|---|---|---|---|")
    for pair, ((cost, time, said), (cost_after, time_after, said_after)) in costs.items():
        if table:
            speedup = f"{time / time_after:.2f}"
            print(f"| {pair} | {cost[0]} | {cost_after[0]} | {time / 1000:.1f} | {time_after / 1000:.1f} | {speedup} |")
        ranked = max(time, time_after) <= NOISE * min(time, time_after) or (
            cost != cost_after and (cost > cost_after) == (time > time_after)
        )
        ranked = ranked or (said if time > time_after else said_after)
        if ranked == (pair in NOT_RANKED):
            good = False
            print(f"{pair}: cycles beyond need, and in all, {cost} become {cost_after}, {time} ns become {time_after}")
    return good


if __name__ == "__main__":
    if len(sys.argv) == 5 and sys.argv[1] == "figures":
        figures(*sys.argv[2:])
    elif len(sys.argv) in (4, 5) and sys.argv[1] == "compare":
        with open(sys.argv[2]) as measured, open(sys.argv[3]) as run:
            sys.exit(0 if compare(json.load(measured), json.load(run), "--table" in sys.argv) else 1)
    else:
        sys.exit(__doc__)
