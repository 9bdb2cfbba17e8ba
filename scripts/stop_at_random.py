#!/usr/bin/env python3
"""Stops runs of programs by SIGINT and SIGTERM at random moments, and checks that each has its answer.

    scripts/stop_at_random.py build/release/warplens [TIMES]

Ten programs, each as often (TIMES in all, 100 by default). A run is stopped at a random moment of its length, by a signal to its
process group, as a terminal sends it, or to WarpLens alone. Then the report must hold every launch that ended, and the share of
the one that ran: no launch is missing, and none is only named as one that never ended. Where a launch is partial, its blocks are
fewer than the grid's, and so are what its instructions counted. Not part of the test run: it takes minutes.
"""
import json, os, random, signal, subprocess, sys, tempfile, time

here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
programs = os.path.join(here, "tests/scripts/programs")
runs = [
    [f"{programs}/interrupted.cu", "long"],
    [f"{programs}/interrupted.cu", "one"],
    [f"{programs}/interrupted.cu", "threads"],
    [f"{programs}/interrupted.cu", "graph"],
    [f"{programs}/interrupted.cu", "processes"],
    [f"{programs}/launches.cu", "told", "3000"],
    [f"{programs}/repeats.cu"],
    [f"{programs}/textures.cu"],
    [f"{here}/bench/folding/matmul.cu", "256"],
    [f"{here}/examples/stencil2d.cu"],
]
most_seconds = 3.0  # of a run that would go on


def start(warplens, report, words):
    def alone():
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
    command = [warplens, "run", "--compiler", "clang", "--json", report, *words]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=alone)


def fault_of(report, code, number, out):
    """What is wrong with the answer, or nothing."""
    if not os.path.exists(report) or os.path.getsize(report) == 0:
        return "there is no report"
    r = json.load(open(report))
    if r["interrupted"] and not r["missing"]["processes"]:  # a signal to WarpLens alone reaches no child of the program
        return f"a launch never ended: {r['interrupted']}"
    if r["missing"]["launches"] or r["missing"]["events"]:
        return f"something is missing: {r['missing']}"
    partial = [l for l in r["launches"] if l["status"] == "partial"]
    if partial and r["complete"]:
        return "it is said to be complete"
    if any(l["status"] not in ("exact", "proved", "partial", "refused") for l in r["launches"]):
        return f"states: {[l['status'] for l in r['launches']]}"
    launches = sum(l["count"] for l in r["launches"])
    if out.count(b".") > launches and "launches.cu" in r["program"]["command"][0]:
        return f"{out.count(b'.')} launches ended, {launches} are reported"
    for l in partial:
        blocks = l["blocks"]
        if blocks["counted"] + blocks["in_part"] > blocks["grid"] or blocks["counted"] == blocks["grid"]:
            return f"blocks: {blocks}"
        for counts in l["sites"]:
            if (counts.get("sectors") or 0) < (counts.get("ideal_sectors") or 0):
                return f"counts do not agree: {counts}"
    if code not in (128 + number, 0, 3) and code != 2:
        return f"exit code {code}"
    return None


def main():
    warplens = os.path.abspath(sys.argv[1])
    times = int(sys.argv[2]) if len(sys.argv) > 2 else 100
    seed = int(os.environ.get("SEED", random.randrange(1 << 30)))
    random.seed(seed)
    print("seed", seed)
    bad, stopped, shares, slowest = 0, 0, 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "report.json")
        lengths = {}
        for i in range(-len(runs), times):  # at first each once, whole: how long it takes
            words = runs[i % len(runs)]
            if os.path.exists(report):
                os.remove(report)
            begin = time.monotonic()
            process = start(warplens, report, words)
            length = lengths.get(i % len(runs))
            number, whole = random.choice([signal.SIGINT, signal.SIGTERM]), length is None
            try:
                out, _ = process.communicate(timeout=20 if whole else random.random() * min(length, most_seconds))
                ended = True
            except subprocess.TimeoutExpired:
                ended = False
                told = time.monotonic()
                if random.random() < 0.5:
                    os.killpg(process.pid, number)
                else:
                    os.kill(process.pid, number)
                process.wait()
                answered = time.monotonic() - told
                try:
                    os.killpg(process.pid, signal.SIGKILL)  # children of the program that no signal reached
                except ProcessLookupError:
                    pass
                out, _ = process.communicate()
                slowest = max(slowest, answered)
            if whole:
                lengths[i % len(runs)] = time.monotonic() - begin
                continue
            code = process.returncode if process.returncode >= 0 else 128 - process.returncode
            before = not os.path.exists(report) or os.path.getsize(report) == 0
            if before and code == 128 + number:  # while it was compiled or not yet started
                continue
            fault = fault_of(report, code, number, out)
            stopped += not ended
            shares += '"partial"' in open(report).read() if fault is None else 0
            if fault:
                bad += 1
                print(f"{' '.join(words)}, signal {number}: {fault}")
    print(f"{times} runs, {stopped} stopped while they ran, {shares} with a partial launch, {bad} without an answer; "
          f"the slowest answer took {slowest:.1f} s")
    return 1 if bad else 0


sys.exit(main())
