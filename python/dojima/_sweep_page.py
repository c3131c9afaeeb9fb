"""A sweep as one page for a browser: the best points, a heat map for each pair of parameters, every point."""

import html
import itertools
import math
from collections.abc import Sequence
from typing import Any

from . import _dojima

_MOST_MAPS, _MOST_ACROSS, _MOST_BEST, _MOST_ROWS = 6, 40, 20, 2000
_SHOWN = ("profit", "fills", "fees", "turnover", "drawdown", "sharpe_of_a_day", "round_trips", "winners")
# From the least to the most: even steps of lightness, distinguished without red and green.
_COLOURS = ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37))
_STYLE = """
.heat td{padding:0;min-width:64px}
.heat td span{display:block;padding:7px 8px;text-align:center}
.heat td.none span{color:var(--soft)}
.scale{display:inline-block;width:180px;height:10px;margin:0 8px;vertical-align:middle}
"""


def number_text(value: Any) -> str:
    """At most six digits; nothing where there is no number."""
    if value is None:
        return "\u2013"
    if isinstance(value, float):
        return f"{value:.6g}"
    return str(value)


def _colour(share: float) -> tuple[int, int, int]:
    place = min(max(share, 0.0), 1.0) * (len(_COLOURS) - 1)
    low = min(int(place), len(_COLOURS) - 2)
    one, other = _COLOURS[low], _COLOURS[low + 1]
    red, green, blue = (round(a + (b - a) * (place - low)) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _ink_on(colour: tuple[int, int, int]) -> str:
    """Black or white, whichever is easier to read there."""

    def linear(part: int) -> float:
        share = part / 255
        return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4

    luminance = sum(weight * linear(part) for weight, part in zip((0.2126, 0.7152, 0.0722), colour, strict=True))
    return "#000" if luminance > 0.179 else "#fff"


def means_of(rows: Sequence[dict[str, Any]], down: str, across: str, figure: str) -> dict[tuple[Any, Any], float]:
    """The mean of a figure over all runs that have a pair of values."""
    found: dict[tuple[Any, Any], list[float]] = {}
    for row in rows:
        value = row.get(figure)
        if value is not None:
            found.setdefault((row["point"].get(down), row["point"].get(across)), []).append(value)
    return {pair: math.fsum(values) / len(values) for pair, values in found.items()}


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    text = "<div class=\"wide\"><table><thead><tr>" + "".join(f"<th scope=\"col\">{html.escape(cell)}</th>" for cell in head)
    text += "</tr></thead><tbody>"
    for row in rows:
        text += f"<tr><th scope=\"row\">{html.escape(row[0])}</th>"
        text += "".join(f"<td>{html.escape(cell)}</td>" for cell in row[1:]) + "</tr>"
    return text + "</tbody></table></div>"


def _heat_map(rows: Sequence[dict[str, Any]], axes: dict[str, list[Any]], down: str, across: str, figure: str) -> str:
    means = means_of(rows, down, across, figure)
    if not means:
        return ""
    least, most = min(means.values()), max(means.values())
    text = f"<h3>{html.escape(figure)} by {html.escape(down)} (down) and {html.escape(across)} (across)</h3>"
    gradient = ",".join("rgb({},{},{})".format(*colour) for colour in _COLOURS)
    text += (f"<p class=\"soft\">Means over the other parameters: {number_text(least)}<span class=\"scale\" "
             f"style=\"background:linear-gradient(90deg,{gradient})\"></span>{number_text(most)}</p>")
    text += "<div class=\"wide\"><table class=\"heat\"><thead><tr><th></th>"
    text += "".join(f"<th scope=\"col\">{html.escape(str(value))}</th>" for value in axes[across]) + "</tr></thead><tbody>"
    for value in axes[down]:
        text += f"<tr><th scope=\"row\">{html.escape(str(value))}</th>"
        for other in axes[across]:
            mean = means.get((value, other))
            if mean is None:
                text += "<td class=\"none\"><span>\u2013</span></td>"
                continue
            colour = _colour(0.5 if most == least else (mean - least) / (most - least))
            text += (f"<td style=\"background:rgb({colour[0]},{colour[1]},{colour[2]});color:{_ink_on(colour)}\">"
                     f"<span>{number_text(mean)}</span></td>")
        text += "</tr>"
    return text + "</tbody></table></div>"


def page_of(rows: Sequence[dict[str, Any]], figure: str, title: str) -> str:
    """The same rows give the same bytes. Raises ValueError when no row has the figure."""
    ranked = sorted((row for row in rows if row.get(figure) is not None), key=lambda row: -row[figure])
    if not ranked:
        raise ValueError(f"no row has a figure {figure!r}")
    names = list(dict.fromkeys(name for row in rows for name in row["point"]))
    axes = {name: list(dict.fromkeys(row["point"].get(name) for row in rows)) for name in names}
    wide = [name for name in names if len(axes[name]) > 1]
    failed = [row for row in rows if row["trouble"] is not None]
    shown = [figure] + [name for name in _SHOWN if name != figure]

    def cells(row: dict[str, Any]) -> list[str]:
        return [str(row["point"].get(name, "")) for name in names] + [number_text(row.get(name)) for name in shown]

    escaped = html.escape(title)
    text = ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
            f"content=\"width=device-width,initial-scale=1\"><title>{escaped}</title><style>{_dojima.page_style()}{_STYLE}"
            f"</style></head><body><header><p class=\"over\">dojima sweep</p><h1>{escaped}</h1>"
            f"<p class=\"verdict {'bad' if failed else 'good'}\">{len(rows)} points, {len(failed)} failed</p></header><main>")
    text += f"<h2>The best points by {html.escape(figure)}</h2>" + _table(names + shown, [cells(row) for row in ranked[:_MOST_BEST]])
    maps = ""
    for one, other in itertools.islice(itertools.combinations(wide, 2), _MOST_MAPS):
        down, across = (other, one) if len(axes[other]) > _MOST_ACROSS >= len(axes[one]) else (one, other)
        if len(axes[across]) <= _MOST_ACROSS:
            maps += _heat_map(rows, axes, down, across, figure)
    if maps:
        text += f"<h2>Heat maps</h2>{maps}"
    for name in wide if not maps else []:
        means = means_of(rows, name, name, figure)
        text += f"<h2>{html.escape(figure)} by {html.escape(name)}</h2>"
        text += _table([name, f"mean {figure}"], [[str(value), number_text(means.get((value, value)))] for value in axes[name]])
    if failed:
        text += "<h2>Runs that failed</h2>" + _table(names + ["trouble"], [
            [str(row["point"].get(name, "")) for name in names] + [str(row["trouble"])] for row in failed[:_MOST_BEST]])
    if len(rows) <= _MOST_ROWS:
        text += f"<h2>All points</h2>{_table(names + shown, [cells(row) for row in rows])}"
    return text + "</main></body></html>\n"
