#!/usr/bin/env python3
"""Measures what WarpLens itself needs for a run: time, memory of both processes, and what is written.

usage: measure.py WARPLENS [NAME...]

Builds the programs of this folder with nvcc, runs each case below under `warplens run`, and prints one line per case: the
wall time, the processor time of warplens and the program (on a busy machine the one that says something), the peak resident
memory of each, the size of the stream between them, and of the JSON.
"""
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
CASES = {  # name: what is launched, options
    "100,000 alike launches": (["load", "launches", "100000"], []),
    "100,000 alike, --proofs=always": (["load", "launches", "100000"], ["--proofs=always"]),
    "12,000 of a benchmark, --proofs=always": (["load", "benchmark", "12000"], ["--proofs=always"]),
    "1,583 launches, no two alike": (["load", "shapes", "792"], []),
    "10,000 kernels": (["kernels"], []),
    "1,000 host threads": (["load", "threads", "1000"], []),
    "10 GB in 10,000 allocations": (["load", "allocations", "10000"], []),
    "10 GB in 10 allocations": (["load", "allocations", "10", "1024"], []),
}


def peak(pid: int) -> int:
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def children(pid: int) -> list:
    try:
        return [int(one) for one in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def stream(pid: int) -> int:
    """Bytes of the event file that warplens has open."""
    for number in range(3, 32):
        try:
            if os.readlink(f"/proc/{pid}/fd/{number}").endswith("/events"):
                return os.stat(f"/proc/{pid}/fd/{number}").st_size
        except OSError:
            pass
    return 0


def processor_time() -> float:
    """Seconds of all processes that ended and were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(command: list, json: pathlib.Path) -> str:
    begin, used = time.time(), processor_time()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    ours = program = events = 0
    while process.poll() is None:
        ours = max(ours, peak(process.pid))
        program = max([program, *map(peak, children(process.pid))])
        events = max(events, stream(process.pid))
        time.sleep(0.01)
    if process.returncode != 0:
        return f"exit code {process.returncode}"
    return (
        f"{time.time() - begin:6.1f} s, {processor_time() - used:6.1f} s of processors, warplens {ours / 1024:6.0f} MiB, "
        f"program {program / 1024:6.0f} MiB, events {events / 1e6:7.2f} MB, JSON {json.stat().st_size / 1e6:7.2f} MB"
    )


def main() -> None:
    warplens, *names = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        nvcc = ["nvcc", "-std=c++17", "-gencode", "arch=compute_90,code=compute_90", "-lineinfo", "-cudart", "shared"]
        subprocess.run([*nvcc, "-o", f"{folder}/load", here / "load.cu"], check=True)
        if not names or "10,000 kernels" in names:
            text = subprocess.run([sys.executable, here / "kernels.py", "10000"], check=True, capture_output=True).stdout
            pathlib.Path(f"{folder}/kernels.cu").write_bytes(text)
            subprocess.run([*nvcc, "-o", f"{folder}/kernels", f"{folder}/kernels.cu"], check=True)
        json = pathlib.Path(folder) / "run.json"
        for name in names or CASES:
            program, options = CASES[name]
            command = [warplens, "run", "--json", json, "--report", f"{folder}/run.txt", *options]
            print(f"{name:36} {measure([*command, f'{folder}/{program[0]}', *program[1:]], json)}", flush=True)


if __name__ == "__main__":
    main()
