"""Names that want to be obeyed, and the outputs that must not let them: see hostile_names_test.sh.

  hostile_names.py name                a name of a file
  hostile_names.py spoil IN OUT        a saved report whose names are all of that kind
  hostile_names.py harmless FILE…      fails where a terminal or GitHub would obey a line
"""
import json
import re
import sys

NAME = "a\n::error file=x.c,line=1::pwned\r\n  ::add-mask::b\u202e\u2066\u2028\u0085\u009b31m##[stop-commands]c\x1b[31m"
# What the answer of a command is made of: these members are read as names by some, and as keys by others.
KEPT = {"schema", "status", "space", "op", "cache", "element", "kind", "form", "severity", "ptx", "offsets", "atomic",
        "timing_dependent", "other_end", "empty", "rule", "metric", "confidence", "predicted_from", "stage", "unit", "pattern"}


def spoiled(value, key=""):
    if isinstance(value, dict):
        if key == "files":
            return {NAME + name: NAME + shown for name, shown in value.items()}
        return {name: spoiled(member, name) for name, member in value.items()}
    if isinstance(value, list):
        return [spoiled(member, key) for member in value]
    return NAME + value if isinstance(value, str) and key not in KEPT else value


def obeyed(text, annotations):
    for line in text.split(b"\n"):
        words = line.decode("utf-8", "replace").strip()
        ours = annotations and re.match(r"::(notice|warning|error) (file=|title=)", words)
        if words.startswith("::") and "::" in words[2:] and not ours:
            return "is a command: %r" % words[:60]
        if "##[" in words:
            return "holds an old command: %r" % words[:60]
    for control in re.findall("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]",
                              text.decode("utf-8", "replace")):
        return "holds U+%04X" % ord(control)
    return None


if sys.argv[1] == "name":
    sys.stdout.write(NAME)
elif sys.argv[1] == "spoil":
    json.dump(spoiled(json.load(open(sys.argv[2]))), open(sys.argv[3], "w"))
else:
    for name in sys.argv[2:]:
        why = obeyed(open(name, "rb").read(), "github" in name)
        if why:
            sys.exit("%s %s" % (name, why))
