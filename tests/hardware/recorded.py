#!/usr/bin/env python3
"""Records the launches of recorded.cu on a GPU and checks that each has its own counts, and that the program ends well.

usage: recorded.py WARPLENS PROGRAM [OPTION…]     options of `warplens record`; --cupti '' for a run for each launch

One line for each kind of launch; exit code 1 where one is not as it should be.
"""
import json
import re
import subprocess
import sys
import tempfile

# The blocks of launches that are recorded, and how many a note has to name: of graphs, and beside captures. None: that depends on time,
# but all of `capturing` launches are recorded or noted.
capturing = 4 * 3 * 2
KINDS = {
    "graphs": ([1, 2, 3], 3, 0),
    "global": ([7, 3], 1, 2),
    "thread_local": ([7, 3], 1, 2),
    "relaxed": ([7, 3], 1, 2),
    "cold_global": ([7, 3, 4], 1, 1),
    "cold_thread_local": ([7, 3, 4], 1, 1),
    "cold_relaxed": ([7, 3, 4], 1, 1),
    "sessions": ([1 + i % 5 for i in range(140)], 0, 0),
    "refused": ([1, 2], 0, 0),
    "threads": (sorted([1, 2, 3, 4] * 5), 0, 0),
    "capturing_threads": (None, 12, None),
}


def wrong(launch, warps):
    """What of a recorded launch is not that of `warps` warps with a load and a store each."""
    for name, value in launch.get("counters", {}).items():
        if "requests_pipe_lsu_mem_global" in name and value != warps:
            return f"{name} is {value}"
    for function in launch.get("functions", []):
        for row in function["rows"]:
            if row[1] != warps:
                return f"instruction {row[0]} was executed by {row[1]} warps"
    return None


def check(warplens, program, kind, options):
    expected, graphs, beside = KINDS[kind]
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        command = [warplens, "record", "--launches", "200", *options, "-o", file.name, program, kind]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            return f"exit code {run.returncode}: {run.stdout}{run.stderr}"
        lines = [json.loads(line) for line in open(file.name, encoding="utf-8")]
    for launch in lines:
        if "launch" in launch and (found := wrong(launch, launch["grid"][0])):
            return f"launch {launch['launch']} of {launch['grid'][0]} blocks: {found}"
    notes = [line["note"] for line in lines if "note" in line]
    noted = [sum(int(n) for note in notes for n in re.findall(rf"not recorded: (\d+) launch(?:es)? {what}", note))
             for what in ("of CUDA graphs", "while a stream was captured")]
    if noted[0] != graphs or (beside is not None and noted[1] != beside):
        return f"notes of {noted} launches: {notes}"
    if "" in options and "threads" in kind: # they come in another order in each run
        return None
    for what in ["functions"] if "--no-counters" in options else ["counters", "functions"]:
        if what == "functions" and "threads" in kind and "--no-counters" not in options:
            continue # of another run than the counters
        blocks = [line["grid"][0] for line in lines if line.get(what)]
        if expected is not None and sorted(blocks) != sorted(expected):
            return f"{what} of launches of {blocks} blocks, not of {expected}"
        if expected is None and len(blocks) + noted[1] != capturing:
            return f"{what} of {len(blocks)} launches, {noted[1]} noted, of {capturing}"
    return None


def main(warplens, program, *options):
    failed = 0
    for counters in ([], ["--no-counters"]):
        for kind in KINDS:
            if "" in options and kind == "sessions":
                continue # 140 runs
            found = check(warplens, program, kind, [*counters, *options])
            print(f"{' '.join([kind, *counters])}: {found or 'as it should be'}")
            failed += found is not None
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
