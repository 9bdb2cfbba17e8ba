#!/usr/bin/env python3
"""Keeps the outputs that documents show equal to what the commands print.

    scripts/documents.py WARPLENS           # writes the output of each ```console block anew
    scripts/documents.py WARPLENS --check   # fails where a page shows something else

A block begins with `$ warplens …`, which is run in the repository's root, with clang alone, 80 columns wide and without colour. Below it
stands what it prints. A line `[…]` stands for any lines. A picture docs/course/pictures/CASE.svg is what `warplens explain --case CASE --svg -` draws.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```console\n\$ warplens ([^\n]*)\n(.*?)^```$", re.M | re.S)


def output(warplens, line):
    words = shlex.split(line)
    if words[0] in ("run", "check"):
        words[1:1] = ["--compiler", "clang"]
    environment = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")} | {
        "TERM": "dumb", "COLUMNS": "80", "WARPLENS_PTXAS": "/none"}
    done = subprocess.run([warplens, *words], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    return done.stdout


def fits(shown, printed):
    pattern = ".*?".join(re.escape(part) for part in re.split(r"^\[…\]\n", shown, flags=re.M))
    return re.fullmatch(pattern, printed, re.S) is not None


def main():
    warplens, check = str(pathlib.Path(sys.argv[1]).resolve()), "--check" in sys.argv[2:]
    wrong, blocks = [], 0
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = page.read_text()
        def renew(match):
            nonlocal blocks
            blocks += 1
            printed = output(warplens, match.group(1))
            if fits(match.group(2), printed):
                return match.group(0)
            wrong.append(f"{page.relative_to(ROOT)}: $ warplens {match.group(1)}\n{printed}")
            return f"```console\n$ warplens {match.group(1)}\n{printed}```"
        new = BLOCK.sub(renew, text)
        if new != text and not check:
            page.write_text(new)
    for name in sorted(set(re.findall(r"\(pictures/([\w.-]+)\.svg\)", "".join(page.read_text() for page in (ROOT / "docs/course").glob("*.md"))))):
        picture = ROOT / f"docs/course/pictures/{name}.svg"
        drawn = output(warplens, f"explain --case {name} --svg -")
        if not picture.exists() or picture.read_text() != drawn:
            wrong.append(f"{picture.relative_to(ROOT)} is not what explain draws")
            if not check:
                picture.write_text(drawn)
    print("\n".join(wrong) if check and wrong else f"{blocks} outputs")
    return 1 if (check and wrong) or blocks == 0 else 0


sys.exit(main())
