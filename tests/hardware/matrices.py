#!/usr/bin/env python3
"""Compares two outputs of matrices.cu: matrices.py GPU.txt WARPLENS.txt

One line per form: instructions, how many are equal bit for bit, and of the others the largest difference of an element, in
units of its last place, and relative to the largest element of its result."""
import collections
import struct
import sys


def read(path: str) -> dict[tuple[str, str], list[int]]:
    results = collections.defaultdict(list)
    for line in open(path):
        words = line.split()
        if len(words) == 7:
            results[words[0], words[1]] += [int(word, 16) for word in words[3:]]
    return results


def elements(form: str, words: list[int]) -> list[tuple[int, float]]:
    """Bits of each element, as numbers whose difference is one of last places, and its value; none for integers."""
    def ordered(bits: int, width: int) -> int:
        return bits if bits >> (width - 1) == 0 else (1 << (width - 1)) - bits
    if form == "f64_m8":
        wide = [low | high << 32 for low, high in zip(words[::2], words[1::2])]
        return [(ordered(w, 64), struct.unpack("<d", struct.pack("<Q", w))[0]) for w in wide]
    if form.endswith("_f16"):
        halves = [w >> shift & 0xffff for w in words for shift in (0, 16)]
        return [(ordered(h, 16), struct.unpack("<e", struct.pack("<H", h))[0]) for h in halves]
    if any(part in form for part in ("f16", "bf16", "tf32", "e4m3", "e5m2")):
        return [(ordered(w, 32), struct.unpack("<f", struct.pack("<I", w))[0]) for w in words]
    return []


def main() -> int:
    gpu, ours = read(sys.argv[1]), read(sys.argv[2])
    forms, wrong = list(dict.fromkeys(form for form, _ in gpu)), 0
    for form in forms:
        keys = [key for key in gpu if key[0] == form]
        equal, places, relative = 0, 0, 0.0
        for key in keys:
            if gpu[key] == ours.get(key):
                equal += 1
                continue
            a, b = elements(form, gpu[key]), elements(form, ours.get(key, []))
            if not a or len(a) != len(b):
                wrong += 1
                continue
            largest = max(abs(value) for _, value in a)
            places = max(places, max(abs(x[0] - y[0]) for x, y in zip(a, b)))
            relative = max(relative, max(abs(x[1] - y[1]) for x, y in zip(a, b)) / largest)
        print(f"{form:16} {len(keys):4} {equal:4} equal" + (f", others {places} last places, {relative:.2e} of the largest" if equal < len(keys) else ""))
    print(f"{len(gpu)} instructions, {wrong} wrong without excuse")
    return 1 if wrong else 0


sys.exit(main())
