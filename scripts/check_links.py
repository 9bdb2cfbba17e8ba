#!/usr/bin/env python3
"""Checks the links of every Markdown page: a relative link must lead to a file, its #anchor to a heading there."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent


def pages() -> list[pathlib.Path]:
    """Of the repository, or of an unpacked archive of it: git need not be there."""
    found = root.rglob("*.md")
    skipped = {"build", "node_modules", ".git"}
    return sorted(page for page in found if skipped.isdisjoint(page.relative_to(root).parts))


def without_code(text: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors(page: pathlib.Path) -> set[str]:
    headings = re.findall(r"^#+\s+(.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def problems_of(page: pathlib.Path) -> list[str]:
    problems = []
    for link in re.findall(r"\]\(([^)\s]+)\)", without_code(page.read_text())):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            problems.append(f"{page.relative_to(root)}: '{link}' leads nowhere")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            problems.append(f"{page.relative_to(root)}: '{link}' names a heading that is not there")
    return problems


def main() -> int:
    checked = pages()
    problems = [problem for page in checked for problem in problems_of(page)]
    print("\n".join(problems) if problems else f"{len(checked)} pages: every link leads somewhere")
    return 1 if problems or not checked else 0


sys.exit(main())
