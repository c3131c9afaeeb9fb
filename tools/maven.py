"""Builds a program of a peer that is written in Java, with Maven, for a comparison or a test that is not part of the build.

All that Maven downloads and makes lies in build/peers; what was downloaded once is not asked for again. Without java, javac or
mvn: exit status 3, and what to install. Standard library only.
"""

import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PEERS = ROOT / "build" / "peers"
NEEDED = 3  # exit status: something must be installed


def class_path(pom, jar):
    """Of the program that `pom` builds as `jar`, below build/peers, with what it depends on in `lib` beside it."""
    missing = [name for name in ("java", "javac", "mvn") if shutil.which(name) is None]
    if missing:
        print(f"{', '.join(missing)} not found: install a JDK of 17 or later and Maven "
              "(apt-get install openjdk-17-jdk-headless maven)")
        sys.exit(NEEDED)
    command = ["mvn", "-q", "-B", "-f", pom, f"-Dmaven.repo.local={PEERS / 'repository'}", "package"]
    PEERS.mkdir(parents=True, exist_ok=True)
    if subprocess.run([*command, "-o"], capture_output=True).returncode != 0:
        online = subprocess.run(command, capture_output=True, text=True)
        if online.returncode != 0:
            errors = [line for line in online.stdout.splitlines() if "ERROR" in line]
            raise SystemExit(f"mvn failed: {errors[0] if errors else online.stderr.strip()}")
    built = PEERS / jar
    return f"{built}:{built.parent / 'lib' / '*'}"
