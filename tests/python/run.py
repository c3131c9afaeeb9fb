"""The package's tests against a build: python3 run.py FOLDER-OF-THE-PACKAGE PROGRAM; says "skipped" where pytest is missing."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

missing = [name for name in ("pytest", "hypothesis", "numpy") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: {sys.executable} has no {', '.join(missing)} (tools/python/test.txt)")
    sys.exit(0)
surroundings = dict(os.environ, PYTHONPATH=os.path.abspath(sys.argv[1]),
                    DOJIMA_PROGRAM=os.path.abspath(sys.argv[2]), PYTHONDONTWRITEBYTECODE="1")
sys.exit(subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", Path(__file__).parent],
                        env=surroundings).returncode)
