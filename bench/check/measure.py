#!/usr/bin/env python3
"""Measures `warplens check`: what it adds to the compiler's time, how fast it judges CUB, and how it grows.

usage: measure.py [WARPLENS]

All times are of the processor, of one core, the least of some rounds, so that a busy machine matters little:
  file       each example: the compiler's time and the judging, beside the goal of 50 ms beyond the compiler
  CUB        cub.cu as nvcc compiles it (skipped without nvcc): seconds for 7 MB of PTX, beside the goal of 2
  growth     kernels with n and 4n different accesses, plain, behind branches and in loops: 4 is linear
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
ROUNDS = 3
GOAL_FILE_MS, GOAL_CUB_S, CUB_MB = 50, 2.0, 7.0


def seconds(command, environment=None):
    """Of the processor, with all that the command starts; the least of the rounds."""
    best = None
    for _ in range(ROUNDS):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
        said = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 1):
            sys.exit(f"{' '.join(map(str, command))}: {said.decode(errors='replace')}")
        spent = usage.ru_utime + usage.ru_stime
        best = spent if best is None else min(best, spent)
    return best


def files(check, folder):
    print(f"{'file':24} {'compile/s':>10} {'judge/ms':>9} {'of goal':>8}")
    kept = dict(os.environ, WARPLENS_CACHE_DIR=str(folder / "cache"))
    for source in sorted((root / "examples").glob("*.cu")):
        command = [*check, "--compiler", "clang", source]
        whole = seconds([*command, "--no-cache"], kept)
        subprocess.run(command, env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        judge = seconds(command, kept)  # the compiler's output is in the cache
        print(f"{source.name:24} {whole - judge:10.2f} {1000 * judge:9.1f} {1000 * judge / GOAL_FILE_MS:8.2f}")


def cub(check, folder):
    if shutil.which("nvcc") is None:
        return print("CUB: skipped, there is no nvcc")
    ptx = folder / "cub.ptx"
    subprocess.run(["nvcc", "-ptx", "-arch=sm_90", "-lineinfo", "--extended-lambda", "-o", ptx, here / "cub.cu"], check=True)
    size, spent = ptx.stat().st_size / 1e6, seconds([*check, ptx])
    scaled = spent * CUB_MB / size
    print(f"CUB: {size:.1f} MB of PTX in {spent:.2f} s; {CUB_MB:.0f} MB in {scaled:.2f} s, {scaled / GOAL_CUB_S:.2f} of the goal")


ACCESS = "mul.wide.u32 %rd2, %r1, {step};\nadd.s64 %rd3, %rd1, %rd2;\nld.global.u32 %r3, [%rd3];\n"
GROWTH = {
    "plain": ACCESS,
    "branches": "setp.gt.s32 %p1, %r1, {few};\n@%p1 bra L{i};\n" + ACCESS + "L{i}:\n",
    "loops": "mov.u32 %r4, 0;\nL{i}:\n" + ACCESS + "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p1, %r4, %r9;\n@%p1 bra L{i};\n",
}


def kernel(text, n):
    body = "".join(text.format(i=i, step=4 * i + 4, few=i % 31) for i in range(n))
    return (".version 8.3\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u32 n)\n{\n"
            ".reg .b32 %r<10>; .reg .b64 %rd<4>; .reg .pred %p<2>;\nld.param.u64 %rd1, [a];\nld.param.u32 %r9, [n];\n"
            "mov.u32 %r1, %tid.x;\n" + body + "ret;\n}\n")


def growth(check, folder, n=2500):
    for name, text in GROWTH.items():
        spent = []
        for size in (n, 4 * n):
            ptx = folder / f"{name}.ptx"
            ptx.write_text(kernel(text, size))
            spent.append(seconds([*check, ptx]))
        print(f"growth, {name}: {n} accesses in {spent[0]:.2f} s, {4 * n} in {spent[1]:.2f} s: {spent[1] / spent[0]:.1f} times")


def main():
    warplens = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else root / "build/release/warplens").resolve()
    check = [warplens, "check", "--no-config", "--fail-on", "never", "--jobs", "1"]
    with tempfile.TemporaryDirectory() as name:
        files(check, pathlib.Path(name))
        cub(check, pathlib.Path(name))
        growth(check, pathlib.Path(name))


if __name__ == "__main__":
    main()
