"""From times to ratios, and how they are printed.

A spread is {"median", "min", "max"} over rounds. Ratios of speed are "theirs over ours": above 1 WarpLens is faster.
A goal is judged by the worse of one core and all cores.
"""
import math
import statistics

labels = {  # of the summary, in the order of the printout; those with a goal say it
    "pocl": "PoCL, the seven: goal geometric mean >= 1.0, none below 0.5",
    "pocl_all": "PoCL, all workloads: goal geometric mean >= 0.75, against 3.1",
    "pocl_all_plain": "PoCL, all workloads, counting off",
    "pocl_programs": "PoCL, the kernels of whole programs",
    "pocl_programs_plain": "PoCL, the kernels of whole programs, counting off",
    "oclgrind": "Oclgrind: goal geometric mean >= 500",
    "oclgrind_seven": "Oclgrind, the seven",
    "oclgrind_rate": "Oclgrind by thread instructions per second, WarpLens at its full size",
    "counting_overhead": "counting on over off: goal geometric mean <= 1.25, none above 1.5",
    "counting_overhead_seven": "counting on over off, the seven",
    "scaling": "all cores over one: goal >= 3.5 on 4 cores where memory bandwidth allows",
    "pocl_scaling": "PoCL's own scaling",
}


def spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def milliseconds(rounds: list[dict], key: str) -> dict[str, float]:
    return spread([1e3 * row[key] for row in rounds])


def row(measured: dict[str, list[dict]]) -> dict:
    """Of one workload: times and ratios per number of cores, and how the time scales from one to all."""
    out = {}
    for cores, rounds in measured.items():
        part = out[cores] = {
            "counting_ms": milliseconds(rounds, "counting"),
            "plain_ms": milliseconds(rounds, "plain"),
            "counting_overhead": spread([r["counting"] / r["plain"] for r in rounds]),
            "thread_instructions_per_second": rounds[0]["instructions"] / statistics.median(r["counting"] for r in rounds),
            "disturbance_cores": spread([r["disturbance"] for r in rounds]),
        }
        if "theirs" in rounds[0]:
            part["pocl_ms"] = milliseconds(rounds, "theirs")
            part["pocl"] = spread([r["theirs"] / r["counting"] for r in rounds])
            part["pocl_plain"] = spread([r["theirs"] / r["plain"] for r in rounds])
    one, every = measured["one_core"], measured["all_cores"]
    out["thread_instructions"], out["sectors"] = one[0]["instructions"], one[0]["sectors"]
    out["scaling"] = spread([a["counting"] / b["counting"] for a, b in zip(one, every)])
    if "theirs" in one[0]:
        out["pocl_scaling"] = spread([a["theirs"] / b["theirs"] for a, b in zip(one, every)])
    return out


def slow_row(slow: dict[str, list[dict]], measured: dict[str, list[dict]]) -> dict:
    """Against Oclgrind: both at the same reduced size; and by rate, WarpLens at its full size. Thread instructions are
    WarpLens's count (of PTX) for both."""
    out = {}
    for cores, rounds in slow.items():
        theirs = statistics.median(r["instructions"] / r["theirs"] for r in rounds)
        full = measured[cores]
        ours = full[0]["instructions"] / statistics.median(r["counting"] for r in full)
        out[cores] = {
            "counting_ms": milliseconds(rounds, "counting"),
            "oclgrind_ms": milliseconds(rounds, "theirs"),
            "ratio": spread([r["theirs"] / r["counting"] for r in rounds]),
            "thread_instructions_per_second": theirs,
            "rate_ratio": ours / theirs,
            "disturbance_cores": spread([r["disturbance"] for r in rounds]),
        }
    return out


def mean(values: list[float], worst) -> dict[str, float]:
    return {"geomean": math.exp(statistics.fmean(map(math.log, values))), "worst": worst(values)} if values else {}


def combine(per_cores: dict[str, dict], worst) -> dict:
    """The worse of one core and all cores, and both."""
    filled = {cores: part for cores, part in per_cores.items() if part}
    if not filled:
        return {}
    return {key: worst(part[key] for part in filled.values()) for key in ("geomean", "worst")} | filled


def summary(rows: list[dict]) -> dict:
    both = ("one_core", "all_cores")

    def over(value, worst, chosen=rows):
        return combine({cores: mean([v for r in chosen if (v := value(r, cores)) is not None], worst) for cores in both}, worst)

    def pocl(r, cores, key="pocl"):
        return r[cores][key]["median"] if key in r[cores] else None

    def pocl_plain(r, cores):
        return pocl(r, cores, "pocl_plain")

    def oclgrind(key):
        def value(r, cores):
            part = r.get("oclgrind", {}).get(cores)
            return None if part is None else part["ratio"]["median"] if key == "ratio" else part[key]
        return value

    def overhead(r, cores):
        return r[cores]["counting_overhead"]["median"]

    seven, programs = [r for r in rows if r["goal"]], [r for r in rows if r["program"]]
    return {
        "pocl": over(pocl, min, seven),
        "pocl_all": over(pocl, min),
        "pocl_all_plain": over(pocl_plain, min),
        "pocl_programs": over(pocl, min, programs),
        "pocl_programs_plain": over(pocl_plain, min, programs),
        "oclgrind": over(oclgrind("ratio"), min),
        "oclgrind_seven": over(oclgrind("ratio"), min, seven),
        "oclgrind_rate": over(oclgrind("rate_ratio"), min),
        "counting_overhead": over(overhead, max),
        "counting_overhead_seven": over(overhead, max, seven),
        "scaling": mean([r["scaling"]["median"] for r in rows], min),
        "pocl_scaling": mean([r["pocl_scaling"]["median"] for r in rows if "pocl_scaling" in r], min),
    }


def print_header(result: dict) -> None:
    machine = result["machine"]
    print(f"{machine['cpu']}, {machine['cores']} cores, {machine['date']}, load {machine['load_before'][0]:.1f}")
    for name, description in result["systems"].items():
        print(f"  {name}: {description}")
    print("\nms of one launch, counting on; ratios: median (least to greatest of the rounds); -: not measured")
    print(f"{'workload':13}{'cores':>6}{'WarpLens':>10}{'PoCL':>10}{'PoCL/WarpLens':>22}{'counting':>10}{'scaling':>9}"
          f"{'Oclgrind/WarpLens':>20}{'others':>8}", flush=True)


def print_row(r: dict) -> None:
    for name, shown in (("one_core", "1"), ("all_cores", "all")):
        part, slow = r[name], r.get("oclgrind", {}).get(name)
        pocl = f"{part['pocl']['median']:.2f} ({part['pocl']['min']:.2f} to {part['pocl']['max']:.2f})" if "pocl" in part else "-"
        print(f"{r['name'] if shown == '1' else '':13}{shown:>6}{part['counting_ms']['median']:10.3f}"
              f"{part['pocl_ms']['median'] if 'pocl' in part else math.nan:10.3f}{pocl:>22}"
              f"{part['counting_overhead']['median']:10.2f}{format(r['scaling']['median'], '9.2f') if shown == 'all' else '':>9}"
              f"{format(slow['ratio']['median'], '.0f') if slow else '-':>20}{part['disturbance_cores']['median']:8.2f}", flush=True)


def print_summary(result: dict) -> None:
    print()
    for key, label in labels.items():
        part = result["ratios"][key]
        shown = [f"{part['geomean']:.2f}, worst {part['worst']:.2f}" if part else "not measured"]
        shown += [f"{name}: {part[cores]['geomean']:.2f}, worst {part[cores]['worst']:.2f}"
                  for cores, name in (("one_core", "1 core"), ("all_cores", "all cores")) if cores in part]
        print(f"{label}\n    {';  '.join(shown)}")
    for figure in result.get("figures", []):
        print(f"{figure['name']}: goal {figure['goal']}\n    {figure['shown']}")
