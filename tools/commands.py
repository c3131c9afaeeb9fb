#!/usr/bin/env python3
"""The commands of the program, read off its help: for pages of documentation and manual pages.

    python3 tools/commands.py PROGRAM              names them, one a line
    python3 tools/commands.py PROGRAM --man FOLDER --version V --date DATE
                                                   writes a manual page for each by help2man: dojima-data-info.1

Exit status: 0 done, 1 a command has no help that can be read, 2 wrong arguments, 3 no program or no help2man.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


@dataclasses.dataclass
class Command:
    words: list  # ["dojima", "data", "info"]
    meaning: str  # the line of the help above it
    help: str
    commands: list = dataclasses.field(default_factory=list)

    @property
    def name(self):
        return " ".join(self.words)

    def all(self):
        """This one and all below it, in the order of the help."""
        yield self
        for inner in self.commands:
            yield from inner.all()


class NoHelp(Exception):
    pass


def help_of(program, words):
    """What `dojima WORDS --help` prints."""
    asked = subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=60)
    if asked.returncode != 0 or "Usage:" not in asked.stdout:
        raise NoHelp(f"dojima {' '.join(words)} --help: exit status {asked.returncode}, {asked.stderr.strip() or 'no usage'}")
    return asked.stdout


def listed(text):
    """(name, meaning) of the commands that a help text lists below `Subcommands:`."""
    found = []
    lines = text.split("\nSubcommands:\n")
    if len(lines) < 2:
        return found
    for line in lines[1].splitlines():
        row = re.match(r"  (\S+)(?:\s+(.*))?$", line)
        if row:
            found.append([row[1], row[2] or ""])
        elif re.match(r" {20,}\S", line) and found:
            found[-1][1] = (found[-1][1] + " " + line.strip()).strip()
        else:
            break
    return found


def read(program, words=(), meaning=""):
    """The command that the words lead to, with all below it."""
    text = help_of(program, words)
    # The first line of a help says what the command is for.
    command = Command(["dojima", *words], meaning or text.strip().splitlines()[0], text)
    for name, inner in listed(text):
        command.commands.append(read(program, [*words, name], inner))
    return command


def manual_page(command, program, version, date, folder):
    """One page by help2man, which runs a program: one that prints the help with the installed program's name."""
    name = "-".join(command.words)
    with tempfile.TemporaryDirectory() as place:
        text = Path(place) / "help"
        text.write_text(as_help2man_reads_it(command))
        speaker = Path(place) / name
        speaker.write_text(f"#!/bin/sh\ncat '{text}'\n")
        speaker.chmod(0o755)
        more = Path(place) / "more"
        more.write_text(see_also(command))
        page = folder / f"{name}.1"
        made = subprocess.run(
            ["help2man", "--no-info", "--no-discard-stderr", "--section=1", f"--name={plain(command.meaning)}",
             f"--version-string={version}", f"--source=dojima {version}", "--manual=Dojima", f"--include={more}",
             f"--output={page}", str(speaker)],
            capture_output=True, text=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(date), "LC_ALL": "C.UTF-8", "TZ": "UTC"})
        if made.returncode != 0:
            raise NoHelp(f"help2man on {command.name}: {made.stderr.strip()}")
        words = page.read_text()
        page.write_text(words.replace(str(Path(place)) + "/", ""))
    return page


def plain(meaning):
    """A line for whatis: no full stop, no capital but of a name."""
    line = meaning.split("\n")[0].rstrip(".")
    return line[0].lower() + line[1:] if line[:2] != line[:2].upper() and line[:6] != "Dojima" else line


def as_help2man_reads_it(command):
    """The help with its usage first, options apart from their meanings, and examples as they are."""
    lines = command.help.rstrip().splitlines()
    usage = next(at for at, line in enumerate(lines) if line.startswith("Usage:"))
    begun = [f"Usage: {command.name} {lines[usage].split(None, 2)[2].removeprefix(' '.join(command.words[1:])).strip()}".rstrip(), ""]
    begun += [line for line in lines[:usage] if line.strip()]
    begun.append("")
    rest = lines[usage + 1:]
    out = []
    for line in rest:
        row = re.match(r"^  (\S.*?)(?:\s{2,}(\S.*))?$", line)
        if re.match(r"^[A-Z][A-Za-z ]+:$", line):
            out += ["", line]
        elif row and not line.startswith("   "):
            out.append(f"  {row[1]}  {row[2] or ''}".rstrip())
        else:
            out.append(line)
    return "\n".join(begun + out) + "\n"


def see_also(command):
    """What comes behind the help: exit status, other pages."""
    others = ["-".join([*command.words, inner.words[-1]]) for inner in command.commands]
    if len(command.words) > 1:
        others.insert(0, "-".join(command.words[:-1]))
    pages = ",\n".join(f".BR {name} (1)" for name in others)
    return ("[EXIT STATUS]\n0 success; 1 the work was done and found a failure; 2 wrong arguments or configuration; 3 an "
            "environment that cannot do it.\n\n[SEE ALSO]\n" + (pages + "\n.PP\n" if pages else "") +
            "The documentation is in /usr/share/doc/dojima-doc/html, of the package dojima-doc.\n")


def manual_pages(program, folder, version, date):
    """A page for each command; the files."""
    folder.mkdir(parents=True, exist_ok=True)
    commands = list(read(program).all())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as workers:
        return list(workers.map(lambda one: manual_page(one, program, version, date, folder), commands))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--man", type=Path, metavar="FOLDER")
    parser.add_argument("--version", default="0")
    parser.add_argument("--date", type=int, default=0, help="seconds since 1970")
    options = parser.parse_args()
    if not options.program.is_file():
        print(f"tools/commands.py: no program {options.program}", file=sys.stderr)
        return 3
    if options.man and shutil.which("help2man") is None:
        print("tools/commands.py: help2man is not installed: apt-get install help2man", file=sys.stderr)
        return 3
    try:
        if options.man:
            for page in manual_pages(options.program.resolve(), options.man, options.version, options.date):
                print(page)
        else:
            for command in read(options.program.resolve()).all():
                print(command.name)
    except NoHelp as error:
        print(f"tools/commands.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
