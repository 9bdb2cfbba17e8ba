#!/usr/bin/env python3
"""Writes docs/look-up/rules.md from src/judgement/findings/rules.def; with --check, says whether the page is up to date."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs/look-up/rules.md"


def render():
    text = re.sub(r"^//[^\n]*", "", (root / "src/judgement/findings/rules.def").read_text(), flags=re.M)
    out = ["# Rules of findings", "", "Generated from `src/judgement/findings/rules.def` by `scripts/rules_page.py`. Do not edit.", "",
           "Each finding has a rule. `--rule RULE=SEVERITY` changes how grave it is; see [CI](../do/ci.md).", ""]
    for rule in re.finditer(r"RULE\(\w+,\s*((?:\"(?:[^\"\\]|\\.)*\"|[^()\"])*)\)", text):
        strings = ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', part)) for part in re.split(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", rule.group(1))]
        words = [part.strip() for part in re.split(r",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)", rule.group(1))]
        level = words[1] if words[2] == "true" else "off"
        out += [f"## `{strings[0]}`", "", f"*{level}*: {strings[3]}.", "", strings[4], ""]
    return "\n".join(out).replace('\\"', '"')


text = render()
if sys.argv[1:] == ["--check"]:
    if page.read_text() != text:
        sys.exit("docs/look-up/rules.md is not what rules.def says: run scripts/rules_page.py")
else:
    page.write_text(text)
