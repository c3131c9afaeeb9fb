#!/usr/bin/env python3
"""Builds the Python package's wheel and tries it where nothing else is installed.

    python3 tools/wheel.py [--out build/wheel] [--no-test]
    python3 tools/wheel.py --tools            only the interpreter with what builds and tests it; prints its path

What builds the wheel comes from PyPI into build/python-venv (tools/python/build.txt), what tests it into build/wheel-venv
(tools/python/test.txt). The wheel carries the libraries that it links. Then, in a fresh environment that has the wheel and
nothing else: a first back-test; after that, with NumPy, PyArrow, pytest and Hypothesis beside it, the package's tests, its
notebooks (tools/python/notebooks.txt), and mypy and pyright (tools/python/pyright.txt) over its stubs; the last says "skipped"
where the packages, or the Node.js that it fetches, cannot be had. Exit status: 0 built, 1 a step or a test failed, 2 wrong arguments, 3 no packages, no Python headers.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import pack  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "build" / "python-venv"
TRIED = ROOT / "build" / "wheel-venv"
LISTS = ROOT / "tools" / "python"
MOST_BYTES = 10_000_000


class Trouble(Exception):
    def __init__(self, text, status=1):
        super().__init__(text)
        self.status = status


def run(words, what, status=1, **more):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise Trouble(f"{what} failed:\n{done.stdout.strip()[-6000:]}", status)
    return done.stdout


def install(interpreter, packages):
    run([interpreter, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15", "-r", packages],
        f"installing what tools/python/{packages.name} names from PyPI", 3)


def install_if_possible(interpreter, packages):
    try:
        install(interpreter, packages)
    except Trouble:
        return False
    return True


def check_with_pyright(interpreter, work, surroundings):
    """The installed package as a user's code sees it, and such code, in strict mode."""
    if not install_if_possible(interpreter, LISTS / "pyright.txt"):
        return print("pyright: skipped: what tools/python/pyright.txt names cannot be had")
    began = subprocess.run([interpreter, "-m", "pyright", "--version"], capture_output=True, text=True, cwd=work, env=surroundings)
    if began.returncode != 0:
        return print("pyright: skipped: it cannot fetch the Node.js that it runs on")
    shutil.copy(ROOT / "tests" / "python" / "typed_strategy.py", work)
    (work / "pyrightconfig.json").write_text('{"typeCheckingMode": "strict", "include": ["typed_strategy.py"]}')
    told = run([interpreter, "-m", "pyright", "--pythonpath", interpreter], "pyright", cwd=work, env=surroundings)
    print("pyright: typed_strategy.py", told.strip().splitlines()[-1])


def tools(*lists):
    """The interpreter with what the lists name; each is asked for again only when it has changed."""
    interpreter = TOOLS / "bin" / "python3"
    if not interpreter.exists():
        run([sys.executable, "-m", "venv", TOOLS], f"making {TOOLS.name}", 3)
    for name in lists:
        packages, ready = LISTS / name, TOOLS / f"ready-{name}"
        wanted = packages.read_text()
        if not (ready.exists() and ready.read_text() == wanted):
            install(interpreter, packages)
            ready.write_text(wanted)
    return interpreter


def build(out):
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").exists():
        raise Trouble("this Python has no headers; Debian's are in python3-dev", 3)
    interpreter = tools("build.txt")
    raw = out / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    surroundings = dict(os.environ, PATH=f"{TOOLS / 'bin'}:{os.environ['PATH']}", SOURCE_DATE_EPOCH=str(pack.source_date()))
    run([interpreter, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", raw, ROOT / "python"],
        "building the wheel", env=surroundings)
    (plain,) = raw.glob("*.whl")
    for old in out.glob("*.whl"):
        old.unlink()
    run([interpreter, "-m", "auditwheel", "repair", "--strip", "--wheel-dir", out, plain], "putting its libraries into the wheel",
        env=surroundings)
    (wheel,) = out.glob("*.whl")
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        raise Trouble(f"{wheel.name} has {size:,} bytes, more than {MOST_BYTES:,}")
    print(f"wheel: {wheel.relative_to(ROOT) if wheel.is_relative_to(ROOT) else wheel}, {size:,} bytes")
    return wheel


def first_report():
    """The lines of the guide that lead to a first report."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    return blocks[0]


def test(wheel):
    shutil.rmtree(TRIED, ignore_errors=True)
    run([sys.executable, "-m", "venv", TRIED], "making an empty environment", 3)
    interpreter = TRIED / "bin" / "python3"
    run([interpreter, "-m", "pip", "install", "--quiet", "--no-index", wheel], "installing the wheel")
    surroundings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    surroundings["PYTHONDONTWRITEBYTECODE"] = "1"
    work = TRIED / "work"
    work.mkdir()
    shutil.copy(ROOT / "tests" / "python" / "first_day.csv", work / "day.csv")
    run([interpreter, "-c", first_report()], "the guide's first back-test", cwd=work, env=surroundings)
    if not (work / "run.html").exists():
        raise Trouble("the guide's first back-test left no page")
    print("the guide's first lines: ok, without NumPy")
    install(interpreter, LISTS / "test.txt")
    if not install_if_possible(interpreter, LISTS / "notebooks.txt"):
        print("notebooks: skipped: what tools/python/notebooks.txt names cannot be had")
    told = run([interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests" / "python"], "the package's tests",
               cwd=work, env=surroundings)
    print("pytest:", told.strip().splitlines()[-1])
    check_with_pyright(interpreter, work, surroundings)
    for what in (["-p", "dojima"], [ROOT / "tests" / "python" / "typed_strategy.py"]):
        told = run([interpreter, "-m", "mypy", "--strict", "--cache-dir", work / "mypy", *what], "mypy", cwd=work, env=surroundings)
        print("mypy:", what[-1] if what[0] == "-p" else what[-1].name, told.strip().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "wheel", help="where the wheel goes")
    parser.add_argument("--no-test", action="store_true", help="only build it")
    parser.add_argument("--tools", action="store_true", help="only make the interpreter that has nanobind; print its path")
    arguments = parser.parse_args()
    try:
        if arguments.tools:
            print(tools("build.txt", "test.txt"))
            return 0
        arguments.out.mkdir(parents=True, exist_ok=True)
        wheel = build(arguments.out.resolve())
        if not arguments.no_test:
            test(wheel)
    except Trouble as trouble:
        print(f"wheel: {trouble}", file=sys.stderr)
        return trouble.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
