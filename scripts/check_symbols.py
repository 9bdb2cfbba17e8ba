#!/usr/bin/env python3
"""Checks that code compiled for one instruction set stays in that set's namespace.

    check_symbols.py TARGET: OBJECT… TARGET: OBJECT…

The linker keeps one copy of each weak symbol (an inline function, a template's instance), whichever it meets first. If an
object that is compiled with AVX-512 held one that others need too, they might get that copy, and the program would end with
an illegal instruction on a processor without it. So every weak symbol that such an object defines must have its target as a
namespace.
"""
import subprocess
import sys

# Of nm's letters: weak functions, weak objects, unique objects. Small w and v are not defined there.
WEAK = {"W", "V", "u"}


def weak_symbols(path: str) -> list[str]:
    listing = subprocess.run(["nm", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    found = (line.split(maxsplit=2) for line in listing.splitlines())
    return [fields[2] for fields in found if len(fields) == 3 and fields[1] in WEAK]


def readable(symbol: str) -> str:
    return subprocess.run(["c++filt", symbol], capture_output=True, text=True, check=True).stdout.strip()


def problems(target: str, path: str) -> list[str]:
    namespace = f"{len(target)}{target}"  # as the C++ ABI writes it in a symbol
    return [f"{path}: '{readable(symbol)}' is weak and outside namespace {target}; make it [[gnu::always_inline]], or do without it"
            for symbol in weak_symbols(path) if namespace not in symbol]


def main() -> int:
    found, count, target = [], 0, ""
    for argument in sys.argv[1:]:
        if argument.endswith(":"):
            target = argument[:-1]
            continue
        if argument.endswith(".gch"):  # CMake lists a target's precompiled header among its objects
            continue
        count += 1
        found += problems(target, argument)
    print("\n".join(found) if found else f"{count} objects: no weak symbol outside its target's namespace")
    return 1 if found or count == 0 else 0


sys.exit(main())
