#!/usr/bin/env python3
"""Holds what a sample of the blocks says (`run --budget`) to full counts, access by access.

    scripts/sampled.py [--build build/release] [--share 1.05] PROGRAM [ARGUMENT...]    an executable, or a .cu file

The program runs twice: counted in full, and with --budget-work, a share of the work that the first run met. Of each launch of which a
sample stands for the whole: how many accesses lie within the printed range, with their instructions, sectors and wavefronts; the median
half-width of those ranges; whether the five lines with most waste are the same set in both runs. Accesses that are not judged, because
the sample met them too seldom, are left out. The program has to do the same in every run.
"""
import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile


def counted(warplens, options, program):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        done = subprocess.run([warplens, "run", "--json", report, *options, *program], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if not report.exists():
            sys.exit(f"no report: {done.stderr[-2000:]}")
        return json.loads(report.read_text())


def by_index(report):
    """Launches of a program that is one process."""
    out = {}
    for launch in report["launches"]:
        for o in launch.get("occurrences", [{"first": launch["index"], "count": 1, "step": 1}]):
            out.update({o["first"] + i * o["step"]: launch for i in range(o["count"])})
    return out


def waste_of_lines(report):
    waste = collections.Counter()
    for launch in report["launches"]:
        for site in launch["sites"]:
            if site.get("spread", 0) < 1:
                waste[site["file"], site["line"]] += site["excess_bytes"] * launch["count"]
    return +waste


def same_lines(full, sampled):
    """Whether the five lines with most waste are the same, but for lines that waste alike, to 1 %, or less than 1 % of all."""
    full, sampled = waste_of_lines(full), waste_of_lines(sampled)
    worst = [bytes_ for _, bytes_ in full.most_common(5) if bytes_ >= 0.01 * full.total()]
    lines = [line for line, _ in sampled.most_common(len(worst))]
    return len(lines) == len(worst) and all(full[line] >= 0.99 * worst[-1] for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--share", type=float, default=1.05)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    warplens = asked.build / "warplens"
    full = counted(warplens, [], asked.program)
    work = sum(launch["warp_instructions"] * launch["count"] for launch in full["launches"])
    sampled = counted(warplens, ["--budget-work", str(int(asked.share * work))], asked.program)
    whole, widths, within, launches = by_index(full), [], 0, 0
    for index, launch in sorted(by_index(sampled).items()):
        if launch["status"] != "sampled":
            continue
        launches += 1
        truth = {site["id"]: site for site in whole[index]["sites"]}
        for site in launch["sites"]:
            spread = site.get("spread", 0)
            if site["instructions"] == 0 or spread >= 1:
                continue
            widths.append(spread)
            off = max(abs(site[k] - truth[site["id"]][k]) / max(site[k], 1)
                      for k in ("instructions", "sectors", "wavefronts") if site[k] is not None)
            if off <= spread + 1e-6:
                within += 1
            else:
                print(f"  outside: launch {index} {launch['name'][:40]} {site['file']}:{site['line']} {site['ptx']}: off by {off:.2%}, ±{spread:.2%}")
    print(f"{pathlib.Path(asked.program[0]).name}: {launches} sampled launches, {within} of {len(widths)} accesses within, median half-width "
          f"{statistics.median(widths or [0]):.2%}, {'the same' if same_lines(full, sampled) else 'OTHER'} lines with most waste")


main()
