#!/usr/bin/env python3
"""A page of comparisons: one row for each program, from what `warplens compare --json` wrote.

usage: page.py FOLDER > PAGE.md        FOLDER has NAME.compared.json (measure.sh)

Sums are those of whole launches. A sum agrees that is equal or within 0.1 %, a launch whose sums all do. The last column of them decides only
where a report has no other sum of shared memory: what the hardware counted there includes passes that were made again, since another
warp's were in the way, and differs between launches of one kernel. A bound is the least time that WarpLens predicts; its share is of the
measured time, the largest of the program's launches.
"""
import collections
import json
import pathlib
import sys

CLOSE = 0.001
BY_INSTRUCTION, OF_THE_HARDWARE = "shared passes", "shared passes, repeated ones too"
GROUPS = {  # column: what the names of its sums contain
    "requests, sectors": ("t_requests", "t_sectors"),
    "tag passes": ("t_output_wavefronts",),
    BY_INSTRUCTION: ("smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared",),
    OF_THE_HARDWARE: ("l1tex__data_pipe_lsu_wavefronts_mem_shared",),
}


def column_of(counter):
    return next((name for name, words in GROUPS.items() if any(word in counter for word in words)), None)


def launches_of(document):
    """(group, times) of the launches that both sides have."""
    for kernel in document["kernels"]:
        for group in kernel["groups"]:
            if all(group["grid"][side] is not None for side in document["compared"]):
                yield group, group["count"]


class Tally:
    def __init__(self):
        self.launches = self.whole = 0
        self.agree, self.all = collections.Counter(), collections.Counter()
        self.lines_equal = self.lines = 0
        self.share = None

    def add(self, document):
        self.lines_equal += document["equal"]
        self.lines += document["equal"] + sum(document["different"].values())
        for group, times in launches_of(document):
            self.launches += times
            good = True
            columns = {column_of(one["count"]) for one in group["sums"]}
            for one in group["sums"]:
                column = column_of(one["count"])
                if column is None:
                    continue
                close = abs(one["residual"]) <= CLOSE
                self.all[column] += times
                self.agree[column] += times * close
                good = good and (close or (column == OF_THE_HARDWARE and BY_INSTRUCTION in columns))
            self.whole += times * good
            if group["bound_seconds"] and group["measured_seconds"]:
                self.share = max(self.share or 0, group["bound_seconds"] / group["measured_seconds"])

    def row(self, name):
        cells = [name, str(self.launches), str(self.whole)]
        cells += [f"{self.agree[c]} of {self.all[c]}" if self.all[c] else "–" for c in GROUPS]
        cells.append("–" if self.share is None else f"{100 * self.share:.1f} %")
        return "| " + " | ".join(cells) + " |"


def main(folder):
    rows, total, machine, above = [], Tally(), None, []
    for path in sorted(pathlib.Path(folder).glob("*.compared.json")):
        document = json.loads(path.read_text())
        name = path.name.removesuffix(".compared.json")
        tally = Tally()
        tally.add(document), total.add(document)
        if not tally.launches:
            continue
        machine = machine or next((side["measured"] for side in document["sides"] if side["measured"]), None)
        if tally.share and tally.share > 1:
            above.append(name)
        rows.append(tally.row(name))
    parts = [machine[key] for key in ("gpu", "tool") if machine and machine[key]]
    print(", ".join(parts) + ".\n" if parts else "", end="")
    print("\n| program | launches | agree | " + " | ".join(GROUPS) + " | largest bound |")
    print("|---" * (4 + len(GROUPS)) + "|")
    print("\n".join(rows))
    print(total.row(f"**{len(rows)} programs**"))
    print(f"\nThe bound is above the measured time in: {', '.join(above)}." if above else "\nNo bound is above a measured time.")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
