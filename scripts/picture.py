#!/usr/bin/env python3
"""Draws docs/pictures/report.png anew, the page that README shows: picture.py WARPLENS. Needs Chromium."""
import pathlib
import subprocess
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "tests/scripts"))
import browser

with tempfile.TemporaryDirectory() as folder, browser.Browser() as b:
    page = pathlib.Path(folder) / "report.html"
    subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "run", "--compiler", "clang", "--html", page, "examples/transpose.cu"],
                   cwd=root, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    b.size(1000, 1120)
    b.theme("light")
    b.open(page)
    b.screenshot(root / "docs/pictures/report.png")
