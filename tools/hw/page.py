#!/usr/bin/env python3
"""tests/hardware/HARDWARE.md and tests/hardware/HARDWARE_LAUNCHES.md: templates beside this script, filled from tests/hardware/data/h200_launches.json and,
for programs that were measured when every rule had been made, h200_launches_unseen.json.

usage: page.py             writes the pages
       page.py --check     exit code 1 where a page is not what the data says
       page.py --data FILE > PAGE.md      the tables of another measurement (measure.sh)

Sums are those of whole launches. A sum agrees that is equal or within 0.1 %, a launch whose passes of the tag stage and of shared memory do.
Where a report has passes of shared memory by instruction, those the hardware counted decide nothing: they include passes that were made
again, since another warp's were in the way. A bound is the least time that WarpLens predicts; its share is of the measured time.
"""
import collections
import json
import pathlib
import sys

CLOSE = 0.001
MACHINE, PTX, MEASURED = range(3)
BY_INSTRUCTION, OF_THE_HARDWARE = "shared passes", "shared passes, repeated ones too"
GROUPS = {  # column: what the names of its sums contain
    "requests, sectors": ("t_requests", "t_sectors"),
    "tag passes": ("t_output_wavefronts",),
    BY_INSTRUCTION: ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared",),
    OF_THE_HARDWARE: ("l1tex__data_pipe_lsu_wavefronts_mem_shared",),
}
COPIES = "mem_shared_op_ldgsts"
CAUSES = {  # in this order, by the sums that differ as machine code
    "another launch": "its grid or block is another: what the program launches follows from results that depend on timing",
    "the hardware does not repeat it": "one of the sums that differ varies by more than 0.1 % between two measurements of the same launch",
    "copies past the L1 under a predicate": "of passes of shared memory those of asynchronous copies alone differ",
    "other requests": "requests or sectors differ, too: another number of instructions, or of lanes in them",
    "tag passes alone": "requests and sectors agree",
    "shared passes alone": "requests, sectors and tag passes agree",
}

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
data = root / "tests/hardware/data/h200_launches.json"
unseen = data.with_name("h200_launches_unseen.json")  # of unseen.txt


def column_of(counter):
    return next((name for name, words in GROUPS.items() if any(word in counter for word in words)), None)


def close(a, b):
    return abs(a - b) <= CLOSE * max(abs(a), abs(b))


def differing(launch, side):
    """The sums that do not agree, by column; without those that decide nothing."""
    columns = {column_of(name) for name in launch["sums"]}
    out = collections.defaultdict(list)
    for name, values in launch["sums"].items():
        column = column_of(name)
        decides = column is not None and not (column == OF_THE_HARDWARE and BY_INSTRUCTION in columns)
        if decides and not close(values[side], values[MEASURED]):
            out[column].append(name)
    return out


def passes_agree(launch, side):
    return not set(differing(launch, side)) - {"requests, sectors"}


def cause_of(launch):
    out = differing(launch, MACHINE)
    names = [name for column in out.values() for name in column]
    passes = [name for column, some in out.items() if column != "requests, sectors" for name in some]
    if launch.get("other_shape"):
        return "another launch"
    if set(names) & set(launch.get("varies", ())):
        return "the hardware does not repeat it"
    if all(COPIES in name for name in passes):
        return "copies past the L1 under a predicate"
    if "requests, sectors" in out:
        return "other requests"
    return "tag passes alone" if "tag passes" in out else "shared passes alone"


def repeats(launch):
    decisive = {name for name in launch["sums"] if column_of(name) in ("tag passes", BY_INSTRUCTION)}
    return not decisive & set(launch.get("varies", ()))


class Tally:
    def __init__(self):
        self.launches = self.share = self.above = 0
        self.passes, self.whole = [0, 0], [0, 0]
        self.agree, self.all = collections.Counter(), collections.Counter()

    def add(self, launch):
        times = launch["count"]
        self.launches += times
        for side in (PTX, MACHINE):
            self.passes[side] += times * passes_agree(launch, side)
            self.whole[side] += times * (not differing(launch, side))
        for name, values in launch["sums"].items():
            if column := column_of(name):
                self.all[column] += times
                self.agree[column] += times * close(values[MACHINE], values[MEASURED])
        if launch["bound"] and launch["seconds"]:
            share = launch["bound"] / launch["seconds"]
            self.share = max(self.share, share)
            self.above += times * (share > 1)

    def row(self, name):
        cells = [name, self.launches, self.passes[PTX], self.passes[MACHINE], self.whole[MACHINE]]
        cells += [f"{self.agree[c]} of {self.all[c]}" if self.all[c] else "–" for c in GROUPS]
        cells.append(f"{100 * self.share:.1f} %" if self.share else "–")
        return "| " + " | ".join(map(str, cells)) + " |"


def percent(part, whole):
    return f"{part} ({100 * part / whole:.1f} %)" if whole else "0"


def fields(document):
    """What templates name in braces."""
    programs, total, rows = document["programs"], Tally(), []
    causes, of_cause = collections.Counter(), collections.defaultdict(collections.Counter)
    steady = steady_agree = twice = 0
    suites = collections.defaultdict(lambda: [0, Tally()])
    for program in programs:
        tally = Tally()
        suite = suites[program["name"].split(".")[0]]
        suite[0] += 1
        for launch in program["launches"]:
            for one in (tally, total, suite[1]):
                one.add(launch)
            twice += launch["count"] * ("varies" in launch)
            if repeats(launch):
                steady += launch["count"]
                steady_agree += launch["count"] * passes_agree(launch, MACHINE)
            if not passes_agree(launch, MACHINE):
                causes[cause_of(launch)] += launch["count"]
                of_cause[cause_of(launch)][program["name"]] += launch["count"]
        rows.append(tally.row(program["name"]))
    head = "| program | launches | passes agree as PTX | as machine code | all sums agree | " + " | ".join(GROUPS) + " | largest bound |\n"
    head += "|---" * (6 + len(GROUPS)) + "|\n"
    cause_rows = []
    for name, what in CAUSES.items():
        if causes[name]:
            some = ", ".join(f"{p} {n}" for p, n in sorted(of_cause[name].items(), key=lambda x: (-x[1], x[0])))
            cause_rows.append(f"| {name} | {what} | {causes[name]} | {some} |")
    names = {"hec": "HeCBench", "samples": "cuda-samples", "polybench": "PolyBench-GPU", "rodinia": "Rodinia", "pro": "professional-cuda-c",
             "book": "cuda-by-example", "posts": "code-samples", "llm": "llm.c", "course": "cuda-course", "altis": "Altis", "shoc": "SHOC",
             "leet": "LeetCUDA", "pmpp": "Programming Massively Parallel Processors, exercises"}
    suite_rows = [
        f"| {names.get(key, key)} | {count} | {t.launches} | {percent(t.passes[PTX], t.launches)} | {percent(t.passes[MACHINE], t.launches)} |"
        for key, (count, t) in sorted(suites.items(), key=lambda x: -x[1][0])
    ]
    machine = document["machine"]
    return {
        "machine": f"{machine.get('gpu')}, driver {machine.get('driver')}, {machine.get('tool')}, {machine.get('date')}",
        "programs": str(len(programs)),
        "launches": str(total.launches),
        "passes_ptx": percent(total.passes[PTX], total.launches),
        "passes_machine": percent(total.passes[MACHINE], total.launches),
        "whole_ptx": percent(total.whole[PTX], total.launches),
        "whole_machine": percent(total.whole[MACHINE], total.launches),
        "differ": str(total.launches - total.passes[MACHINE]),
        "twice": str(twice),
        "steady": str(steady),
        "steady_agree": percent(steady_agree, steady),
        "largest_bound": f"{100 * total.share:.1f} %",
        "above": str(total.above),
        "table_suites": "| suite | programs | launches | agree as PTX | as machine code |\n|---|---|---|---|---|\n" + "\n".join(suite_rows),
        "table_causes": "| cause | told by | launches | programs, launches |\n|---|---|---|---|\n" + "\n".join(cause_rows),
        "table_programs": head + "\n".join(rows) + "\n" + total.row(f"**{len(programs)} programs**"),
    }


def fill(template, values):
    for name, text in values.items():
        template = template.replace("{{" + name + "}}", text)
    assert "{{" not in template, template[template.index("{{") :][:40]
    return template


def main(arguments):
    if arguments[:1] == ["--data"]:
        values = fields(json.loads(pathlib.Path(arguments[1]).read_text()))
        print(fill("{{machine}}: passes of the tag stage and of shared memory agree in {{passes_ptx}} of {{launches}} launches of {{programs}} programs as "
                   "PTX, in {{passes_machine}} as machine code.\n\n{{table_suites}}\n\n{{table_causes}}\n\n{{table_programs}}", values))
        return 0
    values, stale = fields(json.loads(data.read_text())), []
    values |= {f"unseen_{name}": text for name, text in fields(json.loads(unseen.read_text())).items()}
    for name in ("HARDWARE.md", "HARDWARE_LAUNCHES.md"):
        text, page = fill((here / f"{name}.in").read_text(), values), root / "tests/hardware" / name
        if page.read_text() != text:
            stale.append(str(page.relative_to(root)))
            if arguments != ["--check"]:
                page.write_text(text)
    if stale and arguments == ["--check"]:
        sys.exit(f"{', '.join(stale)}: not what tools/hw/page.py makes of the data beside {data.relative_to(root)}; run it")


if __name__ == "__main__":
    main(sys.argv[1:])
