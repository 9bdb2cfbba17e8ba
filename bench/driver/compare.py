#!/usr/bin/env python3
"""Compares WarpLens with PoCL and Oclgrind on the same kernels in one run; prints ratios, writes JSON and a plot.

Each system is a process of its own, pinned to one core or to all. For a workload every system first has its result
checked against the host's (which also compiles the kernel), then the systems take turns for some rounds. A ratio is taken
within a round, so that what disturbs the machine for longer than a round disturbs both sides; the median over the rounds
is reported, with the least and the greatest. bench/PERFORMANCE.md has the method in full.

Exit codes: 0; 1 a result is wrong; 2 the comparison could not be made; 77 with --skip-missing, when a system is missing.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True  # a source folder stays one

import figures
import plot
import ratios
import systems
from systems import Patience, SetupError, System, WrongResult


@dataclasses.dataclass
class Workload:
    name: str
    goal: bool  # one of the seven that count for the goal against PoCL
    program: bool  # the kernels of a whole program
    sizes: dict[str, int]


@dataclasses.dataclass
class Lineup:
    """The processes, by the cores they may use: "one_core", "all_cores". A system that does not take part is not there."""
    ours: dict[str, System] = dataclasses.field(default_factory=dict)
    pocl: dict[str, System] = dataclasses.field(default_factory=dict)
    oclgrind: dict[str, System] = dataclasses.field(default_factory=dict)

    def fast(self) -> list[System]:
        return [*self.ours.values(), *self.pocl.values()]

    def everyone(self) -> list[System]:
        return [*self.fast(), *self.oclgrind.values()]


@dataclasses.dataclass
class Effort:
    size: str  # which of a workload's sizes
    rounds: int
    seconds: float  # of launches per system and round
    slow_rounds: int  # with Oclgrind, at the reduced size
    slow_cores: tuple[str, ...] = ("one_core", "all_cores")


efforts = {"full": Effort("full", 7, 0.2, 3), "quick": Effort("quick", 3, 0.04, 1, ("all_cores",))}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="bench/run", description="WarpLens against PoCL and Oclgrind, and its goals.",
                                     epilog="Exit codes: 0; 1 a result is wrong; 2 the comparison could not be made.")
    add = parser.add_argument
    add("--json", type=pathlib.Path, metavar="FILE", help="write the result there; FILE with .svg is the plot")
    add("--quick", action="store_const", dest="effort", const="quick", default="full",
        help="smaller sizes, fewer rounds: a minute, rough")
    add("--tiny", action="store_const", dest="effort", const="tiny",
        help="check the results of every system at tiny sizes, time nothing")
    add("--compiler", choices=["auto", "nvcc", "clang"], default="auto", help="who makes the PTX (auto: nvcc where there is one)")
    add("--only", metavar="NAME,…", help="these workloads alone")
    add("--systems", metavar="NAME,…", default="pocl,oclgrind", help="what to compare with: pocl, oclgrind, or none")
    add("--patience", type=float, default=0, metavar="S",
        help="wait before rounds, S seconds in all, for other processes to leave the machine idle")
    add("--no-figures", action="store_true", help="no start-up, memory, front-end and folding figures")
    add("--skip-missing", action="store_true", help="a missing system is skipped, in the end the exit code is 77")
    add("--build", type=pathlib.Path, default=pathlib.Path("build/release"), help=argparse.SUPPRESS)
    return parser.parse_args()


def workloads(build: pathlib.Path, only: str | None) -> list[Workload]:
    program = build / "compare_warplens"
    if not program.exists():
        raise SetupError(f"{program} is not built; bench/run builds it")
    found = []
    for line in subprocess.run([program, "--workloads"], capture_output=True, text=True, check=True).stdout.splitlines():
        name, goal, whole, *sizes = line.split()
        found.append(Workload(name, goal == "1", whole == "1", dict(zip(("full", "quick", "reduced", "tiny"), map(int, sizes)))))
    wanted = only.split(",") if only else [workload.name for workload in found]
    if unknown := set(wanted) - {workload.name for workload in found}:
        raise SetupError(f"no such workload: {', '.join(sorted(unknown))}")
    return [workload for workload in found if workload.name in wanted]


def load(workload: Workload, size: int, group: list[System]) -> None:
    """Loads everywhere and checks every result; sectors do not depend on the number of cores."""
    for system in group:
        system.send(f"load {workload.name} {size}")
    for system in group:
        system.answer_to(f"load {workload.name} {size}")
    sectors = set()
    for system in group:
        for mode in ("plain", "counting") if system.name == "WarpLens" else ("plain",):
            try:
                system.ask(f"check {mode}")
            except WrongResult as wrong:
                raise WrongResult(f"{workload.name}: {wrong}") from wrong
        if system.name == "WarpLens":
            sectors.add(system.time("counting", 0)[2])
    if len(sectors) > 1:
        raise WrongResult(f"{workload.name}: WarpLens counts {sorted(sectors)} sectors, which depend on the number of cores")


def take_turns(ours: System, theirs: System | None, rounds: int, seconds: float, everyone: list[System],
               patience: Patience) -> list[dict]:
    """Per round: seconds of a launch of each system, and what others did to the machine meanwhile. Oclgrind launches once."""
    out = []
    for _ in range(rounds):
        patience.wait(everyone)
        watch = systems.Disturbance(everyone)
        row = {}
        row["counting"], row["instructions"], row["sectors"] = ours.time("counting", seconds)
        if theirs:
            row["theirs"] = theirs.time("plain", 0 if theirs.name == "Oclgrind" else seconds)[0]
        row["plain"] = ours.time("plain", seconds)[0]
        row["disturbance"] = watch.cores()
        out.append(row)
    return out


def compare(workload: Workload, effort: Effort, lineup: Lineup, patience: Patience) -> dict:
    """One row of the result: everything measured of a workload."""
    size, slow_size = workload.sizes[effort.size], workload.sizes["reduced"]
    load(workload, size, lineup.fast())
    measured = {cores: take_turns(ours, lineup.pocl.get(cores), effort.rounds, effort.seconds, lineup.everyone(), patience)
                for cores, ours in lineup.ours.items()}
    row = {"name": workload.name, "goal": workload.goal, "program": workload.program, "size": size, **ratios.row(measured)}
    if lineup.oclgrind:
        load(workload, slow_size, [*lineup.ours.values(), *lineup.oclgrind.values()])
        slow = {cores: take_turns(lineup.ours[cores], theirs, effort.slow_rounds, 0.05, lineup.everyone(), patience)
                for cores, theirs in lineup.oclgrind.items()}
        row["oclgrind"] = {"size": slow_size, **ratios.slow_row(slow, measured)}
    row["checks"] = {system.name: "ok" for system in lineup.everyone()}  # else load() had not returned
    return row


def start(options: argparse.Namespace, wanted: list[str], slow_cores: tuple[str, ...]) -> Lineup:
    every, lineup = systems.all_cores(), Lineup()
    for cores, chosen in (("one_core", every[:1]), ("all_cores", every)):
        lineup.ours[cores] = systems.start_warplens(options.build, options.compiler, chosen)
        if "pocl" in wanted:
            lineup.pocl[cores] = systems.start_opencl("pocl", options.build, chosen)
        if "oclgrind" in wanted and cores in slow_cores:
            lineup.oclgrind[cores] = systems.start_opencl("oclgrind", options.build, chosen)
    return lineup


def check_everything(chosen: list[Workload], lineup: Lineup) -> None:
    names = ", ".join(sorted({system.name for system in lineup.everyone()}))
    for workload in chosen:
        load(workload, workload.sizes["tiny"], lineup.everyone())
        print(f"{workload.name}: results are right on {names}", flush=True)


def main() -> int:
    options = arguments()
    wanted = [name for name in options.systems.split(",") if name != "none"]
    if unknown := set(wanted) - {"pocl", "oclgrind"}:
        raise SetupError(f"no such system: {', '.join(sorted(unknown))}")
    skipped = {name: why for name in wanted if (why := systems.missing(name, options.build))}
    for name, why in skipped.items():
        print(f"skipped: {name}: {why}")
    if skipped and not options.skip_missing:
        raise SetupError("a system to compare with is missing; bench/run installs them, --skip-missing does without")
    wanted = [name for name in wanted if name not in skipped]
    chosen = workloads(options.build, options.only)
    if options.json:
        check_writable(options.json)
    effort = efforts.get(options.effort, efforts["quick"])
    lineup = start(options, wanted, effort.slow_cores)
    if options.effort == "tiny":
        check_everything(chosen, lineup)
    else:
        write(options, measure(options, effort, chosen, lineup, skipped))
    return 77 if skipped else 0


def check_writable(path: pathlib.Path) -> None:
    """Before the minutes of measuring, not after them."""
    if not path.parent.is_dir() or path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise SetupError(f"{path} cannot be written")


def measure(options, effort: Effort, chosen: list[Workload], lineup: Lineup, skipped: dict) -> dict:
    result = {"ratios": {}, "workloads": [], "machine": figures.machine(), "effort": dataclasses.asdict(effort),
              "systems": {system.name: system.description for system in lineup.everyone()}, "skipped": skipped}
    ratios.print_header(result)
    patience = Patience(options.patience)
    for workload in chosen:
        row = compare(workload, effort, lineup, patience)
        row["checks"] |= {name: f"skipped: {why}" for name, why in skipped.items()}
        ratios.print_row(row)
        result["workloads"].append(row)
    result["ratios"] = ratios.summary(result["workloads"])
    if not options.no_figures:
        result["figures"] = figures.measure(options.build, options.compiler, options.effort == "quick")
    result["machine"]["load_after"] = os.getloadavg()
    ratios.print_summary(result)
    return result


def write(options, result: dict) -> None:
    path = options.json or options.build / "bench.json"
    try:
        path.write_text(json.dumps(result, indent=1) + "\n")
        path.with_suffix(".svg").write_text(plot.draw(result))
    except OSError as error:
        raise SetupError(f"the result cannot be written: {error}") from error
    print(f"\nwritten: {path} and {path.with_suffix('.svg')}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except WrongResult as error:
        print(f"error: wrong result: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
