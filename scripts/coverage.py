#!/usr/bin/env python3
"""Writes docs/look-up/instructions.md from src/code/ir/opcodes.def; with --check, says whether the page is up to date."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
page = root / "docs" / "look-up" / "instructions.md"

what = {
    "compute": "computed lane by lane",
    "move": "register and address moves",
    "memory": "memory accesses, counted",
    "texture": "textures and surfaces, by objects and references; counted",
    "control": "control flow",
    "warp": "exchanges among the lanes of a warp",
    "barrier": "barriers",
    "hint": "accepted; no effect on results or counts",
    "unsupported": "parsed; a launch that reaches one stops with a diagnostic",
}


# Opcodes of which some forms have semantics, and which.
partly = {
    "cp": "`cp.async` with its groups and mbarriers; `cp.async.bulk` and `cp.reduce.async.bulk`, `.tensor` of tiles and im2col; not interleaved, not `tile::gather4`",
    "mma": "dense and sparse; f16, bf16, tf32, f64, e4m3, e5m2, s8, u8, s4, u4, b1; not block-scaled",
    "wmma": "every type and shape: f16, bf16, tf32, f64, s8, u8, s4, u4, b1",
    "wgmma": "dense and sparse; f16, bf16, tf32, e4m3, e5m2, s8, u8, b1; descriptors without a base offset",
    "ldmatrix": "b16, `.m8n8`",
    "tex": "all but `.2dms`, `.a2dms`; u32 s32 f32 f16 f16x2",
    "tld4": "u32 s32 f32",
    "tensormap": "`.replace`, `.cp_fenceproxy`; no interleaved layouts, atoms of swizzles of 16 bytes",
    "suld": "`.b`; b8 b16 b32 b64",
    "sust": "`.b`; b8 b16 b32 b64; `.p` of 32-bit and half channels",
    "sured": "`.b`; u32 s32 b32 u64 s64",
    "stmatrix": "b16, `.m8n8`",
    "yield": "of machine code alone",
}


def rows() -> list[tuple[str, str, str]]:
    text = (root / "src" / "code" / "ir" / "opcodes.def").read_text()
    found = re.findall(r'^OPCODE\(\w+, "([^"]+)", "[^"]*", "([^"]*)", (\w+)\)', text, re.MULTILINE)
    return [(opcode, partly.get(opcode, types), family) for opcode, types, family in found]


def render() -> str:
    table = rows()
    supported = sum(family != "unsupported" for _, _, family in table)
    lines = [
        "# PTX coverage",
        "",
        "Generated from `src/code/ir/opcodes.def` by `scripts/coverage.py`. Do not edit.",
        "",
        f"{len(table)} opcodes: {supported} run, {len(table) - supported} parse only. A launch that reaches an opcode or a form",
        "without semantics stops with a diagnostic that names it and its source line; other launches go on.",
    ]
    for family, meaning in what.items():
        members = [(opcode, types) for opcode, types, own in table if own == family]
        lines += ["", f"## {family}: {meaning}", "", "| opcode | types |", "|---|---|"]
        lines += [f"| `{opcode}` | {types or '–'} |" for opcode, types in members]
    return "\n".join(lines) + "\n"


def main() -> int:
    text = render()
    if "--check" not in sys.argv:
        page.write_text(text)
        return 0
    if page.exists() and page.read_text() == text:
        return 0
    print("docs/look-up/instructions.md is out of date: run scripts/coverage.py and commit the page")
    return 1


sys.exit(main())
