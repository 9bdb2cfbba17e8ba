#!/usr/bin/env python3
"""Holds what `warplens check` says of programs to what `warplens run` counts, warp by warp, and adds up how much it decides.

    scripts/soundness.py [--build build/release] [--rows FILE] PROGRAM [ARGUMENT...]    a .cu file or an executable
    scripts/soundness.py --report RUN.json PROGRAM                      of a run that was saved with --json
    scripts/soundness.py --sum FILE...                                  adds up what --rows wrote, over programs

The comparison is made by tests/check/against_run.cpp, which says what is compared. The exit code is 1 where something that
was said to be proved does not hold.

How an access is decided, given the shape of the block:
  exact       what a warp pays is one number; fewer lanes, where they may be fewer, pay no more
  condition   it is under one printed condition
  conditions  under several
  stride      it follows from one number that is not known, by a printed table
  choice, bounds   between a least and a most
  data        it depends on what was loaded
  undecided
"""
import argparse
import collections
import os
import subprocess
import sys
import tempfile

DECIDED = ("exact", "condition")
ORDER = DECIDED + ("conditions", "stride", "choice", "bounds", "undecided", "not judged", "data")


def rows_of(build, report, program):
    done = subprocess.run([os.path.join(build, "against_run"), report, program], stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"soundness: {program} was not compared")
    return done.stdout.splitlines()


def run(build, program, arguments):
    with tempfile.TemporaryDirectory() as folder:
        report = os.path.join(folder, "run.json")
        command = [os.path.join(build, "warplens"), "run", "--code", "ptx", "--json", report]
        if program.endswith(".cu"):
            command += ["--compiler", "clang"]
        subprocess.run(command + [program, *arguments], stdout=subprocess.DEVNULL)
        if not os.path.exists(report):
            sys.exit(f"soundness: {program} did not run")
        return rows_of(build, report, program)


def percent(part, whole):
    return f"{100 * part / whole:5.1f} %" if whole else "    -"


def add_up(rows):
    """Prints the figures of global and shared memory; gives the number of contradictions."""
    sites, warps, reasons = collections.Counter(), collections.Counter(), collections.Counter()
    told = collections.Counter()
    for row in rows:
        told[row.split("\t", 1)[0]] += 1
        if not row.startswith("site\t"):
            continue
        _, kernel, block, place, instruction, space, how, count, said, why = row.split("\t")
        if space not in ("global", "shared"):
            continue
        sites[how] += 1
        warps[how] += int(count)
        if how in ("undecided", "bounds", "choice"):
            reasons[why.split("; ")[0] or "where a warp begins varies"] += 1
    all_sites, all_warps = sites.total(), warps.total()
    print(f"{'':12} {'sites':>9} {'':>8} {'warps':>14}")
    for how in ORDER:
        if sites[how]:
            print(f"{how:12} {sites[how]:9,} {percent(sites[how], all_sites)} {warps[how]:14,} {percent(warps[how], all_warps)}")
    good, good_warps = (sum(of[how] for how in DECIDED) for of in (sites, warps))
    print(f"decided exactly, or under one condition, of what does not depend on loaded data: "
          f"{percent(good, all_sites - sites['data']).strip()} of the sites, "
          f"{percent(good_warps, all_warps - warps['data']).strip()} of the warps")
    for reason, n in reasons.most_common(12):
        print(f"  {n:6,}  {reason}")
    print(f"contradictions: {told['wrong']}; where a printed assumption did not hold: {told['premise']}")
    return told["wrong"]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", default="build/release")
    options.add_argument("--rows", help="append what was compared to this file")
    options.add_argument("--report", help="a run's JSON; else the program is run")
    options.add_argument("--sum", action="store_true", help="the arguments are files that --rows wrote")
    options.add_argument("program")
    options.add_argument("arguments", nargs=argparse.REMAINDER)
    given = options.parse_args()
    if given.sum:
        rows = [row.rstrip("\n") for name in [given.program, *given.arguments] for row in open(name, errors="replace")]
    elif given.report:
        rows = rows_of(given.build, given.report, given.program)
    else:
        rows = run(given.build, given.program, given.arguments)
    if given.rows:
        with open(given.rows, "a") as out:
            out.writelines(row + "\n" for row in rows)
    for row in rows:
        if row.startswith(("wrong\t", "missing\t")) and not given.sum:
            print(row)
    return 1 if add_up(rows) else 0


if __name__ == "__main__":
    sys.exit(main())
