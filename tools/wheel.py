#!/usr/bin/env python3
"""Makes the Python package's source archive, builds its wheel from that, and tries it where nothing else is installed.

    python3 tools/wheel.py [--out build/wheel] [--no-test] [--twice] [--python python3.12] [--also python3.13]
    python3 tools/wheel.py --tools            only the interpreter with what builds and tests it; prints its path

What builds the wheel comes from PyPI into build/python-venv (tools/python/build.txt), what tests it into build/wheel-venv
(tools/python/test.txt). The wheel carries the libraries that it links, and replaces an earlier one for the same Pythons only. By
Python 3.12 and later, with a CMake from PyPI that knows the stable ABI (tools/python/stable.txt), it is one for all versions from
3.12 on. Then, in a fresh environment that has the wheel and nothing else: a first back-test; after that, with NumPy, PyArrow, pytest
and Hypothesis beside it, the package's tests, its notebooks (tools/python/notebooks.txt), Polars, pandas and DuckDB (frames.txt), Ray
and Optuna (sweeps.txt), and mypy and pyright (pyright.txt) over its stubs; of these each says "skipped" where its packages, or the
Node.js that one fetches, cannot be had. Exit status: 0 built, 1 a step or a test failed, 2 wrong arguments, 3 no packages, no Python
headers.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import pack  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "build" / "python-venv"
TRIED = ROOT / "build" / "wheel-venv"
STABLE = (3, 12)
LISTS = ROOT / "tools" / "python"
MOST_BYTES = 4_000_000
# Larger than all else in the wheel together: nothing in it needs more than a digest.
REFUSED = re.compile(r"/lib(crypto|ssl)\b")


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
    output = run([interpreter, "-m", "pyright", "--pythonpath", interpreter], "pyright", cwd=work, env=surroundings)
    print("pyright: typed_strategy.py", output.strip().splitlines()[-1])


def tools(*lists, python=sys.executable):
    """The interpreter with what the lists name; each is asked for again only when it has changed."""
    folder = TOOLS if python == sys.executable else TOOLS.with_name(f"{TOOLS.name}-{Path(python).name}")
    interpreter = folder / "bin" / "python3"
    if not interpreter.exists():
        run([python, "-m", "venv", folder], f"making {folder.name}", 3)
    for name in lists:
        packages, ready = LISTS / name, folder / f"ready-{name}"
        wanted = packages.read_text()
        if not (ready.exists() and ready.read_text() == wanted):
            install(interpreter, packages)
            ready.write_text(wanted)
    return interpreter


def version_of(python):
    output = run([python, "-c", "import sys, sysconfig; print(*sys.version_info[:2], sysconfig.get_paths()['include'])"], str(python), 3)
    major, minor, headers = output.strip().split(" ", 2)
    return (int(major), int(minor)), Path(headers)


def source_archive(out, interpreter, surroundings):
    """The package as its sources, which pip takes as well. One that is there and has the same bytes stays: wheels that are younger are of it."""
    fresh = out / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    run([interpreter, "-c", "import sys, scikit_build_core.build as backend; backend.build_sdist(sys.argv[1])", fresh],
        "making the source archive", cwd=ROOT, env=surroundings)
    (made,) = fresh.glob("dojima-*.tar.gz")
    archive = out / made.name
    if not archive.exists() or archive.read_bytes() != made.read_bytes():
        for old in out.glob("dojima-*.tar.gz"):
            old.unlink()
        made.rename(archive)
    shutil.rmtree(fresh)
    return archive


def wheel_of(archive, place, interpreter, surroundings, is_stable):
    """The wheel that the archive's sources give, in `place`: nothing of the tree is seen."""
    shutil.rmtree(place, ignore_errors=True)
    with tarfile.open(archive) as sources:
        sources.extractall(place)
    marked = ["-C", f"wheel.py-api=cp{STABLE[0]}{STABLE[1]}"] if is_stable else []
    run([interpreter, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", *marked, "--wheel-dir", place / "raw",
         place / archive.name.removesuffix(".tar.gz")], "building the wheel", env=surroundings)
    (plain,) = (place / "raw").glob("*.whl")
    run([interpreter, "-m", "auditwheel", "repair", "--strip", "--wheel-dir", place / "repaired", plain],
        "putting its libraries into the wheel", env=surroundings)
    (wheel,) = (place / "repaired").glob("*.whl")
    return wheel


def check(wheel, is_stable):
    size = wheel.stat().st_size
    if size > MOST_BYTES:
        raise Trouble(f"{wheel.name} has {size:,} bytes, more than {MOST_BYTES:,}")
    inside = zipfile.ZipFile(wheel).namelist()
    refused = [name for name in inside if REFUSED.search(name)]
    if refused:
        raise Trouble(f"{wheel.name} holds {', '.join(refused)}: which room links OpenSSL?")
    if is_stable and ("-abi3-" not in wheel.name or not any(name.endswith(".abi3.so") for name in inside)):
        raise Trouble(f"{wheel.name} was to be one for all versions from {STABLE[0]}.{STABLE[1]} on")


def build(out, python=sys.executable, twice=False):
    version, headers = version_of(python)
    if not (headers / "Python.h").exists():
        raise Trouble("this Python has no headers; Debian's are in python3-dev", 3)
    is_stable = version >= STABLE
    interpreter = tools(*(["build.txt", "stable.txt"] if is_stable else ["build.txt"]), python=python)
    surroundings = dict(os.environ, PATH=f"{interpreter.parent}:{os.environ['PATH']}", SOURCE_DATE_EPOCH=str(pack.source_date()))
    made = []
    # In the same place: without a compiler cache objects name the folder that they were compiled in.
    for _ in range(2 if twice else 1):
        archive = source_archive(out, interpreter, surroundings)
        wheel = wheel_of(archive, out / "source", interpreter, surroundings, is_stable)
        made.append((archive.read_bytes(), wheel.read_bytes()))
    for file, first, last in zip((archive, wheel), made[0], made[-1], strict=True):
        if first != last:
            raise Trouble(f"made twice, and not the same bytes: {file.name}")
    check(wheel, is_stable)
    name, version, interpreters, abi, _ = wheel.name.split("-")
    for old in out.glob(f"{name}-*-{interpreters}-{abi}-*.whl"):
        old.unlink()
    wheel = wheel.rename(out / wheel.name)
    for file in (archive, wheel):
        print(f"made: {file.relative_to(ROOT) if file.is_relative_to(ROOT) else file}, {file.stat().st_size:,} bytes"
              f"{', twice the same' if twice else ''}")
    return wheel


def first_report():
    """The lines of the guide that lead to a first report."""
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    return blocks[0]


def try_first_report(wheel, python):
    """The wheel in an environment that has nothing else; its interpreter, a folder to work in and what surrounds both."""
    shutil.rmtree(TRIED, ignore_errors=True)
    run([python, "-m", "venv", TRIED], "making an empty environment", 3)
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
    version, _ = version_of(interpreter)
    print(f"the guide's first lines, Python {version[0]}.{version[1]}: ok, without NumPy")
    return interpreter, work, surroundings


def test(wheel, python):
    interpreter, work, surroundings = try_first_report(wheel, python)
    install(interpreter, LISTS / "test.txt")
    for name in ("notebooks.txt", "frames.txt", "sweeps.txt"):
        if not install_if_possible(interpreter, LISTS / name):
            print(f"{name}: skipped: what tools/python/{name} names cannot be had")
    output = run([interpreter, "-m", "pytest", "-q", "-p", "no:cacheprovider", ROOT / "tests" / "python"], "the package's tests",
               cwd=work, env=surroundings)
    print("pytest:", output.strip().splitlines()[-1])
    check_with_pyright(interpreter, work, surroundings)
    for what in (["-p", "dojima"], [ROOT / "tests" / "python" / "typed_strategy.py"]):
        output = run([interpreter, "-m", "mypy", "--strict", "--cache-dir", work / "mypy", *what], "mypy", cwd=work, env=surroundings)
        print("mypy:", what[-1] if what[0] == "-p" else what[-1].name, output.strip().splitlines()[-1])


def refuse_what_does_not_run(interpreter):
    """Before anything is built: a name may be found and lead to no Python, as those of version managers do."""
    try:
        done = subprocess.run([interpreter, "-c", "pass"], capture_output=True, text=True)
        trouble = done.stderr.strip().partition("\n")[0] if done.returncode != 0 else ""
    except OSError as thrown:
        trouble = thrown.strerror
    if trouble:
        raise Trouble(f"{interpreter} does not run: {trouble}", 2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "wheel", help="where the wheel goes")
    parser.add_argument("--no-test", action="store_true", help="only build it")
    parser.add_argument("--twice", action="store_true", help="build archive and wheel once more and compare")
    parser.add_argument("--python", default=sys.executable, help="which Python builds and tests it")
    parser.add_argument("--also", action="append", default=[], metavar="PYTHON", help="another one that the wheel is to run in")
    parser.add_argument("--tools", action="store_true", help="only make the interpreter that has nanobind; print its path")
    arguments = parser.parse_args()
    try:
        if arguments.tools:
            print(tools("build.txt", "test.txt"))
            return 0
        arguments.out.mkdir(parents=True, exist_ok=True)
        for given in [arguments.python, *arguments.also]:
            refuse_what_does_not_run(given)
        python = shutil.which(arguments.python) or arguments.python
        wheel = build(arguments.out.resolve(), python, arguments.twice)
        for other in arguments.also:
            try_first_report(wheel, other)
        if not arguments.no_test:
            test(wheel, python)
    except Trouble as trouble:
        print(f"wheel: {trouble}", file=sys.stderr)
        return trouble.status
    return 0


if __name__ == "__main__":
    sys.exit(main())
