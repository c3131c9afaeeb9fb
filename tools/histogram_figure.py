#!/usr/bin/env python3
"""Draws the histograms of benchmark results as one SVG for a page, a panel for each case and result.

    tools/histogram_figure.py --out docs/images/fsm-test-1.svg g++=docs/measurements/ID.json clang++=docs/measurements/ID.json

Takes the charts that `dojima bench` puts into a result (cases that a table draws: for `dojima bench fsm` the talk's Test 1) whose
names contain --chart. The panels of one case have one scale. The file names its results, so that a reader finds the numbers; it
has no script and nothing from outside, and is the same for the same results. Exit status 2 when a result has no such chart.
"""

import argparse
import html
import json
import pathlib
import sys

COLOURS = ("#0b6e99", "#c2410c", "#4d7c0f", "#7e22ce", "#b45309", "#0f766e", "#be123c", "#475569")
WIDTH, HEIGHT, LEFT, TOP, GAP = 420, 190, 52, 34, 26
STYLE = ("text{font:11px system-ui,sans-serif;fill:#111}.t{font-weight:600}.g{stroke:#d4d4d8}.c{fill:none;stroke-width:1.5}"
         "@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.g{stroke:#3f3f46}}")


def charts_of(path, wanted):
    artefact = json.loads(path.read_text(encoding="utf-8"))
    found = [chart for chart in artefact.get("charts", []) if wanted in chart["name"]]
    if not found:
        raise ValueError(f"{path}: no chart whose name contains '{wanted}'")
    return artefact["id"][:8], found


def points_of(curve):
    flat = curve["points"]
    return list(zip(flat[::2], flat[1::2]))


def steps(points, x, y):
    """A histogram's outline: each value as wide as its cell."""
    half = (points[1][0] - points[0][0]) / 2
    line = [f"M{x(points[0][0] - half):.1f} {y(0):.1f}"]
    for at, share in points:
        line.append(f"V{y(share):.1f}H{x(at + half):.1f}")
    return "".join(line) + f"V{y(0):.1f}"


def axis_steps(low, high):
    span = high - low
    step = 10 ** len(str(int(span))) / 10 if span >= 1 else 0.1
    for factor in (0.2, 0.5, 1, 2, 5, 10):
        if span / (step * factor) <= 8:
            step *= factor
            break
    first = int(low / step) + 1
    return [index * step for index in range(first, int(high / step) + 1)]


def panel(chart, title, left, top, limits, labels):
    low, high, most = limits
    inner = WIDTH - LEFT - 10
    def x(value):
        return left + LEFT + inner * (value - low) / (high - low)
    def y(share):
        return top + HEIGHT - (HEIGHT - 16) * share / most
    out = [f'<text class="t" x="{left + LEFT}" y="{top + 4}">{html.escape(title)}</text>']
    for value in axis_steps(low, high):
        out.append(f'<path class="g" d="M{x(value):.1f} {top + 14}V{top + HEIGHT}"/>'
                   f'<text x="{x(value):.1f}" y="{top + HEIGHT + 14}" text-anchor="middle">{value:g}</text>')
    for part in (0, 0.5, 1):
        share = most * part
        out.append(f'<path class="g" d="M{left + LEFT} {y(share):.1f}H{left + WIDTH - 10}"/>'
                   f'<text x="{left + LEFT - 6}" y="{y(share) + 4:.1f}" text-anchor="end">{100 * share:.0f} %</text>')
    for curve in chart["curves"]:
        colour = COLOURS[labels.index(curve["label"]) % len(COLOURS)]
        out.append(f'<path class="c" stroke="{colour}" d="{steps(points_of(curve), x, y)}"/>')
    return out


def case_of(chart):
    return chart["title"].removeprefix("Histograms of the rounds: ").rstrip(".").split(", ")


def drawing(results):
    """results: (label, id, charts)"""
    names = [chart["name"] for chart in results[0][2]]
    limits = {}
    for name in names:
        points = [point for _, _, charts in results for chart in charts if chart["name"] == name
                  for curve in chart["curves"] for point in points_of(curve)]
        limits[name] = (min(at for at, _ in points), max(at for at, _ in points), max(share for _, share in points))
    labels = list(dict.fromkeys(curve["label"] for _, _, charts in results for chart in charts for curve in chart["curves"]))
    cases = [case_of(chart) for _, _, charts in results for chart in charts]
    whose = ", ".join(f"{label} ({of})" for label, of, _ in results)
    shared = [part for part in cases[0] if len(names) > 1 and all(part in case for case in cases)]
    width, height = WIDTH * len(results), TOP + (HEIGHT + GAP + 12) * len(names) + 10
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
           f"<title>Histograms of {whose}{': ' * bool(shared)}{html.escape(', '.join(shared))}</title><style>{STYLE}</style>"]
    at = LEFT
    for index, label in enumerate(labels):
        out.append(f'<path stroke="{COLOURS[index % len(COLOURS)]}" stroke-width="3" d="M{at} 12h18"/>'
                   f'<text x="{at + 23}" y="16">{html.escape(label)}</text>')
        at += 40 + 7 * len(label)
    for row, name in enumerate(names):
        for column, (label, _, charts) in enumerate(results):
            chart = next((one for one in charts if one["name"] == name), None)
            if chart is None:
                raise ValueError(f"{label} has no chart {name}")
            case = ", ".join(part for part in case_of(chart) if part not in shared)
            out += panel(chart, f"{label}: {case}, {chart['x']['unit']}", WIDTH * column, TOP + (HEIGHT + GAP + 12) * row, limits[name],
                         labels)
    return "\n".join([*out, "</svg>"]) + "\n"


def self_test():
    def chart(name, shift):
        return {"name": name, "title": f"Histograms of the rounds: keys fix, {name[-1]} states.", "x": {"unit": "ns"},
                "curves": [{"label": "a & b", "points": [1 + shift, 0.25, 2 + shift, 0.75]}]}
    results = [("g++", "00000001", [chart("rounds_4", 0), chart("rounds_7", 1)]),
               ("clang++", "00000002", [chart("rounds_4", 5), chart("rounds_7", 1)])]
    drawn = drawing(results)
    wanted = ("a &amp; b", "g++: 4 states, ns", "clang++ (00000002): keys fix", "clang++: 7 states, ns", "75 %")
    wrong = [text for text in wanted if text not in drawn]
    if drawn != drawing(results) or "script" in drawn or wrong:
        print(f"missing: {wrong}")
        return 1
    try:
        drawing([results[0], ("clang++", "2", [chart("rounds_5", 0)])])
    except (ValueError, StopIteration):
        print("histograms are drawn")
        return 0
    print("a missing chart passes")
    return 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="*", metavar="LABEL=FILE")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--chart", default="rounds_dispatch", help="part of the charts' names (default: %(default)s)")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if not options.results or options.out is None or any("=" not in one for one in options.results):
        parser.error("LABEL=FILE, once or more, and --out FILE")
    try:
        results = []
        for one in options.results:
            label, path = one.split("=", 1)
            results.append((label, *charts_of(pathlib.Path(path), options.chart)))
        options.out.write_text(drawing(results), encoding="utf-8")
    except (OSError, ValueError, KeyError) as trouble:
        print(f"histogram_figure: {trouble}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
