#!/usr/bin/env python3
"""tests/hardware/PROGRAMS.md from tests/hardware/data/public_programs.tsv, one line a program.

usage: programs_page.py [--check]     --check: exit code 1 where the page is not what the data says
"""
import collections
import csv
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page, data = root / "tests/hardware/PROGRAMS.md", root / "tests/hardware/data/public_programs.tsv"

INTRODUCTION = """# Public programs

Generated from `tests/hardware/data/public_programs.tsv` by `scripts/programs_page.py`. Do not edit.

{all} programs of {suites}, with small inputs,
on two shared processor cores, 22 and 23 November 2026. {ends} end
with exit code 0 ({families} of them use one of the families below), {waives} waive, as they provide for; {slow} were not
ended after 30 to 280 seconds, in which a program had a tenth of a core at times; {fails} fail. Of those that came to an end {share} % end well.

* *Ends*: "H200 machine": not within 100 seconds here, but on an idle machine ([HARDWARE.md](HARDWARE.md)).
* *Check*: what the program prints about its results; "exit code": it says so by that alone, or has no check.
* *clang*: the same program compiled by `warplens run --compiler clang`, with the CUDA toolkit hidden, for host and device: {clang} run to a
  good end. Empty: not tried.
* *Lacked*: what WarpLens did not have when these programs were collected, and has now.

| not compiled with clang because of | programs |
|---|---|
{missing}

Thrust and CUB compile with clang where Debian's `libthrust-dev` and `libcub-dev` are installed; programs that say so were compiled with them,
those above without. clang has no launches in kernels, and does not take `alignas` behind `__shared__`.

| program | suite | families | ends | check | clang | lacked |
|---|---|---|---|---|---|---|
"""


def text():
    with open(data, newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    first = collections.Counter(row["end"].split()[0].rstrip(":") for row in rows)
    ended = first["ends"] + first["waives"] + first["fails"]
    missing = collections.Counter(row["clang"] for row in rows if row["clang"].startswith(("no ", "launches")))
    *suites, last = sorted({row["suite"] for row in rows}, key=str.lower)
    head = INTRODUCTION.format(
        all=len(rows),
        suites=f"{', '.join(suites)} and {last}",
        ends=first["ends"],
        families=sum(row["end"].startswith("ends") and row["families"] != "" for row in rows),
        waives=first["waives"],
        slow=first["not"],
        fails=first["fails"],
        share=100 * (first["ends"] + first["waives"]) // ended,
        clang=sum(row["clang"].startswith("runs") for row in rows),
        missing="\n".join(f"| {why} | {count} |" for why, count in sorted(missing.items())),
    )
    columns = ("program", "suite", "families", "end", "check", "clang", "lacked")
    return head + "".join("| " + " | ".join(row[column] for column in columns) + " |\n" for row in rows)


if sys.argv[1:] == ["--check"]:
    if page.read_text() != text():
        sys.exit(f"{page} is not what {data} says: run scripts/programs_page.py")
else:
    page.write_text(text())
