#!/usr/bin/env python3
"""What limits a kernel: what WarpLens says (src/judgement/summary/bottleneck.cpp), held against what Nsight Compute saw.

usage: limiters.py      prints the table and each kernel that is told wrongly; exit code 1 where a bound below is missed

data/h100_limiters.json has the kernels of variants*.cu. The profiler's metrics: memory_percent is
gpu__compute_memory_throughput, compute_percent sm__throughput (of the peak), memory_stalls the share of warp stalls that wait for
memory: long and short scoreboard, lg_throttle, mio_throttle, drain, tex_throttle, imc_miss, membar. Memory limits a kernel for the
profiler where it is at 60 % of its peak and above compute, or where at least half of the stalls are of memory.
"""
import collections
import json
import pathlib
import sys

START = 4000  # cycles, as in bottleneck.cpp


def said(memory, issue, waiting, atomics_wait):
    if atomics_wait:
        return "memory"
    if max(memory, issue, waiting / 4) < START:
        return "launch overhead"
    if 2 * issue > 3 * memory and issue >= waiting / 4:
        return "arithmetic"
    return "memory" if memory >= 2 * issue and memory >= waiting / 4 else "not clear"


def main():
    data = json.loads((pathlib.Path(__file__).parent / "data/h100_limiters.json").read_text())
    table, wrong = collections.Counter(), []
    for row in data["kernels"]:
        k = dict(zip(data["columns"], row))
        memory = (k["memory_percent"] >= 60 and k["memory_percent"] >= k["compute_percent"]) or k["memory_stalls"] >= 0.5
        seen = "memory" if memory else "other"
        says = said(k["memory_cycles"], k["issue_cycles"], k["waiting_cycles"], k["atomics_wait"])
        table[says, seen] += 1
        if (says == "memory") != memory and says in ("memory", "arithmetic"):
            wrong.append(f"{k['program']}: {k['kernel']}: said {says}; memory {k['memory_percent']} %, compute {k['compute_percent']} %, "
                         f"{100 * k['memory_stalls']:.0f} % of the stalls are of memory, {k['nanoseconds'] / 1000:.1f} µs")
    print("WarpLens says    | profiler: memory | profiler: other")
    for says in ("memory", "arithmetic", "not clear", "launch overhead"):
        print(f"{says:16} | {table[says, 'memory']:16} | {table[says, 'other']:15}")
    print("\n".join(wrong))
    long = sum(n for (says, _), n in table.items() if says != "launch overhead")
    undecided = table["not clear", "memory"] + table["not clear", "other"]
    return 1 if table["memory", "other"] > 2 or 3 * undecided > long else 0


sys.exit(main())
