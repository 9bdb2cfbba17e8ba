"""What mkdocs does not know of our pages (see site.sh): the order of pages is that of docs/README.md, and links to files outside of
docs/, which the site does not have, become plain text."""
import pathlib
import re

DOCS = pathlib.Path(__file__).resolve().parent.parent / "docs"


def on_config(config):
    nav, group = [{"Overview": "README.md"}], None
    for line in (DOCS / "README.md").read_text().splitlines():
        if heading := re.fullmatch(r"\*\*(.+)\*\*", line):
            group = []
            nav.append({heading.group(1): group})
        elif (page := re.match(r"\* \[(.+)\]\(([^)]+\.md)\)$", line)) and group is not None:
            group.append({page.group(1).replace("`", ""): page.group(2)})
    config["nav"] = nav
    return config


def on_page_markdown(markdown, page, **_):
    here = (DOCS / page.file.src_path).parent

    def kept(match):
        target = match.group(2).split("#")[0]
        inside = not target or re.match(r"[a-z]+:", target) or DOCS in (here / target).resolve().parents
        return match.group(0) if inside else match.group(1)

    return re.sub(r"(?<!!)\[([^\]]+)\]\(([^)\s]+)\)", kept, markdown)
