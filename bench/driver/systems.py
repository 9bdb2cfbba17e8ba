"""The compared systems as processes that take turns (protocol: bench/harness/system.h)."""
import os
import pathlib
import shutil
import subprocess
import time

bench = pathlib.Path(__file__).resolve().parent.parent
kernels = bench / "workloads"


class SetupError(Exception):
    """The comparison cannot be made here: exit code 2."""


class WrongResult(Exception):
    """A system computed something else than the host: exit code 1."""


class System:
    """One system on some cores. `cores`: how many, the first ones that this process may use."""

    def __init__(self, name: str, command: list[str], cores: list[int], environment: dict[str, str]):
        self.name, self.cores = name, cores
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
                env={**os.environ, **environment}, preexec_fn=lambda: os.sched_setaffinity(0, cores))
        except OSError as error:
            raise SetupError(f"{command[0]} cannot be started: {error}") from error
        self.description = self._answer("starting")

    def _answer(self, request: str) -> str:
        line = self.process.stdout.readline()
        if line.startswith("ok"):
            return line[2:].strip()
        if line.startswith("wrong"):
            raise WrongResult(f"{self.name} on {len(self.cores)} cores, {request}: {line[5:].strip()}")
        if line:
            raise SetupError(f"{self.name} answers {request} with '{line.strip()}'")
        raise SetupError(f"{self.name} ended while {request} (exit code {self.process.wait()}); its message is above")

    def send(self, request: str) -> None:
        try:
            self.process.stdin.write(request + "\n")
        except BrokenPipeError:
            pass  # it has ended: the answer, which does not come, says so

    def ask(self, request: str) -> str:
        self.send(request)
        return self._answer(f"'{request}'")

    def answer_to(self, request: str) -> str:
        return self._answer(f"'{request}'")

    def time(self, mode: str, seconds: float) -> tuple[float, int, int]:
        """Median seconds of a launch, thread instructions, sectors."""
        median, _, instructions, sectors = self.ask(f"time {mode} {seconds}").split()
        return float(median), int(instructions), int(sectors)


def all_cores() -> list[int]:
    return sorted(os.sched_getaffinity(0))


def start_warplens(build: pathlib.Path, compiler: str, cores: list[int]) -> System:
    program = build / "compare_warplens"
    if not program.exists():
        raise SetupError(f"{program} is not built; bench/run builds it")
    return System("WarpLens", [str(program), str(kernels / "kernels.cu"), str(len(cores)), compiler], cores, {})


def missing(name: str, build: pathlib.Path) -> str:
    """Why a system cannot be compared with, or nothing."""
    program = build / "compare_opencl"
    if not program.exists():
        return "built without OpenCL (ocl-icd-opencl-dev)"
    if name == "oclgrind":
        return "" if shutil.which("oclgrind") else "oclgrind is not installed"
    listed = subprocess.run([program, "--platforms"], capture_output=True, text=True, check=False).stdout
    return "" if "Portable Computing Language" in listed else "no PoCL platform (pocl-opencl-icd)"


def start_opencl(name: str, build: pathlib.Path, cores: list[int]) -> System:
    command = [str(build / "compare_opencl"), str(kernels / "kernels.cl")]
    if name == "pocl":
        return System("PoCL", command + ["Portable Computing Language"], cores,
                      {"POCL_MAX_PTHREAD_COUNT": str(len(cores))})
    return System("Oclgrind", ["oclgrind", "--num-threads", str(len(cores)), *command, "Oclgrind"], cores, {})


class Disturbance:
    """How many cores other processes used between two moments: what makes a timing doubtful."""

    def __init__(self, systems: list[System]):
        self.own = [os.getpid()] + [system.process.pid for system in systems]
        self.before = self._now()

    def _now(self) -> tuple[float, float]:
        tick = os.sysconf("SC_CLK_TCK")
        total = [int(word) for word in pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        busy = (sum(total) - total[3] - total[4]) / tick  # but idle and waiting for disks
        for pid in self.own:
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            busy -= (int(fields[11]) + int(fields[12])) / tick
        return time.monotonic(), busy

    def cores(self) -> float:
        (then, busy_then), (now, busy_now) = self.before, self._now()
        return max(0.0, (busy_now - busy_then) / max(now - then, 1e-3))


class Patience:
    """Waits until others use less than a quarter of a core: altogether no longer than so many seconds, at once no longer
    than a twentieth of them."""

    def __init__(self, seconds: float):
        self.left, self.at_once = seconds, seconds / 20

    def wait(self, systems: list[System]) -> None:
        waited = 0.0
        while waited < min(self.at_once, self.left):
            watch = Disturbance(systems)
            time.sleep(0.3)
            waited += 0.3
            if watch.cores() < 0.25:
                break
        self.left -= waited
