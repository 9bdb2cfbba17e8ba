#!/usr/bin/env python3
"""playground.py PAGE MODULE OUTPUT: the playground's page with the WebAssembly module in it, compressed."""
import base64
import gzip
import sys

page, module, output = sys.argv[1:]
MARK = "@MODULE@"
with open(page, encoding="utf-8") as file:
    text = file.read()
if text.count(MARK) != 1:
    sys.exit(f"{page}: there is not one {MARK}")
with open(module, "rb") as file:
    packed = gzip.compress(file.read(), 9, mtime=0)
with open(output, "w", encoding="utf-8") as file:
    file.write(text.replace(MARK, base64.b64encode(packed).decode()))
