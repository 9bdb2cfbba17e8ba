#!/usr/bin/env python3
"""Sets fetches of a GPU and of WarpLens against each other (textures.cu), and counters (texture_kernels.cu).

  compare_textures.py fetches GPU.txt WARPLENS.txt       per kind and filter: fetches, equal to the bit, the greatest difference
  compare_textures.py counters GPU.csv WARPLENS.json     per launch: what each counted
  compare_textures.py hold DATA.json WARPLENS.json       the same with data/h200_texture_kernels.json; exits 1 where they differ
  compare_textures.py hold_forms DATA.tsv WARPLENS.json  names the counts that are not those of data/h200_texture_forms.tsv
  compare_textures.py hold_fetches DATA.json DATA.jsonl.gz WARPLENS.txt    answers and fetches with data/h200_texture_*
"""
import collections
import csv
import gzip
import json
import struct
import sys


def lines(path):
    out, api = {}, {}
    for line in open(path):
        if line.startswith("api "):
            name, _, answer = line[4:].strip().partition(": ")
            api[name] = answer
        elif line[0].isdigit():
            words = line.split()
            out[int(words[0])] = (words[1:-4], words[-4:])
    return out, api


def as_float(word):
    return struct.unpack(">f", bytes.fromhex(word))[0]


def fetches(gpu_path, own_path):
    (gpu, gpu_api), (own, own_api) = lines(gpu_path), lines(own_path)
    assert gpu.keys() == own.keys(), "not the same fetches"
    groups = collections.defaultdict(lambda: [0, 0, 0.0, None])
    for number, (what, result) in gpu.items():
        other_what, other = own[number]
        assert what == other_what, f"fetch {number} is another one"
        kind, form, channels, read, how, at = what[:6]
        group = groups[kind, how, at, "float" if form in ("f16", "f32") or read == "normalized" else "integer"]
        group[0] += 1
        group[1] += result == other
        if result == other:
            continue
        worst = max(abs(as_float(a) - as_float(b)) for a, b in zip(result, other))
        if group[3] is None or worst > group[2]:
            group[2], group[3] = worst, (number, what, result, other)
    for key, (count, equal, worst, example) in sorted(groups.items()):
        print(*key, f"{equal}/{count}", f"worst {worst:g}" if example else "")
        if example:
            print("   ", example[0], *example[1], "GPU", *example[2], "WarpLens", *example[3])
    for name in sorted(gpu_api.keys() | own_api.keys()):
        if gpu_api.get(name) != own_api.get(name):
            print(f"api {name}: GPU {gpu_api.get(name)}, WarpLens {own_api.get(name)}")
    print(sum(g[1] for g in groups.values()), "of", len(gpu), "fetches equal to the bit")


def launches_of(report):
    """Of each launch, in order: what texture and surface accesses counted."""
    out = {}
    for launch in json.load(open(report))["launches"]:
        sites = [s for s in launch["sites"] if s["space"] in ("texture", "surface")]
        sums = [sum(s[name] or 0 for s in sites) for name in ("instructions", "requests", "sectors")]
        for one in launch.get("occurrences", [{"first": launch["index"], "count": 1, "step": 1}]):
            for i in range(one["count"]):
                out[one["first"] + one["step"] * i] = (launch["kernel"], *sums)
    return [out[i] for i in sorted(out)]


def hold_forms(data, report):
    """Names the counts that differ."""
    rows = [line.rstrip("\n").split("\t") for line in open(data) if not line.startswith("#")]
    columns, wanted = rows[0], {row[0]: [int(n) for n in row[1:]] for row in rows[1:]}
    counted = {kernel: [0] * 7 for kernel in wanted}
    for launch in json.load(open(report))["launches"]:
        mine = counted[launch["name"].split("(")[0]]
        for site in launch["sites"]:
            first = {"texture": 0, "surface": 3 if site["op"] == "load" else 5}.get(site["space"])
            if first is None or site["op"] not in ("load", "store"):
                continue
            counts = ("instructions", "requests", "sectors") if first == 0 else ("instructions", "sectors")
            for n, name in enumerate(counts):
                mine[first + n] += site[name]
    total = 7 * len(wanted)
    differ = [f"{kernel}: {columns[n + 1]} {counted[kernel][n]}, not {gpu}" for kernel, row in wanted.items()
              for n, gpu in enumerate(row) if counted[kernel][n] != gpu]  # fmt: skip
    print(*differ, f"{total - len(differ)} of {total} counts", sep="\n")


def counters(gpu_path, own_path):
    rows = list(csv.DictReader(l for l in open(gpu_path) if l.startswith('"')))
    rows = [r for r in rows if r["ID"].strip()]
    for row, own in zip(rows, launches_of(own_path)):
        gpu = {k.removeprefix("l1tex__"): v for k, v in row.items() if k.startswith(("l1tex__", "smsp__")) and v not in ("", "0")}
        print(own[0], "WarpLens: instructions, requests, sectors", *own[1:], "GPU:", gpu)


def end(differ, what):
    print(*differ, what, sep="\n")
    sys.exit(bool(differ))


def hold(data_path, own_path):
    gpu, own = json.load(open(data_path))["launches"], launches_of(own_path)
    assert len(gpu) == len(own), f"{len(gpu)} launches, WarpLens {len(own)}"
    differ = []
    for want, (kernel, _, requests, sectors) in zip(gpu, own):
        measured = want.get("texin_requests", want["t_requests"]), want["t_sectors"]
        if measured != (requests, sectors):
            differ.append(f"{want['kernel']}: GPU {measured}, WarpLens {kernel} {requests, sectors}")
    end(differ, f"{len(gpu)} launches")


def hold_fetches(answers_path, data_path, own_path):
    own, api = lines(own_path)
    wanted = json.load(open(answers_path))["api"]
    differ = [f"api {name}: GPU {wanted.get(name)}, WarpLens {api.get(name)}"
              for name in sorted(wanted.keys() | api.keys()) if wanted.get(name) != api.get(name)]
    count = 0
    for case in (json.loads(line) for line in gzip.open(data_path, "rt")):
        for i, one in enumerate(case.get("fetches", [])):
            what, result = own[case["first"] + i]
            count += 1
            if [int(word, 16) for word in result] != one["bits"]:
                differ.append(f"{case['first'] + i} {what}: GPU {one['bits']}, WarpLens {result}")
    end(differ, f"{count} fetches")


{"fetches": fetches, "counters": counters, "hold": hold, "hold_fetches": hold_fetches, "hold_forms": hold_forms}[sys.argv[1]](*sys.argv[2:])
