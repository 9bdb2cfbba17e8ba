#!/usr/bin/env python3
"""Makes docs/look-up/machine-instructions.md: which machine instructions are decoded, and which run.

Decoded are those of src/code/sass/table.def; translated those that src/code/translate has a case for. --check fails if the page is
not what this would write.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs" / "look-up" / "machine-instructions.md"
heading = """# Machine instructions

Made by `scripts/machine_page.py`. *Decoded*: read, and printed as `nvdisasm` does. *Runs*: translated for `--code machine`
([how](../understand/machine-code.md#what-is-not-translated)). Some forms of an instruction that runs are refused with a message.

| family | runs | decoded only |
|---|---|---|
"""


def main() -> int:
    cases = set()
    for source in sorted((root / "src" / "code" / "translate").glob("*.cpp")):
        cases |= set(re.findall(r"Opcode::(\w+)\b", source.read_text()))
    families: dict[str, list[str]] = {}
    family = ""
    for line in (root / "src" / "code" / "sass" / "table.def").read_text().split("\n"):
        if line.startswith("// "):
            family = line[3:].partition(":")[0]
        elif row := re.match(r"ROW\((\w+),", line):
            names = families.setdefault(family, [])
            if row[1] not in names:
                names.append(row[1])
    names = lambda some: " ".join(f"`{name}`" for name in some)
    text = heading + "".join(f"| {family} | {names(o for o in opcodes if o in cases)} | {names(o for o in opcodes if o not in cases)} |\n"
                             for family, opcodes in families.items())
    if "--check" in sys.argv:
        if page.exists() and page.read_text() == text:
            return 0
        print(f"{page.relative_to(root)} is not up to date: run scripts/machine_page.py")
        return 1
    page.write_text(text)
    return 0


sys.exit(main())
