#!/usr/bin/env python3
"""The table of tests/hardware/ADVICE.md: for every rule of advice the kernels in which its change was made by hand, what was predicted, what
WarpLens counts after the change, and what a GPU took before and after.

usage: advice_table.py DIRECTORY FIGURES.json…

DIRECTORY has the report STEM.json of each tests/scripts/programs/advice*.cu (tests/scripts/advice.py); FIGURES are those of
variants_public.cu and variants_more.cu, which launch the same kernels, most with more blocks.
"""
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE.parent / "scripts" / "programs"
sys.path.insert(0, str(HERE.parent / "scripts"))
import advice  # noqa: E402

# What variants_public.cu calls a pair, where it is not the mark's name with blanks.
TIMED_AS = {
    "kmeans_rows": "kmeans tile", "is": "keys", "steps": "constant steps", "thirds": "constant thirds", "own": "local index",
    "keep": "local row", "fourth": "each fourth", "right": "left",
}  # fmt: skip
PUBLIC = ("advice_public.cu", "advice_public_units.cu")


def times_of(paths):
    times = {}
    for path in paths:
        for launch in json.load(open(path))["launches"]:
            times.setdefault(launch["pair"], {})[launch["variant"]] = launch["nanoseconds"] / 1000
    return times


def main(directory, figures):
    times, rules = times_of(figures), {}
    for source in sorted(PROGRAMS.glob("advice*.cu")):
        report = json.load(open(pathlib.Path(directory) / f"{source.stem}.json"))
        for name, pair in advice.pairs_of(report, source).items():
            rule, metric, before, predicted, counted = advice.outcome(pair)
            names = TIMED_AS.get(name), name, name.replace("_", " ")
            time = next((times[n] for n in names if n in times), None)
            rules.setdefault(rule, []).append((name, source.name in PUBLIC, metric, before, predicted, counted, time))
    good = True
    print("| rule | pair | what | before | predicted | counted | µs before | µs after |\n|---|---|---|---|---|---|---|---|")
    for rule in sorted(rules):
        for n, (name, public, metric, before, predicted, counted, time) in enumerate(rules[rule]):
            good &= predicted == counted
            took = f"{time['before']:.1f} | {time['after']:.1f}" if time else "– | –"
            place = f"`{rule}`" if n == 0 else ""
            print(f"| {place} | {name}{' (public)' if public else ''} | {metric} | {before} | {predicted} | {counted} | {took} |")
    return good


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(0 if main(sys.argv[1], sys.argv[2:]) else 1)
