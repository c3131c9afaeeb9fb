#!/usr/bin/env python3
"""Draws the line charts of one result as one SVG for a page, a panel for each.

    tools/line_figure.py docs/measurements/ID.json --chart misses --chart times --out docs/images/cost-model.svg

For charts that have lines over a logarithmic axis, as `tools/cost_model.py` puts them into its result. The file names the
result, so that a reader finds the numbers; it has no script and nothing from outside, and is the same for the same result.
Exit status 2 when the result has no such chart.
"""

import argparse
import html
import json
import math
import pathlib
import sys

from histogram_figure import COLOURS, GAP, HEIGHT, LEFT, STYLE, TOP, WIDTH, axis_steps, points_of

RIGHT = 34  # room for half of the last number


def panel(chart, left, labels):
    points = [point for curve in chart["curves"] for point in points_of(curve)]
    low, high = (math.log10(most(at for at, _ in points)) for most in (min, max))
    top_value = max(value for _, value in points)
    def x(at):
        return left + LEFT + (WIDTH - LEFT - RIGHT) * (math.log10(at) - low) / (high - low)
    def y(value):
        return TOP + HEIGHT - (HEIGHT - 16) * value / top_value
    unit = chart["y"]["unit"]
    out = [f'<text class="t" x="{left + LEFT}" y="{TOP + 4}">{html.escape(chart["y"]["title"])}{", " * bool(unit)}{unit}</text>']
    for power in range(math.ceil(low), math.floor(high) + 1):
        out.append(f'<path class="g" d="M{x(10 ** power):.1f} {TOP + 14}V{TOP + HEIGHT}"/>'
                   f'<text x="{x(10 ** power):.1f}" y="{TOP + HEIGHT + 14}" text-anchor="middle">{10 ** power:,}</text>')
    for value in [0, *axis_steps(0, top_value)]:
        out.append(f'<path class="g" d="M{left + LEFT} {y(value):.1f}H{left + WIDTH - RIGHT}"/>'
                   f'<text x="{left + LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:g}</text>')
    for curve in chart["curves"]:
        colour = COLOURS[labels.index(curve["label"]) % len(COLOURS)]
        line = "L".join(f"{x(at):.1f} {y(value):.1f}" for at, value in points_of(curve))
        out.append(f'<path class="c" stroke="{colour}" d="M{line}"/>')
        out += [f'<circle r="2.5" fill="{colour}" cx="{x(at):.1f}" cy="{y(value):.1f}"/>' for at, value in points_of(curve)]
    return [*out, f'<text x="{left + (LEFT + WIDTH) / 2:.0f}" y="{TOP + HEIGHT + 28}" text-anchor="middle">{chart["x"]["title"]}</text>']


def drawing(of, charts):
    labels = list(dict.fromkeys(curve["label"] for chart in charts for curve in chart["curves"]))
    width, height = WIDTH * len(charts), TOP + HEIGHT + GAP + 12
    titles = " ".join(html.escape(chart["title"]) for chart in charts)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
           f"<title>{titles} Result {of}.</title><style>{STYLE}</style>"]
    at = LEFT
    for index, label in enumerate(labels):
        out.append(f'<path stroke="{COLOURS[index % len(COLOURS)]}" stroke-width="3" d="M{at} 12h18"/>'
                   f'<text x="{at + 23}" y="16">{html.escape(label)}</text>')
        at += 40 + 7 * len(label)
    for place, chart in enumerate(charts):
        out += panel(chart, WIDTH * place, labels)
    return "\n".join([*out, "</svg>"]) + "\n"


def charts_of(artefact, wanted):
    found = {chart["name"]: chart for chart in artefact.get("charts", []) if chart["kind"] == "lines"}
    missing = [name for name in wanted if name not in found]
    if missing:
        raise ValueError(f"no chart with lines named {', '.join(missing)}; there are: {', '.join(found) or 'none'}")
    if any(at <= 0 for name in wanted for curve in found[name]["curves"] for at, _ in points_of(curve)):
        raise ValueError("an axis of logarithms begins above 0")
    return [found[name] for name in wanted]


def self_test():
    def chart(name):
        return {"name": name, "kind": "lines", "title": f"All of {name}.", "x": {"title": "objects", "unit": ""},
                "y": {"title": name, "unit": "ns"}, "curves": [{"label": "a & b", "points": [1000, 5, 100000, 20]}]}
    result = {"charts": [chart("times"), chart("misses")]}
    drawn = drawing("00000001", charts_of(result, ["times", "misses"]))
    wanted = ("a &amp; b", "times, ns", "10,000<", "Result 00000001", f'cx="{WIDTH - RIGHT:.1f}" cy="{TOP + 16:.1f}"')
    wrong = [text for text in wanted if text not in drawn]
    if wrong or "script" in drawn:
        print(f"missing: {wrong}")
        return 1
    for bad in (["prices"], ["none", "times"]):
        try:
            charts_of(result, bad)
        except ValueError:
            continue
        print(f"missing charts pass: {bad}")
        return 1
    print("lines are drawn")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", nargs="?", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--out", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--chart", action="append", metavar="NAME", help="once or more")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if options.result is None or options.out is None or not options.chart:
        parser.error("FILE, --chart NAME once or more, and --out FILE")
    try:
        artefact = json.loads(options.result.read_text(encoding="utf-8"))
        options.out.write_text(drawing(artefact["id"][:8], charts_of(artefact, options.chart)), encoding="utf-8")
    except (OSError, ValueError, KeyError) as trouble:
        print(f"line_figure: {options.result}: {trouble}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
