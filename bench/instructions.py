#!/usr/bin/env python3
"""Instructions that WarpLens executes, counted by valgrind: a guard against slower code that no clock of a busy machine shows.

    bench/instructions.py BUILD           # prints each figure beside the one that is kept
    bench/instructions.py BUILD --check   # fails where one grew by more than 5 %
    bench/instructions.py BUILD --keep    # keeps what is counted; say why in the commit
    bench/instructions.py BUILD fft bfs   # these rows alone, by the first word of their names; --check and --keep as above

Each workload of bench/run at a small size, one thread, AVX2: once executed and once executed and counted; both with what it takes to
parse and lower the kernels. `count KIND` is the counting of 25,600 warps of one kind of access, by count_bench. `parse` is the front end alone, of a file of 2.8 MB. workloads/kernels.ptx is what nvcc 13.0 -O3 makes of
kernels.cu. Figures are of Debian 12's gcc and valgrind. Exit code 77: not here (no valgrind, no AVX2).
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
KEPT, GROWTH = HERE / "instructions.json", 1.05
SIZES = {"saxpy": 400000, "strided": 131072, "gather": 200000, "matmul": 96, "transpose": 512, "matmul_tiled": 96, "reduce": 200000,
         "histogram": 131072, "queens": 9, "stencil": 512, "spmv": 8192}
PROGRAMS = {"nbody": 512, "fft": 256, "pathfinder": 16384, "bfs": 8192, "sort": 8192, "attention": 128}
KINDS = [f"{kind}/{shape}" for kind in ("global_4", "global_16", "global_4_masked", "atomic_4", "async_copy_16", "shared_4", "shared_8",
                                        "shared_16", "shared_atomic_4", "constant_4", "local_4", "local_16")
         for shape in (("contiguous", "random_far") if kind == "global_4_masked" else ("contiguous", "random_near"))]
FILES = 128 # copies of kernels.ptx in the file that is parsed


def counted(command, requests="", **environment):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *map(str, command)], input=requests,
                          text=True, capture_output=True, env={"WARPLENS_TARGET": "avx2", "PATH": "/usr/bin:/bin", **environment})
    if requests and done.stdout.count("ok") != 1 + requests.count("\n"):
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return int(re.search(r"Collected : (\d+)", done.stderr).group(1))


def split(folder):
    """workloads/kernels.ptx as two files, for a workload takes what its file takes to parse; and many copies of the first in one."""
    text = (HERE / "workloads/kernels.ptx").read_text()
    begin, programs = text.index(".address_size 64") + 16, text.index("\t// .globl\tnbody")
    body = text[begin:programs]
    renamed = (re.sub(r"(\.entry \w+)\(", rf"\1_{i}(", body) for i in range(FILES))
    for name, part in (("kernels", body), ("programs", text[programs:]), ("large", "".join(renamed))):
        (folder / f"{name}.ptx").write_text(text[:begin] + part)


def rows(build, folder):
    """Name, command and what else counted() wants."""
    for file, sizes in (("kernels", SIZES), ("programs", PROGRAMS)):
        for name, size in sizes.items():
            for mode in ("plain", "counting"):
                yield (f"{name} {mode}", [build / "compare_warplens", folder / f"{file}.ptx", 1],
                       {"requests": f"load {name} {size}\ncheck {mode}\n"})
    for kind in KINDS:
        yield f"count {kind}", [build / "count_bench", f"--benchmark_filter=^avx2/{kind}(/iterations:.*)?$"], {"COUNT_BENCH_ROUNDS": "100"}
    yield "parse", [build / "warplens", "run", "--no-cache", folder / "large.ptx"], {}  # names what is missing, and ends
    yield "start", [build / "warplens", "run", "--help"], {}


def measure(build, wanted):
    with tempfile.TemporaryDirectory() as folder:
        split(pathlib.Path(folder))
        return {name: counted(command, **more) for name, command, more in rows(build, pathlib.Path(folder))
                if not wanted or name.split()[0] in wanted}


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("valgrind") or " avx2 " not in pathlib.Path("/proc/cpuinfo").read_text():
        print("valgrind or AVX2 is missing: not counted")
        return 77
    wanted = [word for word in sys.argv[2:] if not word.startswith("--")]
    now, kept = measure(build, wanted), json.loads(KEPT.read_text()) if KEPT.exists() else {}
    worse = []
    for name, instructions in now.items():
        before = kept.get(name, 0)
        print(f"{name:24} {instructions:13,} {f'{instructions / before:6.3f} of what is kept' if before else 'new'}")
        if instructions > GROWTH * before:
            worse.append(name)
    if "--keep" in sys.argv[2:]:
        KEPT.write_text(json.dumps({**kept, **now} if wanted else now, indent=1) + "\n")
    elif "--check" in sys.argv[2:] and worse:
        print(f"more than 5 % more instructions: {', '.join(worse)}. If that is meant, run bench/instructions.py BUILD --keep")
        return 1
    return 0


sys.exit(main())
