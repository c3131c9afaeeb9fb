#!/usr/bin/env python3
"""Clients made of QuickFIX/J through a whole trading day of the venue: tests/interop/trading_day_test.cpp with QuickFIX/J in
place of QuickFIX, in FIX 4.2, 4.4 and 5.0 SP2.

    tests/quickfixj/trading_day.py --build build/release

Builds tests/quickfixj with Maven (offline when it can; all of it in build/peers). Exit status 1: an order got other reports
than its phases call for; 3: java, javac or mvn is missing. Standard library only.
"""

import argparse
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import maven  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", type=pathlib.Path)
    options = parser.parse_args()
    program = options.build / "bin" / "dojima_interop_tests"
    if not program.exists():
        raise SystemExit(f"{program} is not there: ninja -C {options.build} dojima_interop_tests")
    class_path = maven.class_path(ROOT / "tests" / "quickfixj" / "pom.xml", "quickfixj/quickfixj-session.jar")
    return subprocess.run([program, "--gtest_filter=TradingDayLong.*"],
                          env={**os.environ, "DOJIMA_QUICKFIXJ": class_path}).returncode


if __name__ == "__main__":
    sys.exit(main())
