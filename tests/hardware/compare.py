#!/usr/bin/env python3
"""Compares WarpLens's counts of a program with figures measured on a GPU, line by line.

usage: compare.py FIGURES.json DIFFERENCES.json PROGRAM RUN.json [--table]

Launches are compared in order; within a launch, each source line by memory space and kind of operation, every count
that the profiler has. DIFFERENCES.json lists the counts that are known to differ, with the reason: one that is not
listed is an error, and so is one that is listed and has gone. --table prints what was compared, in Markdown.
Exit code 0 when all agree, 1 when not.
"""
import json
import pathlib
import sys

KIND = {"reduction": "atomic"}  # machine code decides which of the two an atomic without a used result becomes


def statement(site):
    """The user's statement: the outermost place, as figures.py writes it."""
    place = site["inlined_at"][-1] if site["inlined_at"] else site
    lines = pathlib.Path(place["file"]).read_text().splitlines()
    return " ".join(lines[place["line"] - 1].split("//")[0].split())


def counted_lines(launch):
    lines = {}
    for site in launch["sites"]:
        if site["op"] == "async_copy" and site["space"] == "shared":
            continue  # the passes of the record of global memory again
        row = lines.setdefault((statement(site), site["space"], KIND.get(site["op"], site["op"])), {})
        for name in ("instructions", "threads", "tags", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"):
            row[name] = row.get(name, 0) + (site[name] or 0)
    return lines


def differences(measured, counted):
    """(source, space, op, count, measured value, counted value), and how many counts were equal."""
    found, equal = [], 0
    lines = counted_lines(counted)
    for row in measured["lines"]:
        key = (row["source"], row["space"], row["op"])
        ours = lines.pop(key, {})
        for name, value in row.items():
            if name in ("source", "space", "op", "sass"):
                continue
            if ours.get(name, 0) == value:
                equal += 1
            else:
                found.append((*key, name, value, ours.get(name, 0)))
    for key, row in lines.items():
        if key[1] in ("global", "shared", "local") and row["instructions"]:
            found.append((*key, "instructions", 0, row["instructions"]))
    return found, equal


def one_by_one(launches: list) -> list:
    """A report has launches that are alike once; here each in its place. Of a program with one process."""
    places = {}
    for launch in launches:
        alone = [{"first": launch["index"], "count": 1, "step": 1}]
        for some in launch.get("occurrences", alone):
            for i in range(some["count"]):
                places[some["first"] + some["step"] * i] = launch
    return [places[index] for index in sorted(places)]


def main():
    figures, known, program, run = sys.argv[1:5]
    measured = json.loads(pathlib.Path(figures).read_text())["programs"][program]
    listed = {
        (entry["kernel"], entry["source"], entry["space"], entry["op"], count): entry
        for entry in json.loads(pathlib.Path(known).read_text())
        if entry["program"] == program
        for count in entry["counts"]
    }
    counted = one_by_one(json.loads(pathlib.Path(run).read_text())["launches"])
    bad, total, seen = 0, 0, set()
    if [(m["kernel"], m["grid"], m["block"]) for m in measured] != [(c["kernel"], c["grid"], c["block"]) for c in counted]:
        sys.exit(f"{program}: the launches are not those that were measured; measure the program again (measure.sh)")
    for index, (hardware, ours) in enumerate(zip(measured, counted)):
        if ours["status"] != "exact":
            sys.exit(f"{program}: launch {index} is {ours['status']}: {ours['reason']}")
        found, equal = differences(hardware, ours)
        total += equal
        for source, space, op, count, gpu, here in found:
            key = (hardware["kernel"], source, space, op, count)
            if key in listed:
                seen.add(key)
                continue
            bad += 1
            print(f"{program}, launch {index}, {hardware['kernel']}\n  {source}\n  {space} {op}, {count}: GPU {gpu}, WarpLens {here}")
        if "--table" in sys.argv:
            print(f"| {program} | `{ours['name'].split('(')[0]}` | {len(hardware['lines'])} | {equal} | {len(found)} |")
    for key in sorted(set(listed) - seen):
        bad += 1
        print(f"{program}: {known} lists a difference that is gone: {key}")
    if "--table" not in sys.argv:
        print(f"{program}: {total} counts equal, {len(seen)} differ for a known reason, {bad} unexpected")
    sys.exit(1 if bad else 0)


main()
