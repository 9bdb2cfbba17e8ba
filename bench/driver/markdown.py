#!/usr/bin/env python3
"""Prints a result of bench/run as the tables of bench/PERFORMANCE.md: markdown.py result.json"""
import json
import pathlib
import sys

columns = ("one_core", "all_cores")


def spread(part: dict | None) -> str:
    return f"{part['median']:.2f} ({part['min']:.2f}–{part['max']:.2f})" if part else "–"


def pair(row: dict, show) -> str:
    return " / ".join(show(row[cores]) if cores in row else "–" for cores in columns)


def tables(result: dict) -> str:
    machine = result["machine"]
    lines = [f"{machine['cpu']}, {machine['cores']} cores, {machine['date']}, commit {machine['commit']}; "
             + "; ".join(result["systems"].values()) + ".", "",
             "Times in ms, counting on; one core / all cores. *Others*: cores that other processes used meanwhile.", "",
             "| workload | WarpLens | PoCL | PoCL / WarpLens | counting on / off | scaling | Oclgrind / WarpLens | others |",
             "|---|---|---|---|---|---|---|---|"]
    for row in result["workloads"]:
        lines.append("| " + " | ".join((
            row["name"],
            pair(row, lambda part: f"{part['counting_ms']['median']:.2f}"),
            pair(row, lambda part: f"{part['pocl_ms']['median']:.2f}" if "pocl_ms" in part else "–"),
            pair(row, lambda part: spread(part.get("pocl"))),
            pair(row, lambda part: f"{part['counting_overhead']['median']:.2f}"),
            f"{row['scaling']['median']:.2f}",
            pair(row.get("oclgrind", {}), lambda part: f"{part['ratio']['median']:.0f}"),
            pair(row, lambda part: f"{part['disturbance_cores']['median']:.1f}"))) + " |")
    lines += ["", "| ratio | geometric mean | worst | one core | all cores |", "|---|---|---|---|---|"]
    for name, part in result["ratios"].items():
        if part:
            by_cores = [f"{part[cores]['geomean']:.2f}, worst {part[cores]['worst']:.2f}" if cores in part else "–" for cores in columns]
            lines.append(f"| {name} | {part['geomean']:.2f} | {part['worst']:.2f} | {by_cores[0]} | {by_cores[1]} |")
    lines += ["", "| figure | goal | measured |", "|---|---|---|"]
    lines += [f"| {figure['name']} | {figure['goal']} | {figure['shown']} |" for figure in result.get("figures", [])]
    return "\n".join(lines)


if __name__ == "__main__":
    print(tables(json.loads(pathlib.Path(sys.argv[1]).read_text())))
