#!/usr/bin/env python3
"""Joins a chunk of Nsight Compute's raw CSV with the patterns that were launched, in launch order.

usage: join.py FAMILY FIRST PATTERNS.jsonl CHUNK.csv COUNTER,COUNTER…
"""
import csv
import json
import sys


def number(text):
    value = float(text.replace(",", ""))
    return int(value) if value == int(value) else value


family, first, patterns, chunk, counters = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], sys.argv[5].split(",")
lines = [line for line in open(chunk) if line.startswith('"')]
rows = list(csv.reader(lines))
header, launches = rows[0], rows[2:]  # rows[1] holds the units
columns = [i for i, name in enumerate(header) if name in counters]
wanted = [json.loads(line) for line in open(patterns)][first : first + len(launches)]
for pattern, row in zip(wanted, launches):
    pattern["family"] = family
    pattern["measured"] = {
        header[i].removesuffix(".sum"): number(row[i]) for i in columns if row[i] not in ("", "n/a")
    }
    print(json.dumps(pattern, separators=(",", ":")))
