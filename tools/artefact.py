"""Writes what a tool measured as an artefact, `dojima.lab.run/1`, the form that the programs write with --json and that
`dojima lab verify` checks. For tools that time compilers or read their output; programs write their own."""

import datetime
import hashlib
import json
import os
import pathlib
import platform

import source_identity


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def number(value, digits=3):
    """As an artefact writes it: no zeros behind the last digit, no point behind a whole number."""
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded


def table(name, title, columns, rows, notes=()):
    """`columns`: {name: meaning}, `rows`: lists in that order; texts, whole numbers, numbers from number(), True, False."""
    names = list(columns)
    return {"name": name, "title": title, "columns": names, "decimals": [2] * len(names),
            "meanings": {key: text for key, text in columns.items() if text}, "notes": list(notes),
            "rows": [dict(zip(names, row, strict=True)) for row in rows]}


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def chart(name, title, caption, kind, axes, curves):
    """`axes`: (title, unit, is_logarithmic) of x and y; `curves`: {label: [(x, y), ...]}, numbers from number()."""
    keys = ("title", "unit", "is_logarithmic")
    return {"name": name, "title": title, "caption": caption, "kind": kind, "groups": [],
            "x": dict(zip(keys, axes[0], strict=True)), "y": dict(zip(keys, axes[1], strict=True)),
            "curves": [{"label": label, "points": [value for point in points for value in point]}
                       for label, points in curves.items()]}


def artefact(root, command, parameters, tables, checks, compilers, charts=(), identity=None):
    """`checks`: (name, ok, detail); `compilers`: their versions, one text; `identity`: of what was measured, where that is not the
    tree as it lies there: source_digest, commit, dirty."""
    load = os.getloadavg()[0]
    quality = []
    if load > 1.5 * (os.cpu_count() or 1):
        quality.append({"field": "", "label": "contended", "reason": f"load average {load:.1f} on {os.cpu_count()} processors"})
    identity = identity or source_identity.identity(root)
    result = {
        "schema": "dojima.lab.run/1", "command": command, "parameters": parameters, "tables": tables,
        "checks": [{"name": name, "ok": ok, "detail": detail} for name, ok, detail in checks],
        "evidence": {
            "source_digest": identity["source_digest"], "commit": identity["commit"], "dirty": identity["dirty"],
            "compiler": compilers, "created_utc": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "host": {"cpu": {"model": processor()}, "cores_online": os.cpu_count(), "kernel": platform.release()},
            "quality": quality or [{"field": "", "label": "ok", "reason": ""}],
        },
        "rules": [{"table": each["name"], "column": column, "rule": "shown", "tolerance": 0}
                  for each in tables for column in each["columns"]],
        "runs": [], "series": [], "summary": {"distributions": [], "figures": []},
    }
    if charts:
        result["charts"] = list(charts)
    result["id"] = hashlib.sha256(canonical(result).encode()).hexdigest()
    return json.dumps(result, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def to_text(table_of):
    """For a terminal: columns in line."""
    rows = [table_of["columns"]] + [[str(row[column]) for column in table_of["columns"]] for row in table_of["rows"]]
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    lines = ["  ".join(text.rjust(width) if at and row is not rows[0] and text[:1].isdigit() else text.ljust(width)
                       for at, (text, width) in enumerate(zip(row, widths))).rstrip() for row in rows]
    return "\n".join([table_of["title"], "", *lines, *table_of["notes"]]) + "\n"
