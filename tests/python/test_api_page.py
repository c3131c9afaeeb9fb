"""The page of every public name is that of the package which is installed."""

import subprocess
import sys
from pathlib import Path

import dojima

ROOT = Path(__file__).parents[2]


def test_it_says_what_the_stubs_and_sources_say():
    stub = Path(dojima.__file__).with_name("_dojima.pyi")
    made = subprocess.run([sys.executable, ROOT / "tools" / "python_api.py", "--stub", stub], capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert made.stdout == (ROOT / "docs" / "python-api.md").read_text(encoding="utf-8"), \
        f"renew it: python3 tools/python_api.py --stub {stub} --write"
