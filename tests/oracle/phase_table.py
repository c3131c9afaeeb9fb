"""What becomes of every order in every phase: scenario files and the table in the docs, from one list.

  python3 tests/oracle/phase_table.py            # are they what this makes of the rules? exit status 1: no
  python3 tests/oracle/phase_table.py --write    # make them

One file in tests/scenarios/phases for each order type and time in force, a section for each phase: six lots are offered
at 10.00, somebody takes two of them, then the order X comes for ten, then the phase ends. What is expected is the
oracle's answer, docs/auction-table.md is the same in words, and `dojima book run` holds the book to it.
"""

from __future__ import annotations

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import order_book  # noqa: E402

ROOT = pathlib.Path(__file__).parents[2]
FOLDER = ROOT / "tests/scenarios/phases"
PAGE = ROOT / "docs/auction-table.md"

# The type's name, the words of the scenario, the order as the script writes it (X buys 10).
TYPES = (
    ("market", "market"),
    ("limit", "@ 10.00"),
    ("market to limit", "to_limit"),
    ("iceberg", "@ 10.00 show=2"),
    ("iceberg, random peaks", "@ 10.00 show=2 random=yes"),
    ("hidden", "@ 10.00 show=0"),
    ("stop", "stop 10.00"),
    ("stop limit", "stop 10.00 @ 10.00"),
    ("trailing stop", "trail 0.20"),
    ("pegged to the middle", "peg"),
    ("minimum execution size", "@ 10.00 min=3"),
    ("all or none", "@ 10.00 aon=yes"),
    ("passive only", "@ 9.98 passive=99"),
    ("one cancels the other", "@ 10.00 linked=L"),
    ("offset", "offset 0"),
)
TIMES = (("day", "day"), ("gtc", "good till cancel"), ("gtd", "good till date"), ("gtt", "good till time"),
         ("ioc", "immediate or cancel"), ("fok", "fill or kill"), ("opg", "at the opening"), ("atc", "at the close"),
         ("gfa", "good for the next auction"), ("gfx", "good for the intraday auction"),
         ("gfs", "good for a scheduled auction"), ("cpx", "closing price cross"))
PHASES = ("continuous", "opening_call", "intraday_call", "reopening_call", "closing_call", "closing_price_cross", "halted",
          "closed")


class Cell:
    """One order in one phase: the lines of its section, and what happened to it in words."""

    def __init__(self, script: order_book.Script, words: str, tif: str, phase: str):
        self.script = script
        self.lines: list[str] = []
        self.quiet(f"phase {phase} reference=10.00")
        self.quiet("buy B 1 @ 9.90 owner=3")
        self.quiet("sell Y 6 @ 10.00 owner=1")
        self.quiet("buy Z 2 @ 10.02 owner=2")
        if "linked" in words:
            self.quiet("buy L 5 @ 9.80")
        time = {"day": "", "gtd": " tif=gtd until=9", "gtt": " tif=gtt until=9"}.get(tif, f" tif={tif}")
        at_entry = self.shown(f"buy X 10 {words}{time}")
        at_end = self.shown("phase continuous reference=10.00") if phase != "continuous" else []
        self.quiet("cancel_all everyone=yes")
        self.words = self.described(self.of_x(at_entry), self.of_x(at_end), phase)

    def quiet(self, line: str) -> None:
        self.lines.append(line)
        self.script.run(line)

    def shown(self, line: str) -> list[str]:
        self.lines.append(line)
        reports = self.script.run(line) or []
        self.lines += ["> " + words for words in reports] or ["> none"]
        return list(reports)

    @staticmethod
    def of_x(reports: list[str]) -> list[tuple[str, list[str]]]:
        """Kind and words of the reports about X."""
        found = []
        for words in map(str.split, reports):
            if words[0] == "traded" and "X" in (words[1], words[words.index("with") + 1]) or "X" == words[1]:
                found.append((words[0], words))
        return found

    @staticmethod
    def described(entry: list, end: list, phase: str) -> str:
        if entry[0][0] == "rejected":
            return f"refused: `{entry[0][1][3]}`"
        has_traded, moments = False, []
        for reports in (entry, end):
            parts: list[str] = []
            for kind, words in reports:
                part = {"triggered": "wakes", "parked": "waits outside"}.get(kind, "")
                if kind == "traded":
                    has_traded = True
                    part = "is uncrossed" if "auction" in words and phase in order_book.CALLS else "trades"
                elif kind == "added":
                    place = ("before all limits" if "auction" in words else "dark" if "dark" in words else
                             "as a limit" if any(each == "replaced" for each, _ in reports) else "")
                    part = f"{'the rest stays' if has_traded else 'rests'} {place}".rstrip()
                elif kind == "expired":
                    part = "the rest expires" if has_traded else "expires"
                if part and part not in parts:
                    parts.append(part)
            if reports is end and "is uncrossed" in parts and len(parts) == 1:
                parts.append("the rest stays")
            if parts:
                moments.append(", ".join(parts))
        return "; then ".join(moments)


def file_name(kind: str, tif: str) -> str:
    return f"{kind.replace(',', '').replace(' ', '_')}_{tif}.txt"


def make() -> tuple[dict[str, str], str]:
    """All files by their names, and the page."""
    files, page = {}, [HEAD]
    for kind, words in TYPES:
        rows: dict[tuple[str, ...], list[str]] = {}
        for tif, name in TIMES:
            lines = [f"# {kind}, {name}: what becomes of X in every phase. Made by tests/oracle/phase_table.py.",
                     "book tick=0.02 lowest=0.02 highest=40 peaks=100"]
            script = order_book.Script()
            script.run(lines[1])
            for first in ("sell A 1 @ 10.00", "buy A2 1 @ 10.00"):  # the trade before
                lines.append(first)
                script.run(first)
            cells = []
            for phase in PHASES:
                cell = Cell(script, words, tif, phase)
                lines += [f"# {phase}: {cell.words}", *cell.lines]
                cells.append(cell.words)
            files[file_name(kind, tif)] = "".join(line + "\n" for line in lines)
            rows.setdefault(tuple(cells), []).append(f"`{tif}`")
        page += ["", f"## {kind[0].upper()}{kind[1:]}", "",
                 "| time in force | " + " | ".join(phase.replace("_", " ") for phase in PHASES) + " |",
                 "|---" * (len(PHASES) + 1) + "|"]
        page += [f"| {' '.join(times)} | " + " | ".join(cells) + " |" for cells, times in rows.items()]
    return files, "\n".join(page) + "\n"


HEAD = """# Every order in every phase

Made by `python3 tests/oracle/phase_table.py --write` together with the scenarios in `tests/scenarios/phases`, one file for
each order type and time in force with a section for each phase; the rules are on [auctions](auctions.md). In every phase six
lots are offered at 10.00 and two of them taken; then X comes and buys ten at 10.00 (9.98 where it is passive only); then
continuous trading begins. What comes after "then" happens there. `gtd` and `gtt` end by their time as everywhere, `day`
and the times in force of auctions with the day."""


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", action="store_true", help="write the files instead of comparing them")
    given = options.parse_args()
    files, page = make()
    if given.write:
        FOLDER.mkdir(exist_ok=True)
        for old in FOLDER.glob("*.txt"):
            old.unlink()
        for name, text in files.items():
            (FOLDER / name).write_text(text)
        PAGE.write_text(page)
        return 0
    there = {path.name: path.read_text() for path in FOLDER.glob("*.txt")}
    wrong = sorted(name for name in files.keys() | there.keys() if files.get(name) != there.get(name))
    if not PAGE.exists() or PAGE.read_text() != page:
        wrong.append(PAGE.name)
    print(f"{len(files)} files, {len(files) * len(PHASES)} cells" +
          ("" if not wrong else "; not as the rules make them: " + " ".join(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
