#!/usr/bin/env python3
"""The pairs of variants.cu: figures from a GPU, and what WarpLens says of them.

usage: variants.py figures MACHINE.txt PAIRS.tsv NCU.csv > FIGURES.json     each kernel launched twice; the faster counts
       variants.py compare FIGURES.json RUN.json [--table]                  each kernel launched once

`compare` wants every sector count equal to the GPU's, and of each pair the variant that costs more by WarpLens to be the slower
one. Pairs whose times lie within 3 % of each other say nothing about order. --table prints the pairs in Markdown.
Exit code 0 when all agree, 1 when not.
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
NOISE = 1.03  # of the times of one kernel, launch by launch


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
