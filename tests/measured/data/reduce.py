#!/usr/bin/env python3
"""Makes a report of Nsight Compute small enough to be kept: what no reader of WarpLens takes is left out.

usage: reduce.py REPORT.ncu-rep SMALL.ncu-rep [KERNEL…]      only these kernels (mangled); default: all

Sections, rules, and metrics other than those named below go; what stays is as it was, byte for byte within each field.
"""
import re
import struct
import sys

KEPT = re.compile(r"(thread_)?inst_executed(_true)?|memory_(l1_tag_requests|l2_theoretical_sectors|l1_wavefronts)_\w+|memory_\w*type"
                  r"|launch__(function_pcs|shared_mem_per_block_\w+ic)|gpu__time_duration.sum|l1tex__[td]_?\w*_pipe_lsu\w*\.sum|idc__requests.sum")


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def encoded(value):
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def fields(data):
    at = 0
    while at < len(data):
        begin = at
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            size = {1: 8, 5: 4}.get(key & 7)
            if size is None:
                size, at = varint(data, at)
            value = data[at : at + size]
            at += size
        yield key >> 3, value, data[begin:at]


def message(number, content):
    return encoded(number << 3 | 2) + encoded(len(content)) + content


def piece(content):
    return struct.pack("<I", len(content)) + content


def session(data):
    """Without what it says of the machine's name, its user, and the command line."""
    out = b""
    for number, value, raw in fields(data):
        if number == 8:
            out += raw
        elif number == 6:
            kept = [raw for n, v, raw in fields(value) if n < 3 or b"compute_capability" in v]
            out += message(6, b"".join(kept))
    return out


def main(source, target, *kernels):
    data = open(source, "rb").read()
    at, out, strings = 4, data[:4], []

    def take():
        nonlocal at
        size = struct.unpack_from("<I", data, at)[0]
        at += 4 + size
        return data[at - size : at]

    out += piece(take())
    while at < len(data):
        header = list(fields(take()))
        counts = {number: value for number, value, _ in header if number in (1, 2)}
        payload, results = b"", 0
        for number, value, _ in header:
            if number == 4:
                strings += [text.decode() for n, text, _ in fields(value) if n == 1]
        for _ in range(counts.get(1, 0)):
            payload += piece(take())
        for _ in range(counts.get(2, 0)):
            result = list(fields(take()))
            if kernels and next(v for n, v, _ in result if n == 5).decode() not in kernels:
                continue
            results += 1
            kept = b""
            for number, value, raw in result:
                if number == 13:
                    name = strings[next(v for n, v, _ in fields(value) if n == 1)]
                    if not KEPT.fullmatch(name):
                        continue
                if number not in (17, 19, 21, 28, 32):
                    kept += raw
            payload += piece(kept)
        small = b""
        for number, value, raw in header:
            if number == 2:
                raw = encoded(2 << 3) + encoded(results)
            elif number == 3:
                raw = message(3, session(value))
            elif number == 4: # places in the table count; texts of others do not
                raw = message(4, b"".join(message(1, t if KEPT.fullmatch(t.decode()) else b"") for n, t, _ in fields(value) if n == 1))
            elif number == 5:
                raw = encoded(5 << 3) + encoded(len(payload))
            small += raw
        out += piece(small) + payload
    open(target, "wb").write(out)


main(*sys.argv[1:])
