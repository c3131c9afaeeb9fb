"""Notebooks in the percent format (examples/notebooks) as pages: their text, their code, and what the code prints where the Python package is.
"""

import json
import re
import subprocess
import tempfile
from pathlib import Path

MARK = re.compile(r"^# %%(?P<markdown> \[markdown\])?\n", re.MULTILINE)

# Executes cells one after the other, as a notebook does: a last line that is an expression is shown.
RUNNER = """
import ast, contextlib, io, json, sys
cells, printed, names = json.load(sys.stdin), [], {"__name__": "__main__"}
for source in cells:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        body = ast.parse(source).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        exec(compile(ast.Module(body, []), "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
        if value is not None:
            print(repr(value))
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
"""


def cells_of(text):
    """(is it Markdown, its source) of each cell of a file in the percent format."""
    marks = list(MARK.finditer(text))
    if not marks or text[:marks[0].start()].strip():
        raise ValueError("there is something before the first cell")
    for mark, end in zip(marks, [*(mark.start() for mark in marks[1:]), len(text)], strict=True):
        source = text[mark.end():end].strip("\n")
        is_markdown = mark["markdown"] is not None
        yield is_markdown, re.sub(r"^# ?", "", source, flags=re.MULTILINE) if is_markdown else source


def printed_by(cells, interpreter):
    """What each cell of code prints, in an interpreter that has the package; RuntimeError when one fails."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([interpreter, "-c", RUNNER], input=json.dumps(cells), capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip()[-2000:])
    return json.loads(done.stdout)


def page_of(path, interpreter):
    """A notebook as Markdown; without an interpreter it shows no output."""
    cells = list(cells_of(Path(path).read_text(encoding="utf-8")))
    code = [source for is_markdown, source in cells if not is_markdown]
    outputs = iter(printed_by(code, interpreter) if interpreter else [""] * len(code))
    parts = []
    for is_markdown, source in cells:
        if is_markdown:
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        printed = next(outputs).rstrip()
        if printed:
            parts.append(f"```text\n{printed}\n```")
    return "\n\n".join(parts) + "\n"
