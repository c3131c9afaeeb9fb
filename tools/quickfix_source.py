"""Builds QuickFIX from the source package that tools/fix_dictionaries.py reads, and the program of tests/quickfixj with it: a later
version than Debian's, with dictionaries. All of it lies in build/peers. Standard library only.
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tarfile

import fix_dictionaries

ROOT = pathlib.Path(__file__).resolve().parents[1]
VERSION = fix_dictionaries.PACKAGE.split("==")[1]
PLACE = ROOT / "build" / "peers" / f"quickfix-{VERSION}"
# What needs a database, Python, TLS or another system.
LEFT_OUT = ("MySQL", "Odbc", "PostgreSQL", "Quickfix", "SSL", "SocketMonitor_WIN32", "Threaded", "UtilitySSL")
TESTS = ROOT / "tests" / "quickfixj"


def unpack():
    """The folder `C++` of the package as `quickfix`, as programs include it."""
    dictionaries = fix_dictionaries.fetch()
    sources = PLACE / "include" / "quickfix"
    sources.mkdir(parents=True, exist_ok=True)
    with tarfile.open(next(fix_dictionaries.WORK.glob(f"quickfix-{VERSION}.tar.gz"))) as files:
        for member in files:
            parts = pathlib.PurePosixPath(member.name).parts
            if parts[1:2] == ("C++",) and member.isfile():
                path = sources.joinpath(*parts[2:])
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(files.extractfile(member).read())
    return dictionaries, sources


def compile_to(target, source, *flags):
    done = subprocess.run(["g++", "-O1", "-w", *flags, "-c", source, "-o", target], capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise SystemExit(f"{source} does not compile: {errors[0] if errors else done.stderr.strip()}")


def program():
    """(the program, the folder with the dictionaries). What is there already is taken."""
    made, dictionaries = PLACE / "quickfix-session", fix_dictionaries.WORK / "spec"
    newest = max(path.stat().st_mtime for path in TESTS.glob("*.[ch]pp"))
    if made.exists() and made.stat().st_mtime > newest:
        return made, dictionaries
    library = PLACE / "libquickfix.a"
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if not library.exists():
            print(f"building QuickFIX {VERSION}", file=sys.stderr)
            dictionaries, sources = unpack()
            jobs = {source.with_suffix(".o"): source for source in sources.glob("*.cpp")
                    if not source.stem.startswith(LEFT_OUT)}
            list(pool.map(lambda job: compile_to(*job, "-std=c++17", f"-I{sources}"), jobs.items()))
            subprocess.run(["ar", "rcs", library, *jobs], check=True)
    flags = [f"-I{PLACE / 'include'}", f"-I{PLACE / 'include' / 'quickfix'}"]
    compile_to(PLACE / "engine.o", TESTS / "quickfix_engine.cpp", "-std=c++17", *flags)
    compile_to(PLACE / "session.o", TESTS / "quickfix_session.cpp", "-std=c++20")
    subprocess.run(["g++", "-o", made, PLACE / "session.o", PLACE / "engine.o", library, "-lpthread"], check=True)
    return made, dictionaries
