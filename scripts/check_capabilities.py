#!/usr/bin/env python3
"""Checks that nothing compares compute capabilities: what differs between architectures is a column of src/hardware/arch/table.cpp.

Looks for a comparison of something called sm, major or minor with a number: `row.sm >= 60`, `arch::major(row) == 9`,
`90 <= sm`;
or for a number called `oldest` or `newest`. What toolchain compares are versions of compilers, and the CUDA headers are the user's own language.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
source = root / "src"

name = r"\b(?:sm|major|minor)\b(?:\([^()]*\))?"
comparison = r"(?:<=>|[<>=!]=|(?<![<>-])[<>](?![<>]))"
number = r"\b[1-9]\d*u?\b"  # 0 is no compute capability
named = r"\b(?:oldest|newest)\b\s*=\s*\d"  # the number got a name first
compares = re.compile(rf"{name}\s*{comparison}\s*{number}|{number}\s*{comparison}\s*(?:[\w:]+(?:\.|->|::))*{name}"
                      rf"|{named}")


def problems_of(path: pathlib.Path) -> list[str]:
    lines = path.read_text(errors="replace").splitlines()
    return [f"{path.relative_to(root)}:{number}: compares a compute capability; make it a column of the architecture's row"
            for number, line in enumerate(lines, 1) if compares.search(line.split("//")[0])]


def main() -> int:
    files = sorted(path for pattern in ("*.h", "*.cpp", "*.def", "*.inc") for path in source.rglob(pattern)
                   if source / "code" / "toolchain" not in path.parents)
    problems = [problem for path in files for problem in problems_of(path)]
    print("\n".join(problems) if problems else f"{len(files)} files: none compares compute capabilities")
    return 1 if problems else 0


sys.exit(main())
