#!/usr/bin/env python3
"""Plays the shipped FIX test cases with fix-script against fix-echo with its shipped configuration over TCP, for every version at
once, and ends what it started.

    over_sockets.py --echo build/release/bin/fix-echo --script build/release/bin/fix-script --cases examples/fix_script/cases
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

# BeginString, DefaultApplVerID and the client's name: sessions of one BeginString are distinguished by their names.
VERSIONS = (("FIX.4.0", "", "TW"), ("FIX.4.1", "", "TW"), ("FIX.4.2", "", "TW"), ("FIX.4.3", "", "TW"), ("FIX.4.4", "", "TW"),
            ("FIXT.1.1", "7", "TW50"), ("FIXT.1.1", "8", "TW50SP1"), ("FIXT.1.1", "9", "TW"))
SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "examples/fix_echo/echo.toml"


def configuration():
    """The shipped one, on any free port."""
    text, ports = re.subn(r"^port = \d+$", "port = 0", SHIPPED.read_text(), flags=re.MULTILINE)
    if ports != 1:
        sys.exit(f"{SHIPPED}: no line with its port")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--echo", required=True)
    parser.add_argument("--script", required=True)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--repeat", type=int, default=1, help="play each case so often")
    parser.add_argument("--only", action="append", help="the name of a case to play; others are left out unless they are named too")
    parser.add_argument("--except", dest="left_out", action="append", default=[], help="names of cases to leave out")
    arguments = parser.parse_args()
    cases = sorted(str(file) for file in pathlib.Path(arguments.cases).glob("*.fixcase") if file.stem not in arguments.left_out
                   and (arguments.only is None or file.stem in arguments.only))
    missing = set(arguments.only or ()) - {pathlib.Path(case).stem for case in cases}
    if missing:
        parser.error(f"no case {', '.join(sorted(missing))}")
    failed = False
    with tempfile.TemporaryDirectory(prefix="dojima-fix-cases-") as folder:
        config = pathlib.Path(folder) / "echo.toml"
        config.write_text(configuration())
        echo = subprocess.Popen([arguments.echo, "--config", str(config), "--quiet"], stdout=subprocess.PIPE, text=True)
        try:
            line = echo.stdout.readline()
            port = re.search(r"listening on 127\.0\.0\.1:(\d+),", line)
            if port is None:
                sys.exit(f"fix-echo does not listen: {line!r}")

            def play(version):
                begin_string, application, name = version
                words = [arguments.script, "--port", port[1], "--begin-string", begin_string, "--sender", name,
                         "--repeat", str(arguments.repeat), "--quiet"]
                if application:
                    words += ["--set", f"default_appl_ver_id={application}"]
                return subprocess.run(words + cases, text=True, capture_output=True, check=False)

            # All at once: a case mostly waits for what its session says after a second or two.
            with concurrent.futures.ThreadPoolExecutor(len(VERSIONS)) as pool:
                for version, played in zip(VERSIONS, pool.map(play, VERSIONS)):
                    print(f"{' '.join(version)}: {played.stdout.strip()}", played.stderr.strip(), flush=True)
                    failed |= played.returncode != 0
            if echo.poll() is not None:
                print(f"fix-echo has ended with status {echo.returncode}")
                failed = True
        finally:
            echo.terminate()
            echo.wait(timeout=30)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
