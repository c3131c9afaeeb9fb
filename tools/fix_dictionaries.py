#!/usr/bin/env python3
"""Makes the FIX dictionaries of dojima/fix/dictionaries/ from the facts in a packaged dictionary.

    python3 tools/fix_dictionaries.py [--check] [--from FOLDER]
    python3 tools/fix_dictionaries.py --pages [--check]

Tag numbers, names, types, enumerations, and the members of every component, group and message are facts; they are read
from the XML files in the source package of PyPI's `quickfix` (see NOTICE) and written in our own compact format, which
dojima/fix/dictionary_model.hpp describes. The package is fetched by pip in a virtual environment of its own,
build/fix-dictionaries; --from reads a folder that has the XML files already. --pages makes the pages of
docs/dictionaries/ from the dictionaries that are there, without any package. --check writes nothing and compares.
Exit status: 0 success, 1 --check found a difference, 3 the package cannot be had.
"""

import argparse
import pathlib
import subprocess
import sys
import tarfile
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parents[1]
PACKAGE = "quickfix==1.16.0"
WORK = ROOT / "build" / "fix-dictionaries"
TARGET = ROOT / "dojima" / "fix" / "dictionaries"
FILES = {name: name.lower() for name in ("FIX40", "FIX41", "FIX42", "FIX43", "FIX44", "FIX50", "FIX50SP1", "FIX50SP2",
                                         "FIXT11")}
DATA_TYPES = ("DATA", "XMLDATA")
EXEC_INST, IOI_QTY = "18", "27"


def with_lines_of_text(root):
    """FIX 4.0 repeats Text as often as LinesOfText says, as later versions do; the file has the two side by side."""
    for message in root.find("messages"):
        names = [member.get("name") for member in message]
        if "LinesOfText" in names and "Text" in names:
            lines, text = (message[names.index(name)] for name in ("LinesOfText", "Text"))
            if lines.tag == "field":
                lines.tag = "group"
                message.remove(text)
                lines.append(text)
    return root


def type_of(root, field):
    """The type of a field. Up to FIX 4.1, CHAR is text of any length, and ExecInst a list of such texts."""
    kind = field.get("type")
    if kind == "CHAR" and root.get("type") == "FIX" and (int(root.get("major")), int(root.get("minor"))) < (4, 2):
        return "MULTIPLEVALUESTRING" if field.get("number") == EXEC_INST else "STRING"
    return kind


def fetch():
    """The folder with the XML files of the package."""
    python = WORK / "venv" / "bin" / "python3"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(WORK / "venv")], check=True)
    subprocess.run([str(python), "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest",
                    str(WORK), PACKAGE], check=True)
    archive = next(WORK.glob("quickfix-*.tar.gz"))
    folder = WORK / "spec"
    folder.mkdir(exist_ok=True)
    with tarfile.open(archive) as files:
        for member in files:
            name = pathlib.PurePosixPath(member.name)
            if name.parent.name == "spec" and name.stem in FILES:
                (folder / name.name).write_bytes(files.extractfile(member).read())
    return folder


class Writer:
    """One XML file as lines of our format."""

    def __init__(self, root):
        self.root = root
        self.numbers = {field.get("name"): int(field.get("number")) for field in root.find("fields")}
        self.types = {field.get("name"): type_of(root, field) for field in root.find("fields")}
        self.lengths = self.find_lengths()

    def find_lengths(self):
        """{data field: the length field in front of it}, or in front of it in the list of fields."""
        lengths, before = {}, {}
        for parent in self.root.iter():
            last = None
            for child in parent:
                name = child.get("name")
                if child.tag == "field" and self.types.get(name) in DATA_TYPES:
                    found = lengths if parent.tag != "fields" else before
                    if last is not None and self.types.get(last) == "LENGTH":
                        found[name] = last
                last = name if child.tag == "field" else None
        return {**before, **lengths}

    def members(self, parent):
        words = []
        for child in parent:
            mark = "!" if child.get("required") == "Y" else ""
            if child.tag == "component":
                words.append(f"@{child.get('name')}{mark}")
            elif child.tag == "group":
                words += [f"{self.numbers[child.get('name')]}{mark}(", *self.members(child), ")"]
            else:
                words.append(f"{self.numbers[child.get('name')]}{mark}")
        return words

    def field(self, field):
        name = field.get("name")
        words = ["field", field.get("number"), self.types[name], name]
        if self.types[name] in DATA_TYPES and name in self.lengths:
            words.append(f"length:{self.numbers[self.lengths[name]]}")
        values = [(value.get("enum"), value.get("description")) for value in field]
        words += [f"{value}={meaning}" for value, meaning in values if " " not in value]
        if any(" " in value for value, _ in values) or field.get("number") == IOI_QTY:
            words.append("...")  # the list names a whole standard, or letters beside numbers: any value may be there
        return words

    def lines(self, source):
        root = self.root
        yield ["dojima-fix-dictionary", "1"]
        yield [f"# Facts from {PACKAGE.replace('==', ' ')}, {source}; made by tools/fix_dictionaries.py, not by hand."]
        yield ["version", root.get("type"), root.get("major"), root.get("minor"), root.get("servicepack")]
        for field in sorted(root.find("fields"), key=lambda field: int(field.get("number"))):
            yield self.field(field)
        for component in root.find("components"):
            yield ["component", component.get("name"), *self.members(component)]
        for part in ("header", "trailer"):
            if len(root.find(part)):
                yield [part, *self.members(root.find(part))]
        for message in root.find("messages"):
            yield ["message", message.get("msgtype"), message.get("msgcat"), message.get("name"),
                   *self.members(message)]


PAGES = {"fix-4.0": ("FIX 4.0", ["fix40"]), "fix-4.1": ("FIX 4.1", ["fix41"]), "fix-4.2": ("FIX 4.2", ["fix42"]),
         "fix-4.3": ("FIX 4.3", ["fix43"]), "fix-4.4": ("FIX 4.4", ["fix44"]),
         "fix-5.0": ("FIXT 1.1 and FIX 5.0", ["fixt11", "fix50"]),
         "fix-5.0-sp1": ("FIXT 1.1 and FIX 5.0 SP1", ["fixt11", "fix50sp1"]),
         "fix-5.0-sp2": ("FIXT 1.1 and FIX 5.0 SP2", ["fixt11", "fix50sp2"])}
PAGE_TARGET = ROOT / "docs" / "dictionaries"


def required_in(words):
    """What a message requires: its own fields by number, components by name."""
    depth, required = 0, []
    for word in words:
        if depth == 0 and word.rstrip("(").endswith("!"):
            required.append(word.rstrip("(").rstrip("!").lstrip("@"))
        depth += (word.endswith("(")) - (word == ")")
    return required


def page(title, names):
    """One page: the messages and the fields of a version."""
    fields, messages = {}, []
    for name in names:
        for line in (TARGET / f"{name}.dict").read_text().splitlines():
            words = line.split(" ")
            if words[0] == "field":
                values = [word for word in words[4:] if "=" in word]
                fields[int(words[1])] = (words[3], words[2], len(values), "..." in words)
            elif words[0] == "message":
                messages.append((words[1], words[3], words[2], required_in(words[4:])))
    yield f"# {title}: messages and fields"
    yield ""
    yield (f"Made from {', '.join(f'`dojima/fix/dictionaries/{name}.dict`' for name in names)} by "
           "`python3 tools/fix_dictionaries.py --pages`. All of this is read, validated, written and printed.")
    yield ""
    yield f"## {len(messages)} messages"
    yield ""
    yield "Required: fields by number and components by name; the header's come on top."
    yield ""
    yield "| type | message | kind | required |"
    yield "|---|---|---|---|"
    for kind, name, category, required in messages:
        yield f"| {kind} | {name} | {category} | {', '.join(required) or '-'} |"
    yield ""
    yield f"## {len(fields)} fields"
    yield ""
    yield "| tag | field | type | values |"
    yield "|---|---|---|---|"
    for tag, (name, kind, count, is_open) in sorted(fields.items()):
        values = f"{count} and any other" if is_open else str(count) if count else ""
        yield f"| {tag} | {name} | {kind} | {values} |"


def make_pages(is_check):
    different = []
    for name, (title, names) in PAGES.items():
        text = "\n".join(page(title, names)) + "\n"
        file = PAGE_TARGET / f"{name}.md"
        if is_check:
            if not file.exists() or file.read_text() != text:
                different.append(file.name)
        else:
            PAGE_TARGET.mkdir(exist_ok=True)
            file.write_text(text)
    for name in different:
        print(f"fix_dictionaries: {name} is not what the dictionaries give; run it again with --pages")
    return 1 if different else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; compare with what is committed")
    parser.add_argument("--from", dest="folder", type=pathlib.Path, help="a folder with the XML files")
    parser.add_argument("--pages", action="store_true", help="make docs/dictionaries/ from the dictionaries")
    options = parser.parse_args()
    if options.pages:
        return make_pages(options.check)
    try:
        folder = options.folder or fetch()
    except (subprocess.CalledProcessError, OSError) as error:
        print(f"fix_dictionaries: the package {PACKAGE} cannot be had: {error}", file=sys.stderr)
        return 3
    different = []
    for source, target in FILES.items():
        root = with_lines_of_text(xml.parse(folder / f"{source}.xml").getroot())
        text = "".join(" ".join(words) + "\n" for words in Writer(root).lines(f"{source}.xml"))
        file = TARGET / f"{target}.dict"
        if options.check:
            if not file.exists() or file.read_text() != text:
                different.append(file.name)
        else:
            TARGET.mkdir(exist_ok=True)
            file.write_text(text)
            print(f"{file.relative_to(ROOT)}: {len(text)} bytes")
    for name in different:
        print(f"fix_dictionaries: {name} is not what the package gives")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
