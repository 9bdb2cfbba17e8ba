#!/usr/bin/env python3
"""Per-line figures from Nsight Compute reports, as JSON on standard output.

usage: figures.py FOLDER FILE.cu…     FOLDER holds NAME.ncu-rep, NAME.sass (nvdisasm -c -gi) and machine.txt

The profiler counts per machine instruction. The listing says from which source lines an instruction comes, inlined
calls included; it is put to the account of the outermost line, the one in the user's kernel. A line is identified by
its text, so that figures stay valid when other lines are added. Sums are kept per line, memory space and kind of
operation, with the machine instructions that they come from. Constant memory has no per-instruction counter.
"""
import json
import pathlib
import re
import sys

import ncu_report

COUNTERS = {
    "instructions": "inst_executed",
    "threads": "thread_inst_executed_true",
    "tags": "memory_l1_tag_requests_global",
    "sectors": "memory_l2_theoretical_sectors_global",
    "ideal_sectors": "memory_l2_theoretical_sectors_global_ideal",
    "local_sectors": "memory_l2_theoretical_sectors_local",
    "wavefronts": "memory_l1_wavefronts_shared",
    "ideal_wavefronts": "memory_l1_wavefronts_shared_ideal",
}
OF_SPACE = {
    "global": ["instructions", "threads", "tags", "sectors", "ideal_sectors"],
    "local": ["instructions", "threads", "sectors"],
    "shared": ["instructions", "threads", "wavefronts", "ideal_wavefronts"],
    "copy": ["instructions", "threads", "tags", "sectors", "ideal_sectors", "wavefronts", "ideal_wavefronts"],
}
OPCODES = {
    "LDG": ("global", "load"), "STG": ("global", "store"), "ATOMG": ("global", "atomic"),
    "RED": ("global", "atomic"), "REDG": ("global", "atomic"), "LDS": ("shared", "load"),
    "STS": ("shared", "store"), "ATOMS": ("shared", "atomic"), "LDL": ("local", "load"), "STL": ("local", "store"),
    "LDGSTS": ("copy", "copy"),  # from global to shared memory: counted in both
    "LD": ("generic", "load"), "ST": ("generic", "store"), "ATOM": ("generic", "atomic"),
}
INSTRUCTION = re.compile(r"\s*/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;")
PLACE = re.compile(r'"([^"]+)", line (\d+)')


def outermost_lines(listing):
    """(function, offset) → (file, line) of the user's statement."""
    lines, function, place, in_group = {}, None, None, False
    for text in listing.splitlines():
        if text.startswith(".text."):
            function, place = text[len(".text.") :].rstrip(":"), None
        elif "//## File" in text:
            place, in_group = PLACE.findall(text)[-1], True  # a group of comments runs from the inside out
        elif match := INSTRUCTION.match(text):
            lines[function, int(match[1], 16)] = place
    return lines


def statement(sources, place):
    """The text of a source line without its comment and with single spaces."""
    name = pathlib.Path(place[0]).name
    if name not in sources:
        return f"{name}:{place[1]}"
    return " ".join(sources[name][int(place[1]) - 1].split("//")[0].split())


def by_address(action):
    found = {}
    for name, counter in COUNTERS.items():
        metric = action.metric_by_name(counter)
        if metric is None or not metric.num_instances() or not metric.has_correlation_ids():
            continue
        addresses = metric.correlation_ids()
        for i in range(metric.num_instances()):
            found.setdefault(addresses.as_uint64(i), {})[name] = metric.as_uint64(i)
    return found


def space_and_kind(sass, counts):
    words = sass.split()
    opcode = words[1] if words[0].startswith("@") else words[0]
    space, kind = OPCODES.get(opcode.split(".")[0], (None, None))
    if space == "generic":
        space = "shared" if counts.get("wavefronts") else "global"
    return space, kind, opcode


def launch(action, places, sources):
    kernel = action.name(action.NameBase_MANGLED)
    counted = by_address(action)
    base, lines = min(counted), {}
    for address in sorted(counted):
        counts = counted[address]
        space, kind, opcode = space_and_kind(action.sass_by_pc(address), counts)
        if space is None:
            continue
        if space == "local":
            counts["sectors"] = counts.get("local_sectors", 0)
        place = places.get((kernel, address - base))
        text = statement(sources, place) if place else "?"
        row = lines.setdefault((text, space, kind), {"source": text, "space": space, "op": kind, "sass": {}})
        for name in OF_SPACE[space]:
            row[name] = row.get(name, 0) + counts.get(name, 0)
        row["sass"][opcode] = row["sass"].get(opcode, 0) + 1
    whole = {}
    for name in action.metric_names():
        if name.endswith(".sum") and re.match(r"(smsp__sass_)?l1tex_*(t_|data_|tags_)|idc__", name):
            whole[name.removesuffix(".sum")] = int(action.metric_by_name(name).as_double())
    size = lambda what: [int(action.metric_by_name(f"launch__{what}_dim_{axis}").as_uint64()) for axis in "xyz"]
    return {"kernel": kernel, "grid": size("grid"), "block": size("block"), "counters": whole,
            "lines": list(lines.values())}


def main():
    folder, files = pathlib.Path(sys.argv[1]), [pathlib.Path(name) for name in sys.argv[2:]]
    gpu, driver, cuda, profiler, date = (folder / "machine.txt").read_text().splitlines()
    programs = {}
    for file in files:
        sources = {file.name: file.read_text().splitlines()}
        places = outermost_lines((folder / f"{file.stem}.sass").read_text())
        report = ncu_report.load_report(str(folder / f"{file.stem}.ncu-rep"))
        ranges = [report.range_by_idx(i) for i in range(report.num_ranges())]
        actions = [part.action_by_idx(i) for part in ranges for i in range(part.num_actions())]
        programs[file.stem] = [launch(action, places, sources) for action in actions]
    machine = {"gpu": gpu, "driver": driver, "cuda": cuda, "nsight_compute": profiler, "date": date}
    print(json.dumps({"machine": machine, "programs": programs}, indent=1))


main()
