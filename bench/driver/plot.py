"""The plot of a comparison as SVG: per workload how many times faster than PoCL and than Oclgrind WarpLens is while it
counts, on one core and on all, with the spread over the rounds; the goals as lines. The axes are logarithmic."""
import html
import math

width, row_height, left, right, heading, axis = 760, 30, 120, 40, 40, 46
colours = {"one_core": "#8a5a00", "all_cores": "#1f5fa8"}
names = {"one_core": "1 core", "all_cores": "all cores"}


def draw(result: dict) -> str:
    """One panel per system, below each other; a system that was skipped has none."""
    rows = result["workloads"]
    panels = [("PoCL", {"goal of each": 0.5, "goal of the mean": 1.0}, {row["name"]: spreads(row, "pocl") for row in rows}),
              ("Oclgrind", {"goal of the mean": 500.0}, {row["name"]: spreads(row.get("oclgrind", {}), "ratio") for row in rows})]
    body, y = [], 36.0
    for system, goals, points in panels:
        if any(points.values()):
            body += panel(y, f"Time of {system} / time of WarpLens with counting on", goals, points)
            y += heading + row_height * len(points) + axis
    legend = [mark for index, cores in enumerate(names)
              for mark in (dot(left + 6 + 110 * index, 20, colours[cores]), text(left + 16 + 110 * index, 24, names[cores]))]
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y:.0f}" font-family="sans-serif">',
                      f'<rect width="{width}" height="{y:.0f}" fill="white"/>', *legend, *body, "</svg>", ""])


def spreads(row: dict, key: str) -> dict[str, dict]:
    return {cores: row[cores][key] for cores in names if key in row.get(cores, {})}


def panel(y: float, title: str, goals: dict[str, float], points: dict[str, dict]) -> list[str]:
    values = [part[key] for spread in points.values() for part in spread.values() for key in ("min", "max")] + list(goals.values())
    low, high = math.log2(min(values)) - 0.3, math.log2(max(values)) + 0.3
    first, last = y + heading, y + heading + row_height * len(points)

    def x(ratio: float) -> float:
        return left + (math.log2(ratio) - low) / (high - low) * (width - left - right)

    out = [text(left, y + 22, title, size=15)]
    for power in range(math.ceil(low), math.floor(high) + 1):
        out += [line(x(2.0**power), first, x(2.0**power), last, "#dddddd"),
                text(x(2.0**power), last + 16, str(2**power) if power >= 0 else f"1/{2**-power}", anchor="middle")]
    for index, (label, ratio) in enumerate(goals.items()):
        after = index == len(goals) - 1  # the labels of two neighbours go to different sides
        out += [line(x(ratio), first, x(ratio), last, "#555555", dash=True),
                text(x(ratio) + (4 if after else -4), last + 32, label, anchor="start" if after else "end", size=11)]
    for index, (name, spread) in enumerate(points.items()):
        middle = first + row_height * (index + 0.5)
        out.append(text(left - 10, middle + 4, name, anchor="end"))
        for cores, part in spread.items():
            at = middle + (-5 if cores == "one_core" else 5)
            out += [line(x(part["min"]), at, x(part["max"]), at, colours[cores], thick=2), dot(x(part["median"]), at, colours[cores])]
    return out


def dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>'


def text(x: float, y: float, content: str, anchor: str = "start", size: int = 13) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#222222">{html.escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str, dash: bool = False, thick: int = 1) -> str:
    style = ' stroke-dasharray="4 3"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{thick}"{style}/>'
