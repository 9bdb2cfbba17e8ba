#!/usr/bin/env python3
"""How the words read: measures every sentence of the documents, the help and the messages, and fails where they get long,
use a phrase of the list, call one thing by two names, or use a word that neither a dictionary nor the glossary knows.

    scripts/check_words.py            # fails with the place of each sentence that breaks a rule
    scripts/check_words.py --measure  # one line for each page: sentences, words per sentence, the longest
    scripts/check_words.py --messages # all messages, one per line, for review

Rules (CONTRIBUTING.md, "Words"): a page has at most 15 words per sentence on average, cells of tables apart. No sentence has
more than 30. A sentence ends at a full stop and at the end of a paragraph, list item or cell. Code counts as one word. A sentence that must be longer stands in scripts/long_sentences.txt, with the reason.
"""
import argparse, pathlib, re, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MEAN, LONGEST, PAGE_LINES = 15, 30, 200

# What a reader stumbles over, and what to write instead.
PHRASES = [
    (r"\bin the sum\b", "total"), (r"\bwhoever\b", "each …, or who it is"), (r"\bnobody's\b", "unused"),
    (r"\bby itself\b(?! is)", "on its own, or delete it"), (r"\bwhat is none\b", "does not apply"),
    (r"\bto its end\b", "completely"), (r"\bof which\b", "split the sentence"), (r"\bin vain\b", "for nothing"),
    (r"\bas a rule\b", "usually"), (r"\botherwise than\b", "differently from"), (r"\bso many\b", "a number of"),
    (r"\bis such that\b", "say what it does"), (r"\bin the place of\b", "instead of"), (r"\bwould do with\b", "needs"),
    (r"\bmakes? of it\b", "turns it into"), (r"\bas it were\b", "delete it"),
]
# Words for one thing, of which the first is the one to use.
ONE_NAME = [("block", r"\bthread blocks?\b"), ("GPU", r"\bgraphics cards?\b"), ("wavefront", r"\bbank passes\b"),
            ("for nothing", r"\bin vain\b")]


def plain(text):
    """Markdown without its marks; code and addresses are one word."""
    text = re.sub(r"`[^`]*`", "code", text)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"https?://\S+", "address", text)
    text = re.sub(r"<[^>]+>", " ", text)
    return re.sub(r"[*_#>|]", " ", text)


def sentences(text):
    text = re.sub(r"\b(e\.g|i\.e|etc|vs|cf)\.", r"\1", text)
    for part in re.split(r"(?<=[.!?])\s+|(?<=:)\s+(?=code\b)", text):
        words = re.findall(r"[^\s]*\w[^\s]*", part)
        if words:
            yield " ".join(part.split()), len(words)


def paragraphs(path):
    """(line, text, is it a cell) of each paragraph, list item and cell of a table of a page."""
    inside, start, held = False, 0, []
    def flush():
        nonlocal held
        if held:
            yield start, " ".join(held), False
        held = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        stripped = line.strip()
        if stripped.startswith("```"):
            yield from flush()
            inside = not inside
            continue
        if inside:
            continue
        if stripped.startswith("|"):
            yield from flush()
            for cell in re.split(r"(?<!\\)\|", stripped.strip("|")):
                if re.search(r"[a-z]", cell):
                    yield number, cell, True
            continue
        if not stripped or stripped.startswith("#") or re.match(r"([*+-]|\d+\.)\s", stripped):
            yield from flush()
            stripped = re.sub(r"^([*+-]|\d+\.|#+)\s+", "", stripped)
            start = number
        if stripped:
            if not held:
                start = number
            held.append(stripped)
    yield from flush()


def pages():
    out = [ROOT / name for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "examples/README.md", "editors/vscode/README.md")]
    return [path for path in out + sorted((ROOT / "docs").rglob("*.md")) if path.exists()]


TOKEN = re.compile(r'R"(\w*)\(.*?\)\1"|(?P<string>"(?:[^"\\\n]|\\.)*")|\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*.*?\*/', re.S)


def literals(text):
    """Adjacent string literals as one, with where they begin. Comments, characters and raw strings are skipped."""
    start, end, joined = 0, -1, ""
    for match in TOKEN.finditer(text):
        if match.group("string") is None:
            continue
        if end >= 0 and text[end : match.start()].strip():
            yield start, joined
            joined = ""
        if not joined:
            start = match.start()
        joined += match.group("string")[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\t", " ")
        end = match.end()
    if joined:
        yield start, joined


def messages():
    """(place, text) of what the sources say to people: strings of some words, in the rooms that speak."""
    skip = re.compile(r"/(data|html)/|\.html$")
    for path in sorted((ROOT / "src").rglob("*")):
        if path.suffix not in (".cpp", ".h", ".def") or skip.search(str(path)):
            continue
        text = path.read_text()
        for at, string in literals(text):
            if len(re.findall(r"[A-Za-z]{2,}", string)) >= 5 and len(string.split()) >= 3 and not re.search(r"#include|asm|\bPTX_|^\s*[.%]", string):
                yield f"{path.relative_to(ROOT)}:{text.count(chr(10), 0, at) + 1}", string


def reasons():
    path = ROOT / "scripts/long_sentences.txt"
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")] if path.exists() else []
    return [line.split("\t")[0] for line in lines]


def unknown_words(text, known):
    """Words that neither a dictionary, nor the glossary, nor the list of names has. Words in capitals are abbreviations."""
    for word in re.findall(r"[A-Za-z][A-Za-z'-]+", text):
        for part in re.sub(r"'s?$", "", word.lower()).split("-"):
            if part and not word.isupper() and not {part, part.removesuffix("s")} & known:
                yield word


def known_words():
    """None where there is no dictionary (Debian's wbritish)."""
    dictionary = pathlib.Path("/usr/share/dict/british-english")
    if not dictionary.exists():
        return None
    known = {line.strip().lower() for line in dictionary.read_text().splitlines()}
    for term in re.findall(r"^\*\*(.+?)\*\*", (ROOT / "docs/look-up/glossary.md").read_text(), re.M):
        known.update(re.findall(r"[a-z]+", term.lower()))
    names = (ROOT / "scripts/known_words.txt").read_text().splitlines()
    return known | {name.lower() for line in names if not line.startswith("#") for name in line.split()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--messages", action="store_true")
    options = parser.parse_args()
    if options.messages:
        for place, text in messages():
            print(f"{place}: {' '.join(text.split())}")
        return 0
    excused, faults, known = reasons(), [], known_words()
    def look(place, text):
        for sentence, words in sentences(text):
            if words > LONGEST and not any(sentence.startswith(start) for start in excused):
                faults.append(f"{place}: {words} words: {sentence}")
        for phrase, instead in PHRASES:
            if found := re.search(phrase, text, re.I):
                faults.append(f"{place}: '{found.group()}': write instead: {instead}")
        for name, other in ONE_NAME:
            if found := re.search(other, text, re.I):
                faults.append(f"{place}: '{found.group()}' is called '{name}' here")
    total = [0, 0]
    for path in pages():
        counts = []
        for number, text, cell in paragraphs(path):
            text = plain(text)
            look(f"{path.relative_to(ROOT)}:{number}", text)
            for word in unknown_words(text, known) if known else []:
                faults.append(f"{path.relative_to(ROOT)}:{number}: '{word}' is in no dictionary: explain it in the glossary, or add a name to scripts/known_words.txt")
            counts += [words for _, words in sentences(text) if not cell]
        lines = len(path.read_text().splitlines())
        mean = sum(counts) / max(1, len(counts))
        total[0] += len(counts); total[1] += sum(counts)
        if options.measure:
            print(f"{str(path.relative_to(ROOT)):40} {lines:5} lines {len(counts):5} sentences {mean:5.1f} words each, at most {max(counts, default=0)}")
        if mean > MEAN:
            faults.append(f"{path.relative_to(ROOT)}: {mean:.1f} words per sentence on average")
        if lines > PAGE_LINES:
            faults.append(f"{path.relative_to(ROOT)}: {lines} lines; a page has at most {PAGE_LINES}")
    counts = []
    for place, text in messages():
        text = re.sub(r"\{[^}]*\}", "n", text)
        look(place, text)
        counts += [words for _, words in sentences(text)]
    if options.measure:
        print(f"{'documents':40} {total[0]:5} sentences {total[1] / max(1, total[0]):5.1f} words each")
        print(f"{'messages and help':40} {len(counts):5} sentences {sum(counts) / len(counts):5.1f} words each, at most {max(counts)}")
    else:
        print("\n".join(faults))
    return 1 if faults and not options.measure else 0


if __name__ == "__main__":
    sys.exit(main())
