#!/usr/bin/env python3
"""Holds the figures of README.md and docs/ against the artefacts that measured them.

A measured figure carries a reference in the paragraph, list item or table it is in:

    Recording takes 0.81 ns [m:1a2b3c4d](docs/measurements/1a2b3c4d.json), 1.25 times the floor.

1a2b3c4d are the first eight digits of the artefact's id and its file's name in docs/measurements/. The check fails when

  - a reference names no file there, or links to another file than it names,
  - an artefact has another id than its content gives, is not in canonical form, or its counts give other percentiles
    (computed here once more, independently of `dojima lab verify`; with --dojima that runs as well),
  - a figure in the text is no value of the artefacts its block refers to, to the digits that are printed,
  - a figure has not settled (its row says converged or is_settled: false) and is there without the mark "~", in the text or
    in a table's cell; or it carries the mark and has settled. --mark puts the marks into tables and takes wrong ones out,
  - a block claims a measurement and refers to nothing: a number with ns or us always claims one; ms, s, %, rates and
    factors ("1.25 times", "2x") do when the block speaks of percentiles, medians, means, maxima, latency, throughput, of
    being faster or slower; factors also where it compares with a floor, a baseline or a cost. A block with <!-- not measured --> claims none: a setting, a limit, somebody else's figure.

Code is not read. Exit status 0 when all is well, 1 when something is not, 2 when the check itself cannot run.
"""

import argparse
import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

MEASUREMENTS = "docs/measurements"
REFERENCE = re.compile(r"\[m:([0-9a-f]{8})\](?:\(([^)\s]*)\))?")
EXEMPT = "<!-- not measured -->"
NUMBER = r"(?<![\w.,^\u2013-])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
TIMES = {"ns": 1.0, "us": 1e3, "\u00b5s": 1e3, "\u03bcs": 1e3, "ms": 1e6, "s": 1e9}
TIME = re.compile(NUMBER + r"[ \u00a0]?(ns|us|\u00b5s|\u03bcs|ms|s)\b(?!/)")
FACTOR = re.compile(NUMBER + r"[ \u00a0]?(?:x|\u00d7|times)(?=[\s,.;:)|]|$)(?! \d)")
SHARE = re.compile(NUMBER + r"[ \u00a0]?%")
RATE = re.compile(NUMBER + r"[ \u00a0]?(k|M|million|thousand)?[ \u00a0]?(?:[a-z]+/s|a second|per second)\b")
CELL = re.compile(r"^[\d.,/~* ]+$")
CELL_NUMBER = re.compile(r"(~?)(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?![\d.])")
UNSETTLED_MARK = "~"
SPEAKS = re.compile(r"\bp\d\d|\bmedian|\bmean\b|\baverage|\bmaxim|\bmax\b|\blatenc|\bthroughput|\bfaster|\bslower|\bmeasured",
                    re.IGNORECASE)
COMPARES = re.compile(r"\bfloor\b|\bbaseline|\bratio|\bcosts?\b|\bfast\b|\bslow\b", re.IGNORECASE)


# ------------------------------------------------------------------------------------------------------- artefacts


class Token(float):
    """A number that remembers how it was written."""

    def __new__(cls, text):
        self = super().__new__(cls, text)
        self.text = text
        return self


def canonical(value):
    """The text that an artefact's id is taken over: sorted keys, no space, numbers as they are."""
    if isinstance(value, Token):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(key)}:{canonical(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    return {True: "true", False: "false", None: "null"}[value]


def quoted(text):
    short = {"\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return "\"" + "".join(short.get(c, f"\\u{ord(c):04x}" if ord(c) < 0x20 else c) for c in text) + "\""


def without_space(text):
    return re.sub(r'("(?:[^"\\]|\\.)*")|\s+', lambda found: found.group(1) or "", text)


def highest_of(histogram, index):
    """The largest value of a cell: below 2^(B+1) a cell a unit, above it 2^B cells to a factor of two."""
    bits, unit = int(histogram["precision_bits"]), int(histogram["unit_bits"])
    row = index >> bits
    shift = unit + (0 if row < 2 else row - 1)
    lowest = index << unit if row < 2 else ((index & ((1 << bits) - 1)) + (1 << bits)) << shift
    return lowest + (1 << shift) - 1


def rank_of(share, n):
    rank = max(int(share * n) - 1, 0)
    while rank < n and rank / n < share:
        rank += 1
    return max(rank, 1)


def merged(runs):
    """{(name, arm): (counts by index, min, max, a histogram of it)} over all runs."""
    all_of = {}
    for run in runs:
        for histogram in run["histograms"]:
            counts, low, high, _ = all_of.get((histogram["name"], run["arm"]), ({}, math.inf, 0, None))
            index = 0
            for number in map(int, histogram["counts"]):
                if number < 0:  # that many empty cells
                    index -= number
                    continue
                counts[index] = counts.get(index, 0) + number
                index += 1
            if histogram["counts"]:
                low, high = min(low, histogram["min"]), max(high, histogram["max"])
            all_of[histogram["name"], run["arm"]] = counts, low, high, histogram
    return all_of


def wrong_percentiles(artefact):
    distributions = merged(artefact.get("runs", []))
    for summary in artefact["summary"]["distributions"]:
        name = summary["name"], summary["arm"]
        counts, low, high, histogram = distributions[name]
        n = sum(counts.values())
        if n != summary["n"]:
            yield f"summary of {summary['name']}: n is {int(summary['n'])}, the counts sum up to {n}"
        for percentile in summary.get("percentiles", []):
            left = rank_of(percentile["share"], n)
            for index in sorted(counts):
                left -= counts[index]
                if left <= 0:
                    break
            value = min(max(highest_of(histogram, index), low), high)
            if histogram["overflow"] == 0 and value != percentile["value"]:
                yield (f"summary of {summary['name']}: the share {percentile['share'].text} lies at "
                       f"{percentile['value'].text}, by the counts at {int(value)}")


def wrong_with(path):
    """What is wrong with an artefact, and its content; the content is None when it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
        artefact = json.loads(text, parse_float=Token, parse_int=Token)
        stated = artefact["id"]
        rest = {key: value for key, value in artefact.items() if key != "id"}
        found = []
        if without_space(text) != canonical(artefact):
            found.append("is not in canonical form")
        given = hashlib.sha256(canonical(rest).encode()).hexdigest()
        if given != stated:
            found.append(f"says its id is {stated[:12]}, its content gives {given[:12]}")
        if path.stem != stated[:8]:
            found.append(f"should be named {stated[:8]}.json")
        return found + list(wrong_percentiles(artefact)), artefact
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as trouble:
        return [f"is no artefact: {type(trouble).__name__}: {trouble}"], None


def numbers_in(value):
    if isinstance(value, Token):
        yield float(value)
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(one)


def is_timed(column):
    """Times, rates and ratios, of which a busy machine makes others; the same columns as `dojima` marks when it prints."""
    if column.endswith("percent"):
        return False
    return bool({"ns", "us", "vs"} & set(column.split("_"))) or column.endswith("_per_second")


def is_unsettled(row):
    return row.get("converged") is False or row.get("is_settled") is False


class Values:
    """Every number that a text may quote: tables, summary, comparison, parameters; not the raw counts. Those of rows that have
    not settled are kept apart."""

    def __init__(self, artefact=None):
        self.settled, self.unsettled = set(), set()
        if artefact is None:
            return
        for table in artefact.get("tables", []):
            for row in table.get("rows", []):
                for column, value in row.items():
                    into = self.unsettled if is_unsettled(row) and is_timed(column) else self.settled
                    into.update(numbers_in(value))
        parts = [artefact.get(key) for key in ("summary", "comparison", "parameters", "series")]
        parts.append([run["figures"] for run in artefact.get("runs", [])])
        self.settled.update(number for part in parts for number in numbers_in(part))

    def add(self, other):
        self.settled |= other.settled
        self.unsettled |= other.unsettled

    def wrong_mark(self, is_marked, *figure):
        """Why the mark of a figure, or that it has none, is wrong; None when it is right, or no value is like the figure."""
        settled, unsettled = is_in(*figure, self.settled), is_in(*figure, self.unsettled)
        if unsettled and not settled and not is_marked:
            return f"has not settled: it needs the mark {UNSETTLED_MARK}"
        if settled and not unsettled and is_marked:
            return f"has settled: it needs no mark {UNSETTLED_MARK}"
        return None


# ------------------------------------------------------------------------------------------------------------ texts


def blocks_of(text):
    """(line, block) of a Markdown text: paragraphs, list items and tables, without code."""
    text = re.sub(r"^(```|~~~).*?^\1\s*$", lambda code: "\n" * code.group(0).count("\n"), text, flags=re.M | re.S)
    text = re.sub(r"`[^`\n]*`", "", text)
    block, begin = [], 1
    for number, line in enumerate(text.split("\n") + [""], 1):
        starts_new = re.match(r"\s*([-*+]|\d+\.)\s", line) or line.startswith("#")
        if block and (not line.strip() or starts_new):
            yield begin, "\n".join(block)
            block = []
        if line.strip():
            if not block:
                begin = number
            block.append(line)


def figures_of(block):
    """(as written, has the mark, number, kind, unit) of what a block claims to have measured."""
    plain = REFERENCE.sub("", block)

    def figure(found, kind, unit):
        return found.group(0), plain[:found.start()].endswith(UNSETTLED_MARK), found.group(1), kind, unit

    speaks = SPEAKS.search(plain) is not None
    for found in TIME.finditer(plain):
        if found.group(2) not in ("ms", "s") or speaks:
            yield figure(found, "time", TIMES[found.group(2)])
    if speaks or COMPARES.search(plain):
        for found in FACTOR.finditer(plain):
            yield figure(found, "factor", 1.0)
    if speaks:
        for found in SHARE.finditer(plain):
            # "the 95 % interval", "99.9 % of all": a level, not a result
            if not re.match(r"\s*(bootstrap |confidence )?interval|\s*percentile", plain[found.end():]):
                yield figure(found, "share", 1.0)
        for found in RATE.finditer(plain):
            scale = {"k": 1e3, "thousand": 1e3, "M": 1e6, "million": 1e6}.get(found.group(2), 1.0)
            yield figure(found, "rate", scale)


def cells_of(block):
    """(cell, has the mark, number) of the cells of a table that are numbers, such as "1.25" or "0.70 / 1.29"."""
    for line in block.split("\n"):
        if line.lstrip().startswith("|"):
            for cell in filter(CELL.match, line.strip().strip("|").split("|")):
                for found in CELL_NUMBER.finditer(cell):
                    yield cell.strip(), found.group(1) != "", found.group(2)


def marked(line, values):
    """A line of a table with the marks that its cells need."""
    def with_mark(found):
        if values.wrong_mark(found.group(1) != "", found.group(2), "cell", 1.0) is None:
            return found.group(0)
        return ("" if found.group(1) else UNSETTLED_MARK) + found.group(2)
    return "|".join(CELL_NUMBER.sub(with_mark, cell) if CELL.match(cell) else cell for cell in line.split("|"))


def candidates(value, kind, unit):
    """What a value of an artefact may look like in the text."""
    if kind == "time":
        yield from (value * scale / unit for scale in (1.0, 1e3, 1e6, 1e9))
    elif kind == "factor":
        yield value
        if value:
            yield 1 / value
    elif kind == "share":
        yield from (value, value * 100, abs(value - 1) * 100)
    elif kind == "cell":
        yield value
    else:
        yield value / unit
        if value:
            yield 1e9 / value / unit


def is_in(number, kind, unit, values):
    text = number.replace(",", "")
    digits = len(text.split(".")[1]) if "." in text else 0
    # As printed, or printed to fewer digits than it has: 20,000 for 19,998.
    room = 0.5 * 10.0 ** -digits * 1.0000001
    if digits == 0 and len(text) > 3 and text.endswith("0") and kind != "cell":
        room = 0.5 * 10 ** (len(text) - len(text.rstrip("0")))
    return any(abs(one - float(text)) <= room for value in values for one in candidates(value, kind, unit))


def check_block(place, block, folder, root, values):
    references = REFERENCE.findall(block)
    for short, link in references:
        if short not in values:
            yield f"{place}: [m:{short}] names no artefact of {MEASUREMENTS}/"
        elif (folder / link).resolve() != (root / MEASUREMENTS / f"{short}.json").resolve():
            yield f"{place}: [m:{short}] links to '{link}', which is not {MEASUREMENTS}/{short}.json"
    if EXEMPT in block:
        return
    named = Values()
    for short, _ in references:
        named.add(values.get(short, Values()))
    for written, is_marked, *figure in figures_of(block):
        if not references:
            yield f"{place}: '{written}' claims a measurement but no [m:...] says which ({EXEMPT} if it is none)"
        elif (named.settled or named.unsettled) and not is_in(*figure, named.settled | named.unsettled):
            yield f"{place}: '{written}' is no value of {', '.join(short for short, _ in references)}"
        elif f"<= {written}" not in block and (wrong := named.wrong_mark(is_marked, *figure)):  # a limit has no mark
            yield f"{place}: '{written}' {wrong}"
    for written, is_marked, number in cells_of(block):
        if wrong := named.wrong_mark(is_marked, number, "cell", 1.0):
            yield f"{place}: the cell '{written}' {wrong}"


def mark_tables(root):
    """Puts the marks into the tables of all texts."""
    values = {}
    for path in sorted((root / MEASUREMENTS).glob("*.json")):
        artefact = wrong_with(path)[1]
        if artefact is not None:
            values[path.stem] = Values(artefact)
    for path in texts_of(root):
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        for begin, block in blocks_of(text):
            named = Values()
            for short, _ in REFERENCE.findall(block):
                named.add(values.get(short, Values()))
            if EXEMPT in block:
                continue
            for at in range(begin - 1, begin - 1 + block.count("\n") + 1):
                if lines[at].lstrip().startswith("|"):
                    lines[at] = marked(lines[at], named)
        path.write_text("\n".join(lines), encoding="utf-8")


def texts_of(root):
    texts = [root / "README.md", root / "ARCHITECTURE.md", *sorted((root / "docs").rglob("*.md"))]
    return [path for path in texts if path.is_file()]


def violations(root, program=None):
    values = {}
    for path in sorted((root / MEASUREMENTS).glob("*.json")):
        found, artefact = wrong_with(path)
        for one in found:
            yield f"{MEASUREMENTS}/{path.name}: {one}"
        if artefact is not None:
            values[path.stem] = Values(artefact)
        if program is not None:
            done = subprocess.run([program, "lab", "verify", str(path)], capture_output=True, text=True, check=False)
            if done.returncode != 0:
                yield f"{MEASUREMENTS}/{path.name}: {done.stderr.strip() or 'dojima lab verify fails'}"
    for path in texts_of(root):
        for line, block in blocks_of(path.read_text(encoding="utf-8")):
            place = f"{path.relative_to(root)}:{line}"
            yield from check_block(place, block, path.parent, root, values)


# -------------------------------------------------------------------------------------------------------- self-test


def sample():
    histogram = {"name": "h", "kind": "loglinear", "precision_bits": 7, "range_bits": 42, "unit_bits": 0, "overflow": 0,
                 "n": 40, "min": 100, "max": 1001, "counts": [-100, 30, -408, 10]}
    artefact = {"schema": "dojima.lab.run/1", "runs": [{"arm": "", "figures": [], "histograms": [histogram]}],
                "tables": [{"name": "t", "rows": [
                    {"ns": 0.8123, "ratio": 1.247},
                    {"ns": 73.14, "vs_floor": 22.452, "bytes": 34.65, "converged": False}]}],
                "summary": {"distributions": [{"name": "h", "arm": "", "n": 40,
                                               "percentiles": [{"share": 0.5, "value": 100}, {"share": 0.9, "value": 1001}]}]}}
    return json.loads(json.dumps(artefact), parse_float=Token, parse_int=Token)


def stored(artefact):
    text = canonical(artefact)
    return text[:-1] + ',"id":"' + hashlib.sha256(text.encode()).hexdigest() + '"}'


def self_test():
    """Plants one violation of each kind and expects exactly those to be found."""
    artefact = sample()
    body = canonical(json.loads(stored(artefact), parse_float=Token, parse_int=Token))
    short = json.loads(body)["id"][:8]
    link = f"[m:{short}](measurements/{short}.json)"
    name = f"{MEASUREMENTS}/{short}.json"
    tampered = body.replace('"counts":[-100,30,', '"counts":[-100,31,')
    cases = [
        ("sound", f"Recording takes 0.81 ns, 1.25 times the floor {link}. p50 is 100 ns, p90 1.001 \u00b5s.", body, []),
        ("a setting", f"A heartbeat every 250 ms. <!-- not measured --> Latency.\n\nDelays of 30 s.", body, []),
        ("code", "```\nlatency 12 ns\n```\nand `3 ns`", body, []),
        ("no reference", "It takes 17 ns.", body, ["docs/page.md:1: '17 ns' claims a measurement"]),
        ("rate", "A throughput of 20,000 orders/s.", body, ["docs/page.md:1: '20,000 orders/s' claims"]),
        ("unknown", "It takes 0.81 ns [m:00000000](measurements/00000000.json).", body,
         ["docs/page.md:1: [m:00000000] names no artefact"]),
        ("another link", f"It takes 0.81 ns [m:{short}](page.md).", body, [f"docs/page.md:1: [m:{short}] links to 'page.md'"]),
        ("stale number", f"It takes 0.79 ns {link}.", body, ["docs/page.md:1: '0.79 ns' is no value of"]),
        ("unmarked", f"It takes 73.14 ns, 22.452 times the floor {link}.", body,
         ["docs/page.md:1: '73.14 ns' has not settled", "docs/page.md:1: '22.452 times' has not settled"]),
        ("marked", f"It takes ~73.14 ns {link}, in 34.65 bytes.", body, []),
        ("unmarked cell", f"| | ns | bytes |\n|---|---|---|\n| one | 73.14 | 34.65 | {link} |", body,
         ["docs/page.md:1: the cell '73.14' has not settled"]),
        ("pair of cells", f"| | ns |\n|---|---|\n| one | 0.81 / 73.14 | {link} |", body,
         ["docs/page.md:1: the cell '0.81 / 73.14' has not settled"]),
        ("limit", f"At most <= 22.452 x of the floor {link}.", body, []),
        ("marked cell", f"| | ns |\n|---|---|\n| one | **~73.14** | {link} |", body, []),
        ("marked for nothing", f"It takes ~0.81 ns {link}.", body, ["docs/page.md:1: '0.81 ns' has settled"]),
        ("changed count", "", tampered, [f"{name}: says its id", f"{name}: summary of h: n is 40"]),
        ("another spelling", "", body.replace("0.8123", "0.81230"), [f"{name}: says its id"]),
        ("no artefact", "", "{}", [f"{name}: is no artefact"]),
    ]
    failures = []
    for title, page, measured, expected in cases:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / MEASUREMENTS).mkdir(parents=True)
            (root / name).write_text(measured, encoding="utf-8")
            (root / "docs" / "page.md").write_text(page, encoding="utf-8")
            found = list(violations(root))
        if len(found) != len(expected) or not all(one.startswith(want) for one, want in zip(found, expected)):
            failures.append(f"{title}:\n  expected {expected}\n  found    {found}")
    values = Values(artefact)
    line = f"| one | 73.14 / 0.81 | ~0.81 | 34.65 | {link} |"
    if marked(line, values) != f"| one | ~73.14 / 0.81 | 0.81 | 34.65 | {link} |":
        failures.append(f"--mark gives {marked(line, values)}")
    print("\n".join(failures) if failures else f"{len(cases)} cases as expected")
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--dojima", help="the program, to let `dojima lab verify` look at every artefact as well")
    parser.add_argument("--self-test", action="store_true", help="show that planted violations are found")
    parser.add_argument("--mark", action="store_true", help="put the mark of what has not settled into the tables first")
    arguments = parser.parse_args()
    if arguments.self_test:
        return self_test()
    if arguments.mark:
        mark_tables(arguments.root.resolve())
    try:
        found = list(violations(arguments.root.resolve(), arguments.dojima))
    except OSError as trouble:
        print(f"cannot check: {trouble}", file=sys.stderr)
        return 2
    for violation in found:
        print(violation)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
