#!/usr/bin/env python3
"""Checks the links of every Markdown page: a relative link must lead to a file, its #anchor to a heading there. And what comments
in src/ name in brackets, (room/file.h), must be there: in src/, beside the file, or in the folder above."""
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


def problems_of_comments(source: pathlib.Path) -> list[str]:
    wings = [root, *(wing for wing in (root / "src").iterdir() if wing.is_dir())]
    named = re.findall(r"\(((?:[a-z_]+/)+[a-z_]+\.(?:h|cpp|def))", source.read_text(errors="replace"))
    return [f"{source.relative_to(root)}: '{name}' is not there" for name in named
            if not any((folder / name).exists() for folder in [*wings, source.parent, source.parent.parent])]


def main() -> int:
    checked = pages()
    problems = [problem for page in checked for problem in problems_of(page)]
    for source in sorted(path for ending in ("h", "cpp") for path in (root / "src").rglob(f"*.{ending}")):
        problems += problems_of_comments(source)
    print("\n".join(problems) if problems else f"{len(checked)} pages: every link leads somewhere")
    return 1 if problems or not checked else 0


sys.exit(main())
