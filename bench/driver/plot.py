"""The plot of a comparison as SVG: per workload how many times faster than PoCL WarpLens is while it counts, on one core
and on all, with the spread over the rounds; the goals as lines."""
import html
import math

width, row_height, left, right, top, bottom = 760, 34, 130, 30, 62, 46
colours = {"one_core": "#8a5a00", "all_cores": "#1f5fa8"}
names = {"one_core": "1 core", "all_cores": "all cores"}


def draw(result: dict) -> str:
    rows = [row for row in result["workloads"] if "pocl" in row["all_cores"]]
    values = [part[key] for row in rows for cores in names for part in [row[cores]["pocl"]] for key in ("min", "max")]
    low, high = math.log2(min(values + [0.5])) - 0.2, math.log2(max(values + [2.0])) + 0.2
    height = top + row_height * len(rows) + bottom

    def x(ratio: float) -> float:
        return left + (math.log2(ratio) - low) / (high - low) * (width - left - right)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="13">',
           f'<rect width="{width}" height="{height}" fill="white"/>',
           text(left, 20, "Time of PoCL over time of WarpLens with counting on (right: WarpLens is faster)", size=14)]
    for index, (cores, name) in enumerate(names.items()):
        out += [f'<circle cx="{left + 6 + 110 * index}" cy="38" r="5" fill="{colours[cores]}"/>', text(left + 16 + 110 * index, 42, name)]
    for power in range(math.ceil(low), math.floor(high) + 1):
        at = x(2.0**power)
        out += [line(at, top, at, height - bottom, "#dddddd"), text(at, height - bottom + 18, f"{2.0**power:g}x", anchor="middle")]
    for ratio, label in ((1.0, "goal of the mean"), (0.5, "goal of each")):
        out += [line(x(ratio), top, x(ratio), height - bottom, "#555555", dash=True), text(x(ratio), height - 10, label, anchor="middle", size=11)]
    for index, row in enumerate(rows):
        middle = top + row_height * (index + 0.5)
        out.append(text(left - 10, middle + 4, row["name"], anchor="end"))
        for cores, offset in (("one_core", -6), ("all_cores", 6)):
            part, y = row[cores]["pocl"], middle + offset
            out += [line(x(part["min"]), y, x(part["max"]), y, colours[cores], thick=2),
                    f'<circle cx="{x(part["median"]):.1f}" cy="{y:.1f}" r="5" fill="{colours[cores]}"><title>{part["median"]:.2f}x</title></circle>']
    return "\n".join(out + ["</svg>", ""])


def text(x: float, y: float, content: str, anchor: str = "start", size: int = 13) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="#222222">{html.escape(content)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str, dash: bool = False, thick: int = 1) -> str:
    style = ' stroke-dasharray="4 3"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{thick}"{style}/>'
