"""What people asked about in public, verdict by verdict: field.py WARPLENS DIRECTORY

DIRECTORY has cases.tsv and a program for each case. Of each: what is run, what its answer must have, as one line, and what it must
not have. Prints a row for each case and ends with 1 where one is not as it was.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys


def answer(warplens, command, source):
    words = command.split()
    if words[0] == "run":
        words += ["--top-lines", "0", "--width", "400"] + (["--lines"] if "--kernel" in words else [])
    else:
        words += ["--fail-on", "never"]
    done = subprocess.run(
        [warplens, *words, "--compiler", "clang", source], capture_output=True, text=True, timeout=300
    )
    return done.stderr if words[0] == "run" else done.stdout + done.stderr


def main(warplens, directory):
    cases = [line.split("\t") for line in open(directory / "cases.tsv") if not line.startswith("#")]

    def look(case):
        name, command, expected, refused, right = (cell.strip("\n") for cell in case)
        text = " ".join(line.strip() for line in answer(warplens, command, str(directory / (name + ".cu"))).split("\n"))
        lines = re.sub(r" (?=(Nothing|Few|Narrow|Read|Idle|Spilled) [a-z]*)", "\n", text)
        good = bool(re.search(expected, lines, re.DOTALL | re.MULTILINE)) and not (refused and re.search(refused, lines))
        return f"{'ok' if good else 'NO'}\t{name}\t{command}\t{right}" + ("" if good else "\n" + lines[:2000]), good

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(look, cases))
    for text, _ in results:
        print(text)
    print(f"{sum(good for _, good in results)} of {len(results)} are as they should be")
    return 0 if all(good for _, good in results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], pathlib.Path(sys.argv[2])))
