"""The goals that are not ratios between systems: start-up, memory, the PTX front end, folded counting."""
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import tempfile
import time

from systems import SetupError, all_cores, bench


def machine() -> dict:
    cpu = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=bench, capture_output=True, text=True, check=False)
    return {"cpu": cpu, "cores": len(all_cores()), "kernel": platform.release(), "load_before": os.getloadavg(),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="minutes"), "commit": commit.stdout.strip()}


def compile_program(build: pathlib.Path, name: str, compiler: str, folder: str) -> str:
    output = f"{folder}/{name}"
    command = [build / "compare_warplens", "--compile", bench / "programs" / f"{name}.cu", output, compiler]
    if subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise SetupError(f"bench/programs/{name}.cu could not be compiled")
    return output


def run(build: pathlib.Path, options: list[str], program: list[str]) -> tuple[float, int, str]:
    """Seconds, peak resident bytes of the largest process, the program's standard output."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.monotonic()
        process = subprocess.Popen([build / "warplens", "run", *options, *program], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)  # the usage of its children, the program, too
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0), err.seek(0)
        if process.returncode != 0:
            raise SetupError(f"warplens run {' '.join(program)} ended with {process.returncode}:\n{err.read()}")
        return seconds, usage.ru_maxrss * 1024, out.read()


def start_up(build: pathlib.Path, program: str, runs: int) -> dict:
    times = sorted(1e3 * run(build, [], [program])[0] for _ in range(runs + 1))[:runs]  # the first one fills caches
    return {"name": "start-up of `warplens run` on a trivial executable, warm", "goal": "<= 50 ms",
            "milliseconds": statistics.median(times),
            "shown": f"{statistics.median(times):.1f} ms ({times[0]:.1f} to {times[-1]:.1f}, {runs} runs)"}


def memory(build: pathlib.Path, program: str) -> dict:
    """Saxpy with the same 32 MiB in grids of different sizes: the peak less what the program allocates."""
    beyond = {}
    for ctas in (2**8, 2**14, 2**20):
        _, peak, output = run(build, [], [program, "wrapped", str(ctas)])
        beyond[ctas] = (peak - int(output.split()[0])) / 2**20
    return {"name": "resident memory beyond the program's allocations", "goal": "<= 150 MiB, constant in the grid",
            "mebibytes": beyond,
            "shown": ", ".join(f"{value:.0f} MiB with {ctas} CTAs" for ctas, value in beyond.items())}


def front_end(build: pathlib.Path) -> dict:
    command = ["taskset", "-c", str(all_cores()[0]), build / "ptx_bench", "--benchmark_format=json", "--benchmark_min_time=0.3"]
    listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["benchmarks"]
    rates = {entry["name"]: entry["bytes_per_second"] / 1e6 for entry in listed if "bytes_per_second" in entry}
    return {"name": "PTX front end on one core", "goal": ">= 50 MB/s", "megabytes_per_second": rates,
            "shown": ", ".join(f"{name} {rate:.0f} MB/s" for name, rate in rates.items())}


def folding(build: pathlib.Path, program: str) -> list[dict]:
    """Time of counting a launch as its grid grows, by `warplens run --count-only`."""
    help_text = subprocess.run([build / "warplens", "run", "--help"], capture_output=True, text=True, check=False).stdout
    out = []
    for kernel in ("saxpy", "matmul"):
        figure = {"name": f"folded counting of {kernel}, grid 2^8 to 2^20 CTAs", "goal": "time within 2x"}
        if "--count-only" not in help_text:
            out.append({**figure, "shown": "not measured: `warplens run` has no --count-only"})
            continue
        seconds = {}
        for power in (8, 12, 16, 20):
            seconds[power] = min(launch_seconds(build, [program, kernel, str(2**power)]) for _ in range(3))
        growth = max(seconds.values()) / min(seconds.values())
        out.append({**figure, "seconds": seconds, "growth": growth,
                    "shown": f"{growth:.2f}x: " + ", ".join(f"2^{power} {1e3 * s:.2f} ms" for power, s in seconds.items())})
    return out


def launch_seconds(build: pathlib.Path, program: list[str]) -> float:
    return float(run(build, ["--count-only"], program)[2].split()[2])


def measure(build: pathlib.Path, compiler: str, quick: bool) -> list[dict]:
    with tempfile.TemporaryDirectory() as folder:
        trivial = compile_program(build, "trivial", compiler, folder)
        grid = compile_program(build, "grid", compiler, folder)
        return [start_up(build, trivial, 5 if quick else 21), memory(build, grid), front_end(build), *folding(build, grid)]
