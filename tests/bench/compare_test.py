"""Tests of bench/run's driver: its arithmetic, its plot, its exit codes, and that a wrong result is noticed.

WARPLENS_BUILD_DIR and WARPLENS_SOURCE_DIR say where the programs and the repository are.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
build = pathlib.Path(os.environ["WARPLENS_BUILD_DIR"])
bench = pathlib.Path(os.environ["WARPLENS_SOURCE_DIR"]) / "bench"
sys.path.insert(0, str(bench / "driver"))

import plot  # noqa: E402
import ratios  # noqa: E402


def measured(counting: float, plain: float, theirs: float) -> dict:
    return {"counting": counting, "plain": plain, "theirs": theirs, "instructions": 1000, "sectors": 8, "disturbance": 0.0}


def row(name: str, goal: bool, pocl_one: float, pocl_all: float, program: bool = False) -> dict:
    """WarpLens takes 4 s on one core and 1 s on all, 2 s and 1 s without counting."""
    rounds = {"one_core": [measured(4, 2, 4 * pocl_one)], "all_cores": [measured(1, 1, pocl_all)]}
    return {"name": name, "goal": goal, "program": program, **ratios.row(rounds)}


rows = [row("a", True, 1, 4), row("b", True, 4, 16), row("c", False, 0.25, 0.25, program=True)]


class Ratios(unittest.TestCase):
    def test_the_goal_takes_the_seven_and_the_worse_number_of_cores(self):
        summary = ratios.summary(rows)
        self.assertAlmostEqual(summary["pocl"]["geomean"], 2)
        self.assertAlmostEqual(summary["pocl"]["worst"], 1)
        self.assertAlmostEqual(summary["pocl"]["all_cores"]["geomean"], 8)
        self.assertAlmostEqual(summary["pocl_all"]["worst"], 0.25)
        self.assertAlmostEqual(summary["pocl_all_plain"]["one_core"]["geomean"], 2)
        self.assertAlmostEqual(summary["pocl_all_plain"]["worst"], 0.25)

    def test_programs_have_a_mean_of_their_own(self):
        summary = ratios.summary(rows)
        self.assertAlmostEqual(summary["pocl_programs"]["geomean"], 0.25)
        self.assertAlmostEqual(summary["pocl_programs_plain"]["one_core"]["geomean"], 0.5)
        self.assertEqual(ratios.summary(rows[:2])["pocl_programs"], {})

    def test_the_worse_overhead_is_the_greater_one(self):
        overhead = ratios.summary(rows)["counting_overhead"]
        self.assertAlmostEqual(overhead["geomean"], 2)
        self.assertAlmostEqual(overhead["all_cores"]["worst"], 1)

    def test_scaling(self):
        self.assertAlmostEqual(ratios.summary(rows)["scaling"]["geomean"], 4)

    def test_what_was_not_measured_is_empty_rather_than_a_number(self):
        self.assertEqual(ratios.summary(rows)["oclgrind"], {})

    def test_a_ratio_is_taken_within_a_round(self):
        spread = ratios.row({cores: [measured(1, 1, 2), measured(3, 3, 9), measured(2, 2, 2)]
                             for cores in ("one_core", "all_cores")})["all_cores"]["pocl"]
        self.assertEqual(spread, {"median": 2, "min": 1, "max": 3})


class Plot(unittest.TestCase):
    def test_a_dot_per_workload_and_number_of_cores(self):
        drawn = xml.etree.ElementTree.fromstring(plot.draw({"workloads": rows}))
        dots = drawn.findall("{http://www.w3.org/2000/svg}circle")
        self.assertEqual(len(dots), 2 + 2 * len(rows))  # the legend's, and theirs


class Programs(unittest.TestCase):
    def compare(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, bench / "driver/compare.py", *arguments], capture_output=True, text=True, check=False)

    def test_setup_errors_end_with_2_and_say_what_to_do(self):
        for arguments, message in ((["--build", "/nonexistent"], "is not built; bench/run builds it"),
                                   (["--build", build, "--only", "fast"], "no such workload: fast"),
                                   (["--build", build, "--systems", "rocm"], "no such system: rocm"),
                                   (["--build", build, "--json", "/nonexistent/x"], "cannot be written")):
            ended = self.compare("--tiny", *(["--systems", "none"] if "--systems" not in arguments else []), *arguments)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(message, ended.stderr)

    def answers(self, requests: str, right: str, wrong: str) -> list[str]:
        """Of WarpLens, with its kernels changed."""
        kernels = (bench / "workloads/kernels.cu").read_text()
        self.assertIn(right, kernels)
        with tempfile.NamedTemporaryFile("w", suffix=".cu") as file:
            file.write(kernels.replace(right, wrong))
            file.flush()
            ended = subprocess.run([build / "compare_warplens", file.name, "1"], capture_output=True, text=True, check=False, input=requests)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return ended.stdout.splitlines()

    def test_a_wrong_result_is_noticed(self):
        answers = self.answers("load saxpy 1000\ncheck plain\ncheck counting\nload gather 1000\ncheck plain\n",
                               "y[i] = a * x[i] + y[i];", "y[i] = a * x[i] + (i == 700 ? 0 : y[i]);")
        self.assertTrue(answers[2].startswith("wrong element 700 is "), answers)
        self.assertTrue(answers[3].startswith("wrong element 700 is "), answers)
        self.assertEqual(answers[5], "ok")

    def test_every_launch_of_a_workload_runs_and_counts(self):
        answers = self.answers("load bfs 500\ncheck plain\nload fft 64\ncheck plain\ntime counting 0\n",
                               "level[node] = depth + 1;", "level[node] = depth < 2 ? depth + 1 : 0;")
        self.assertTrue(answers[2].startswith("wrong element "), answers)
        self.assertEqual(answers[4], "ok")
        # 64 × 64 points of 8 bytes, read and written: a row takes 16 sectors, in columns each point takes one
        self.assertEqual(answers[5].split()[4], str(2 * 64 * 16 + 2 * 64 * 64))


unittest.main()
