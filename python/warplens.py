"""WarpLens from Python: run a CUDA program without a GPU, and have what its memory accesses cost as rows.

    import warplens

    report = warplens.run(["./app", "4096"], budget="60s")
    report                                        # in a notebook: what is wrong, and what each kernel moves
    pandas.DataFrame(report.lines)                # one row for each access; also .kernels, .findings
    warplens.sweep(["./app", "{n}"], n=[1000, 1024])
    warplens.sweep("A[threadIdx.x*{s}]", s=range(1, 33)).svg("s", "sectors")

One file without dependencies, for Python 3.8 and later. It runs the command `warplens`: the one that the variable WARPLENS names, one
beside this file, or one in PATH. Rows are dicts of strings and numbers; docs/look-up/json.md says what the numbers mean. What the
command refuses is raised as warplens.Error, with its words.
"""
from __future__ import annotations

import html
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

__all__ = ["Check", "Comparison", "Error", "Explanation", "Report", "Sweep", "check", "command", "compare", "explain", "load", "run",
           "sweep"]

Row = Dict[str, Any]
Words = Sequence[Union[str, "os.PathLike[str]"]]


class Error(Exception):
    """What the command said instead of an answer."""


def command() -> str:
    """The path of the command that this module runs."""
    here = pathlib.Path(__file__).resolve().parent
    beside = [here / "bin" / "warplens", here.parent / "bin" / "warplens", here.parent.parent.parent / "bin" / "warplens"]
    named = os.environ.get("WARPLENS")
    found = named or next((str(path) for path in beside if os.access(path, os.X_OK) and path.is_file()), None) or shutil.which("warplens")
    if not found:
        raise Error("warplens is not in PATH: install it, or set the variable WARPLENS to its path")
    return found


def _options(options: Mapping[str, Any]) -> List[str]:
    """`top_lines=3, no_config=True, set={"n": 1}` as --top-lines 3 --no-config --set n=1."""
    words: List[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, Mapping):
            for key, one in value.items():
                words += [flag, f"{key}={one}"]
        elif isinstance(value, (list, tuple, range)):
            words += [flag, ",".join(map(str, value))]
        else:
            words += [flag, str(value)]
    return words


def _call(words: Words, **how: Any) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run([command(), *map(os.fspath, words)], text=True, errors="replace", stdin=subprocess.DEVNULL,
                              capture_output=True, **how)
    except subprocess.TimeoutExpired as error:
        raise Error(f"warplens took longer than {error.timeout} seconds") from None


def _answer(words: Words, what: str, **how: Any) -> Any:
    """The JSON that a command prints."""
    done = _call(words, **how)
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise Error(done.stderr.strip() or f"warplens {what} printed no JSON") from None


def _bytes(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if abs(count) < 1000 or unit == "TB":
            return f"{count:.3g} {unit}" if count < 1000 else f"{count:.0f} {unit}"
        count /= 1000
    return ""


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _table(rows: Iterable[Row], columns: Sequence[str]) -> str:
    def align(value: Any) -> str:
        return "right" if isinstance(value, (int, float)) else "left"

    head = "".join(f"<th style='text-align:left'>{html.escape(c.replace('_', ' '))}</th>" for c in columns)
    body = "".join("<tr>" + "".join(f"<td style='text-align:{align(r.get(c))};white-space:pre-wrap'>{html.escape(_cell(r.get(c)))}</td>"
                                    for c in columns) + "</tr>" for r in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Report:
    """What a program did: `data` is the document of `warplens run --json`, `text` what the command printed about it."""

    def __init__(self, data: Dict[str, Any], text: str = "", output: str = "", passed: Optional[bool] = None,
                 failed: Sequence[Row] = ()) -> None:
        self.data, self.text, self.output = data, text, output
        self.failed = list(failed)
        """Findings that `fail_on` or `baseline` fail for, one row each; `fails` says why."""
        failed_launch = any(k["status"] == "failed" for k in data["kernels"])
        self.passed = (self.exit_code == 0 if passed is None else passed) and not failed_launch
        """The command ended with 0: the program did, and what was asked of its findings holds; and no launch failed. In a test:
        assert report.passed."""

    def __repr__(self) -> str:
        return f"<warplens.Report of {' '.join(self.data['program']['command'])}: {len(self.data['kernels'])} kernels>"

    @property
    def exit_code(self) -> int:
        """The program's own; `passed` says what fail_on made of it."""
        return self.data["program"]["exit_code"]

    @property
    def complete(self) -> bool:
        """Every launch was counted as a whole: none by a sample, none in part."""
        return self.data["complete"]

    @property
    def messages(self) -> List[str]:
        """What was said of launches and of the run, each once."""
        of_launches = [message for launch in self.data["launches"] for message in launch["diagnostics"]]
        return list(dict.fromkeys(message["message"] for message in of_launches + self.data["messages"]))

    @property
    def kernels(self) -> List[Row]:
        """One row for each kernel and block shape, the most wasteful first. `waste`: the share of what is moved for nothing."""
        return [{"kernel": k["short"], "status": k["status"], "launches": k["launches"], "block": "x".join(map(str, k["block"])),
                 "moved_bytes": k["moved_bytes"], "excess_bytes": k["excess_bytes"], "waste": _share(k["excess_bytes"], k["moved_bytes"]),
                 "limited_by": (k["limit"] or {}).get("limited_by"), "name": k["name"]} for k in self.data["kernels"]]

    @property
    def lines(self) -> List[Row]:
        """One row for each access of each kernel. `actual` of `unit` where `ideal` would do, per request."""
        rows = []
        for k in self.data["kernels"]:
            for a in k["accesses"]:
                array, advice = (a["array"] or {}).get("name"), a["advice"][0] if a["advice"] else {}
                shared, each = a["space"] == "shared", a["instructions"] if a["space"] in ("shared", "constant") else a["requests"]
                unit = "wavefronts" if shared else "requests" if a["space"] == "constant" else "sectors"
                ideal = a["instructions"] if a["space"] == "constant" else a[f"ideal_{unit}"]
                rows.append({"kernel": k["short"], "file": a["file"], "line": a["line"], "op": a["op"], "space": a["space"],
                             "bytes": a["bytes"], "array": array, "pattern": a["pattern"]["text"] if a["pattern"] else None,
                             "requests": each, "actual": _share(a[unit], each), "ideal": _share(ideal, each), "unit": unit,
                             "efficiency": a["efficiency"], "excess_bytes": a["excess_bytes"], "share": a["share"],
                             "spread": a.get("spread", 0.0), "status": k["status"], "change": advice.get("change") or None,
                             "source": a["source"]})
        return rows

    @property
    def findings(self) -> List[Row]:
        """One row for each cause, the most costly first, with the change that helps."""
        rows = []
        for f in self.data["findings"]:
            accesses = [self.data["kernels"][a["kernel"]]["accesses"][a["access"]] for a in f["accesses"]]
            advice = accesses[0]["advice"][0] if accesses[0]["advice"] else {}
            predicted = f["predicted"] or {}
            rows.append({"rule": f["rule"], "share": f["share"],
                         "kernels": sorted({self.data["kernels"][a["kernel"]]["short"] for a in f["accesses"]}),
                         "places": sorted({f"{os.path.basename(a['file'] or '?')}:{a['line']}" for a in accesses}), "arrays": f["arrays"],
                         "cause": advice.get("cause"), "change": advice.get("change"), "example": advice.get("example"),
                         "metric": predicted.get("metric"), "before": predicted.get("before"), "after": predicted.get("after"),
                         "excess_bytes": f["excess_bytes"]})
        return rows

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """As JSON, for load() and `warplens report`."""
        pathlib.Path(path).write_text(json.dumps(self.data))

    def html(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """The page for a browser."""
        with tempfile.TemporaryDirectory() as folder:
            self.save(pathlib.Path(folder) / "run.json")
            done = _call(["report", pathlib.Path(folder) / "run.json", "--html", path])
            if done.returncode != 0:
                raise Error(done.stderr.strip())

    def _repr_html_(self) -> str:
        totals = self.data["totals"]
        moved, excess = totals["moved_bytes"], totals["excess_bytes"]
        about = "" if self.complete else "~"
        out = (f"<p><b>{html.escape(' '.join(self.data['program']['command']))}</b>: {about}{_bytes(excess)} of {about}{_bytes(moved)} "
               f"moved for nothing ({100 * _share(excess, moved):.0f} %)</p>")
        for number, f in enumerate(self.findings[:5], 1):
            out += (f"<p><b>{number}. {100 * f['share']:.0f} % of the cycles lost</b>, {html.escape(', '.join(f['places'][:4]))}"
                    f"<br>Why: {html.escape(f['cause'] or '')}<br>Change: {html.escape(f['change'] or 'none that WarpLens knows')}</p>")
        rows = [{**k, "moved": about + _bytes(k["moved_bytes"]), "for_nothing": f"{100 * k['waste']:.0f} %"} for k in self.kernels]
        return out + _table(rows, ["kernel", "status", "launches", "moved", "for_nothing", "limited_by"])


def load(path: Union[str, "os.PathLike[str]"]) -> Report:
    """A report that `warplens run --json` or Report.save() wrote."""
    try:
        data = json.loads(pathlib.Path(path).read_text())
    except ValueError as error:
        raise Error(f"{path} is not JSON: {error}") from None
    if not isinstance(data, dict) or data.get("schema") != 1 or "kernels" not in data:
        raise Error(f"{path} is not a report of `warplens run --json`")
    return Report(data)


def run(program: Union[str, Words], *, cwd: Optional[str] = None, env: Optional[Mapping[str, str]] = None, **options: Any) -> Report:
    """Runs a program, a .cu file or a PTX file: run(["./app", "4096"], sm="90", budget="60s").

    Options are those of `warplens run`, with _ for -. `cwd` and `env` are the program's. Its exit code is in the report: a program that
    fails is no error here, nor are findings that fail_on names. `passed` and `failed` of the report say so.
    """
    words = [program] if isinstance(program, str) else list(program)
    with tempfile.TemporaryDirectory() as folder:
        path, found = pathlib.Path(folder) / "run.json", pathlib.Path(folder) / "findings.json"
        gated = "findings" not in options and any(options.get(name) for name in ("fail_on", "baseline"))
        done = _call(["run", "--json", path, "--no-progress", *(["--findings", found] if gated else []), *_options(options), *words],
                     cwd=cwd, env=env)
        if not path.exists():
            raise Error(done.stderr.strip())
        findings = json.loads(found.read_text())["findings"] if found.exists() else []
        return Report(json.loads(path.read_text()), done.stderr, done.stdout, done.returncode == 0,
                      [{name: f[name] for name in ("rule", "file", "line", "kernel", "array", "message", "fails")}
                       for f in findings if f["fails"]])


class Check(List[Row]):
    """Findings of `warplens check`, one row each; `data` is the whole document, `not_judged` what could not be judged, and why."""

    data: Dict[str, Any]

    @property
    def not_judged(self) -> List[Row]:
        return self.data["not_judged"]

    def _repr_html_(self) -> str:
        return _table(self, ["file", "line", "severity", "message", "change"])


def check(files: Union[str, Words], **options: Any) -> Check:
    """Judges sources without running them: check("kernels.cu", sm="90"). Options are those of `warplens check`.

    Where nothing could be judged, as in a file that does not compile, that is an Error.
    """
    words = [files] if isinstance(files, (str, os.PathLike)) else list(files)
    data = _answer(["check", "--json", *_options(options), *words], "check")
    if data["not_judged"] and not data["accesses"] and not data["findings"]:
        raise Error("\n".join("\n".join([m["message"], *m["notes"]]) for m in data["not_judged"]))
    out = Check({"rule": f["rule"], "severity": f["severity"], "certainty": f["certainty"], "file": f["file"], "line": f["line"],
                 "kernel": f["kernel"], "array": f["array"], "message": f["message"], "source": f["source"],
                 "change": (f["fix"] or {}).get("text")} for f in data["findings"])
    out.data = data
    return out


class Explanation:
    """One access: `data` is the document of `warplens explain --json`, `architectures` a row for each compute capability."""

    def __init__(self, words: List[str], data: Dict[str, Any]) -> None:
        self._words, self.data = words, data

    @property
    def architectures(self) -> List[Row]:
        return self.data["architectures"]

    @property
    def total(self) -> Row:
        """What the whole block costs on the compute capability that was asked for."""
        return self.data["block_total"]

    @property
    def svg(self) -> str:
        """The drawing of the lanes, and of what they touch."""
        return _call([*self._words, "--svg", "-"]).stdout

    @property
    def text(self) -> str:
        return _call(self._words).stdout

    def _repr_html_(self) -> str:
        return self.svg


def explain(access: str, **options: Any) -> Explanation:
    """Draws and counts one access: explain("A[threadIdx.x*n]", set={"n": 1024}, block="256", type="float"). Options are those of
    `warplens explain`."""
    words = ["explain", *_options(options), access]
    return Explanation(words, _answer([*words, "--json"], "explain"))


class Comparison:
    """Predicted and measured counts: `data` is the document of `warplens compare --json`."""

    def __init__(self, data: Dict[str, Any], text: str) -> None:
        self.data, self.text = data, text

    def __repr__(self) -> str:
        return self.text


def compare(*sides: Union[str, "os.PathLike[str]"], **options: Any) -> Comparison:
    """compare("report.ncu-rep", "./app"): options are those of `warplens compare`."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "comparison.json"
        done = _call(["compare", "--json", path, *_options(options), *sides])
        if not path.exists():
            raise Error(done.stderr.strip())
        return Comparison(json.loads(path.read_text()), done.stdout)


class Sweep(List[Row]):
    """A row for each combination of parameters, with what was counted; `names` are the parameters'."""

    names: List[str]

    def _repr_html_(self) -> str:
        return _table(self, list(self[0]) if self else self.names)

    def svg(self, x: str, y: str, width: int = 640, height: int = 320) -> str:
        """A picture: `y` against `x`, a line for each combination of the other parameters."""
        left, top, right, bottom = 64, 16, width - 150, height - 44
        others = [name for name in self.names if name != x]
        lines: Dict[str, List[Any]] = {}
        for row in self:
            lines.setdefault(", ".join(f"{name} {row[name]}" for name in others), []).append((row[x], row[y] or 0))
        places = sorted({row[x] for row in self})
        numeric = all(isinstance(place, (int, float)) for place in places) and len(places) > 1
        most = max((row[y] or 0 for row in self), default=0) or 1

        def at(place: Any) -> float:
            part = (place - places[0]) / (places[-1] - places[0]) if numeric else places.index(place) / max(1, len(places) - 1)
            return left + part * (right - left)

        def up(value: float) -> float:
            return bottom - value / most * (bottom - top)

        out = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}' font-family='sans-serif' "
               f"font-size='12'><path d='M{left},{top}V{bottom}H{right}' fill='none' stroke='gray'/>"]
        for value in (0, most / 2, most):
            out.append(f"<text x='{left - 6}' y='{up(value) + 4:.1f}' text-anchor='end' fill='gray'>{_cell(float(value))}</text>")
        for place in places if len(places) <= 10 else (places[0], places[len(places) // 2], places[-1]):
            out.append(f"<text x='{at(place):.1f}' y='{bottom + 16}' text-anchor='middle' fill='gray'>{html.escape(str(place))}</text>")
        out.append(f"<text x='{(left + right) / 2}' y='{height - 8}' text-anchor='middle' fill='gray'>{html.escape(x)}</text>"
                   f"<text x='{left}' y='{top - 4}' fill='gray'>{html.escape(y)}</text>")
        colours = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")
        for number, (name, points) in enumerate(lines.items()):
            colour = colours[number % len(colours)]
            path = " ".join(f"{at(px):.1f},{up(py):.1f}" for px, py in sorted(points, key=lambda p: places.index(p[0])))
            out.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>"
                       f"<text x='{right + 10}' y='{top + 14 + 16 * number}' fill='{colour}'>{html.escape(name)}</text>")
        return "".join(out) + "</svg>"


def sweep(what: Union[str, Words], **options: Any) -> Sweep:
    """Runs a program, or explains an access, for all combinations: options that are lists, tuples or ranges are swept.

    sweep(["./app", "{n}"], n=[1000, 1024], sm=[70, 90])      a list of words is a program
    sweep("A[threadIdx.x*{s}]", s=range(1, 33))               one text is an access
    Names in braces are put in; all others are options of run() or explain().
    """
    swept = {name: list(value) for name, value in options.items() if isinstance(value, (list, tuple, range))}
    fixed = {name: value for name, value in options.items() if name not in swept}
    words = [what] if isinstance(what, str) else [os.fspath(word) for word in what]
    out = Sweep()
    out.names = list(swept)
    for values in itertools.product(*swept.values()):
        chosen = dict(zip(swept, values))
        put_in = {name for name in chosen if any("{" + name + "}" in word for word in words)}
        filled = words
        for name in put_in:
            filled = [word.replace("{" + name + "}", str(chosen[name])) for word in filled]
        rest = {**fixed, **{name: value for name, value in chosen.items() if name not in put_in}}
        if isinstance(what, str):
            found = explain(filled[0], **rest)
            out.append({**chosen, **found.total})
        else:
            report = run(filled, **rest)
            totals, worst = report.data["totals"], report.findings[:1]
            out.append({**chosen, "moved_bytes": totals["moved_bytes"], "excess_bytes": totals["excess_bytes"],
                        "waste": _share(totals["excess_bytes"], totals["moved_bytes"]), "complete": report.complete,
                        "exit_code": report.exit_code, "passed": report.passed,
                        "worst": worst[0]["places"][0] if worst else None})
    return out
