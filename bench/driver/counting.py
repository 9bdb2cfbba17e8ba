#!/usr/bin/env python3
"""What counting costs in processor time, on one core: for machines where others work, too, so that times on the clock say little.

usage: bench/driver/counting.py [--build DIRECTORY] [--turns 9] [--seconds 0.4] [WORKLOAD…]

Each workload runs plain and counting in turns; the median of the turns' ratios counts. The last line is the geometric mean of the
workloads with a goal (bench/workloads), and the machine's load.
"""
import argparse
import math
import os
import pathlib
import statistics
import subprocess

import systems


def processor_time(system):
    tasks = pathlib.Path(f"/proc/{system.process.pid}/task")
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir())


def one(system, mode, seconds):
    """Milliseconds of a launch."""
    before = processor_time(system)
    launches = int(system.ask(f"time {mode} {seconds}").split()[1])
    return (processor_time(system) - before) / launches / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--compiler", default="clang")
    parser.add_argument("workloads", nargs="*")
    options = parser.parse_args()
    listed = subprocess.run([options.build / "compare_warplens", "--workloads"], capture_output=True, text=True, check=True).stdout
    system = systems.start_warplens(options.build, options.compiler, systems.all_cores()[:1])
    print(system.description)
    with_goal = []
    for name, goal, _, size, *_ in map(str.split, listed.splitlines()):
        if options.workloads and name not in options.workloads:
            continue
        system.ask(f"load {name} {size}")
        turns = []
        for turn in range(options.turns + 1):  # the first warms
            modes = ("plain", "counting") if turn % 2 else ("counting", "plain")
            took = {mode: one(system, mode, options.seconds if turn else 0.05) for mode in modes}
            turns.append((took["counting"] / took["plain"], took["plain"], took["counting"]))
        ratio, plain, counting = (statistics.median(column) for column in zip(*turns[1:]))
        print(f"{name}: {ratio:.3f} ({min(turns[1:])[0]:.2f} to {max(turns[1:])[0]:.2f}), plain {plain:.2f} ms, counting {counting:.2f} ms")
        if goal == "1":
            with_goal.append(ratio)
    if with_goal:
        mean = math.exp(statistics.fmean(map(math.log, with_goal)))
        print(f"geometric mean of {len(with_goal)} with a goal: {mean:.3f}; load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
