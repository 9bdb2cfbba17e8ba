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
    if not os.path.exists(output) and subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode != 0:
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
    run(build, [], [program])  # fills caches
    times = sorted(1e3 * run(build, [], [program])[0] for _ in range(runs))
    return {"milliseconds": statistics.median(times),
            "shown": f"{statistics.median(times):.1f} ms ({times[0]:.1f} to {times[-1]:.1f}, {runs} runs)"}


def memory(build: pathlib.Path, program: str) -> dict:
    """Saxpy with the same 32 MiB in grids of different sizes: the peak less what the program allocates."""
    beyond = {}
    for ctas in (2**8, 2**14, 2**20):
        _, peak, output = run(build, [], [program, "wrapped", str(ctas)])
        beyond[ctas] = (peak - int(output.split()[0])) / 2**20
    return {"mebibytes": beyond, "shown": ", ".join(f"{value:.0f} MiB with {ctas} CTAs" for ctas, value in beyond.items())}


def front_end(build: pathlib.Path) -> dict:
    command = ["taskset", "-c", str(all_cores()[0]), build / "ptx_bench", "--benchmark_format=json", "--benchmark_min_time=0.3"]
    listed = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["benchmarks"]
    if failed := [entry["error_message"] for entry in listed if entry.get("error_occurred")]:
        raise SetupError(failed[0])
    rates = {entry["name"]: entry["bytes_per_second"] / 1e6 for entry in listed}
    return {"megabytes_per_second": rates, "shown": ", ".join(f"{name} {rate:.0f} MB/s" for name, rate in rates.items())}


def folding(build: pathlib.Path, program: str, kernel: str) -> dict:
    seconds = {}
    for power in (8, 12, 16, 20):
        seconds[power] = min(launch_seconds(build, [program, kernel, str(2**power)]) for _ in range(3))
    growth = max(seconds.values()) / min(seconds.values())
    shown = ", ".join(f"2^{power} {1e3 * value:.2f} ms" for power, value in seconds.items())
    return {"seconds": seconds, "growth": growth, "shown": f"{growth:.2f}x: {shown}"}


def launch_seconds(build: pathlib.Path, program: list[str]) -> float:
    """Of the program's launch when it is counted by folding."""
    with tempfile.TemporaryDirectory() as folder:
        output = run(build, ["--proofs=always", "--json", f"{folder}/report.json"], program)[2]
        report = json.loads(pathlib.Path(f"{folder}/report.json").read_text())
    if any(kernel["status"] != "proved" for kernel in report["kernels"]):
        raise SetupError(f"warplens run --proofs=always {' '.join(program[1:])} was not folded")
    return float(output.split()[2])


def measure(build: pathlib.Path, compiler: str, quick: bool) -> list[dict]:
    """A figure that cannot be taken says why; the others are none the worse for it."""
    out = []
    with tempfile.TemporaryDirectory() as folder:
        def program(name: str) -> str:
            return compile_program(build, name, compiler, folder)

        grows = "grid 2^8 to 2^20 CTAs"
        for name, goal, take in (
                ("start-up of `warplens run` on a trivial executable, warm", "<= 50 ms",
                 lambda: start_up(build, program("trivial"), 5 if quick else 21)),
                ("resident memory beyond the program's allocations", "<= 150 MiB, constant in the grid",
                 lambda: memory(build, program("grid"))),
                ("PTX front end on one core", ">= 50 MB/s", lambda: front_end(build)),
                (f"folded counting of saxpy, {grows}", "within 2x", lambda: folding(build, program("grid"), "saxpy")),
                (f"folded counting of matmul, {grows}", "within 2x", lambda: folding(build, program("grid"), "matmul"))):
            try:
                taken = take()
            except SetupError as error:
                taken = {"shown": f"not measured: {error}"}
            out.append({"name": name, "goal": goal, **taken})
    return out
