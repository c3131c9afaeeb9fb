#!/usr/bin/env python3
"""The page docs/python-api.md: every public name of the Python package, from its stubs and sources.

    python3 tools/python_api.py --stub FILE           prints the page
    python3 tools/python_api.py --stub FILE --write   writes it

FILE is the _dojima.pyi that a build of the package has made beside its extension: `./dev wheel` leaves one in build/wheel-venv. What is written
in Python is read from python/dojima; nothing is imported. A test of the package holds the page against the stub that is installed. Exit
status: 0 done, 1 a public name that is nowhere, or no stub, 2 wrong arguments.
"""

import argparse
import ast
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "python" / "dojima"
PAGE = ROOT / "docs" / "python-api.md"
WIDTH = 110
SECTIONS = [
    ("Recorded data", ["read", "info", "convert", "events", "Day", "Table", "Instrument", "Event", "EventKind", "Side", "from_hftbacktest"]),
    ("Generated markets", ["market", "Market"]),
    ("Back-tests", ["Backtest", "Result", "strategies"]),
    ("Strategies", ["Strategy", "Desk", "Order", "Report", "ReportKind", "Trade"]),
    ("Books", ["Book", "Action", "BookReportKind", "Reason"]),
    ("Sweeps", ["sweep", "Sweep"]),
    ("Learning agents: `dojima.gym`", ["MarketMaking", "MarketMakingVector"]),
]
HEAD = """# Python: every name

What `import dojima` gives, name by name; [python.md](python.md) says what it is for. Made by `tools/python_api.py` from the package's stubs and
sources; a test holds it against them.
"""


class Trouble(Exception):
    pass


def definitions(path):
    """{name: node} of a module's classes and functions."""
    return {node.name: node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}


def public_names():
    for node in ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    raise Trouble("python/dojima/__init__.py has no __all__")


def text_of(node):
    """A docstring as a paragraph; what is indented in it is an example."""
    out = []
    for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
        is_code = paragraph.startswith(("class ", "    "))
        if is_code and out and out[-1].endswith("\n```"):
            out[-1] = out[-1].removesuffix("```") + f"\n{paragraph}\n```"
        else:
            out.append(f"```python\n{paragraph}\n```" if is_code else " ".join(paragraph.split()))
    return "\n\n".join(out)


def annotation(node):
    """A type as it is read: without the quotes of what is not imported, and without the module's own name."""
    return re.sub(r"\b_dojima\.", "", ast.literal_eval(node) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node))


def parameters(function):
    """The parameters as they are written, self left out."""
    given = function.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + given.defaults

    def one(argument, default, mark=""):
        text = mark + argument.arg + (f": {annotation(argument.annotation)}" if argument.annotation else "")
        return text if default is None else f"{text}{' = ' if argument.annotation else '='}{ast.unparse(default)}"

    out = []
    for at, (argument, default) in enumerate(zip(plain, defaults, strict=True)):
        if not (at == 0 and argument.arg in ("self", "cls")):
            out.append(one(argument, default))
        if at + 1 == len(given.posonlyargs) and out:
            out.append("/")
    if given.vararg:
        out.append(one(given.vararg, None, "*"))
    elif given.kwonlyargs:
        out.append("*")
    out += [one(argument, default) for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)]
    if given.kwarg:
        out.append(one(given.kwarg, None, "**"))
    return out


def signature(name, function, width):
    """One line where it is no longer than that, else filled lines."""
    words = parameters(function)
    result = f" -> {annotation(function.returns)}" if function.returns and function.name != "__init__" else ""
    if len(name) + len(", ".join(words)) + len(result) + 2 <= width:
        return f"{name}({', '.join(words)}){result}"
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) + 2 > width:
            lines.append("")
        lines[-1] += f"{' ' if lines[-1] else '    '}{word},"
    return f"{name}(\n" + "\n".join(lines) + f"\n){result}"


def is_enum(node):
    return any("Enum" in ast.unparse(base) for base in node.bases)


def values(node):
    """The names of an enumeration, with their meanings."""
    out = []
    for at, each in enumerate(node.body):
        if isinstance(each, ast.Assign):
            behind = node.body[at + 1] if at + 1 < len(node.body) else None
            is_said = isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant)
            out.append(f"`{each.targets[0].id}`" + (f" ({behind.value.value.rstrip('.').lower()})" if is_said else ""))
    return ", ".join(out) + "."


def remarks(source, node):
    """{name: text} of the fields of a class that have a `#:` remark in front."""
    lines = source.split("\n")
    out = {}
    for each in node.body:
        if isinstance(each, ast.AnnAssign):
            remark = []
            at = each.lineno - 2
            while at >= 0 and lines[at].strip().startswith("#:"):
                remark.insert(0, lines[at].strip()[2:].strip())
                at -= 1
            out[each.target.id] = " ".join(remark)
    return out


def members(node, source):
    """The list of what a class has."""
    fields = remarks(source, node)
    body = [inner for each in node.body for inner in (each.body if isinstance(each, ast.If) else [each])]
    for each in body:
        if isinstance(each, ast.AnnAssign) and not each.target.id.startswith("_"):
            default = f" = {ast.unparse(each.value)}" if each.value else ""
            yield f"{each.target.id}: {annotation(each.annotation)}{default}", fields.get(each.target.id, "")
        if not isinstance(each, ast.FunctionDef):
            continue
        text = text_of(each)
        decorators = [ast.unparse(decorator) for decorator in each.decorator_list]
        if each.name.startswith("_") and not (each.name == "__getitem__" and text):
            continue
        if "property" in decorators:
            yield f"{each.name}: {annotation(each.returns)}", text
        elif not any(decorator.endswith(".setter") for decorator in decorators):
            yield signature(each.name, each, math.inf), text


def entry(name, node, source):
    """A name's part of the page."""
    parts = [f"### `{name}`"]
    if isinstance(node, ast.FunctionDef):
        return "\n\n".join([*parts, f"```python\n{signature(name, node, WIDTH)}\n```", text_of(node)])
    maker = next((each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"), None)
    if maker and name != "Sweep":  # which sweep() makes
        parts.append(f"```python\n{signature(name, maker, WIDTH)}\n```")
    parts.append(text_of(node))
    if is_enum(node):
        parts.append(values(node))
    else:
        lines = [f"- `{what}`" + (f": {text}" if text else "") for what, text in members(node, source)]
        parts.append("\n".join(line.replace("\n", "\n  ") for line in lines))
    return "\n\n".join(part for part in parts if part)


def page(stub):
    if not stub.is_file():
        raise Trouble(f"no stub {stub}: ./dev wheel makes one")
    sources = [stub, *(PACKAGE / f"{name}.py" for name in ("__init__", "_market", "_migration", "_sweep", "gym"))]
    texts = {path: path.read_text(encoding="utf-8") for path in sources}
    found = {name: (node, texts[path]) for path in reversed(sources) for name, node in definitions(path).items()}
    shown = {name for _, names in SECTIONS for name in names}
    wanted = public_names() | {"MarketMaking", "MarketMakingVector"}
    if shown != wanted:
        raise Trouble(f"names without a section, or sections without a name: {', '.join(sorted(shown ^ wanted))}")
    nowhere = sorted(wanted - found.keys())
    if nowhere:
        raise Trouble(f"names without a definition: {', '.join(nowhere)}")
    parts = [HEAD.strip()]
    for title, names in SECTIONS:
        parts.append(f"## {title}")
        parts += [entry(name, *found[name]) for name in names]
    return "\n\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stub", type=Path, required=True, help="the extension's _dojima.pyi")
    parser.add_argument("--write", action="store_true", help="write docs/python-api.md")
    options = parser.parse_args()
    try:
        text = page(options.stub)
    except Trouble as trouble:
        print(f"tools/python_api.py: {trouble}", file=sys.stderr)
        return 1
    if options.write:
        PAGE.write_text(text, encoding="utf-8")
    else:
        print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
