#!/usr/bin/env python3
"""Checks that every source file over 100 lines opens by explaining itself: a comment among its first three lines."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
folders = ["bench", "cuda", "examples", "include", "scripts", "src", "tests", "tools", "web/src"]
suffixes = {".c", ".cmake", ".cpp", ".cu", ".cuh", ".def", ".h", ".inc", ".py", ".sh", ".ts", ".tsx"}
limit = 100
comment = re.compile(r'(//|# |/\*|""")')


def is_silent(path: pathlib.Path) -> bool:
    lines = path.read_text(errors="replace").splitlines()
    return len(lines) > limit and not any(comment.match(line) for line in lines[:3])


def main() -> int:
    files = sorted(path for folder in folders for path in (root / folder).rglob("*")
                   if path.suffix in suffixes and path.is_file() and "node_modules" not in path.parts)
    problems = [f"{path.relative_to(root)}: over {limit} lines, and does not open by explaining itself"
                for path in files if is_silent(path)]
    print("\n".join(problems) if problems else f"{len(files)} files: every long one opens by explaining itself")
    return 1 if problems else 0


sys.exit(main())
