#!/usr/bin/env python3
"""Rewrites an image that buildah wrote (docker-archive), without what is different at every run: the id and the host name of the
container that it was built in. Configuration and layers stay what they are.

    python3 tools/container_archive.py FILE.tar --date SECONDS
"""

import argparse
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path


def rewritten(file, date):
    with tarfile.open(file) as old:
        manifest = json.load(old.extractfile("manifest.json"))
        image = manifest[0]
        settings = json.load(old.extractfile(image["Config"]))
        for name in ("container", "container_config"):
            settings.pop(name, None)
        settings.get("config", {}).pop("Hostname", None)
        config = json.dumps(settings, sort_keys=True, separators=(",", ":")).encode()
        image["Config"] = f"{hashlib.sha256(config).hexdigest()}.json"
        layers = [(name, old.extractfile(name).read()) for name in image["Layers"]]
    members = [*layers, (image["Config"], config), ("manifest.json", json.dumps(manifest).encode())]
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.GNU_FORMAT) as new:
        for name, content in members:
            member = tarfile.TarInfo(name)
            member.size, member.mtime, member.mode = len(content), date, 0o644
            new.addfile(member, io.BytesIO(content))
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("--date", type=int, default=0)
    options = parser.parse_args()
    try:
        content = rewritten(options.file, options.date)
    except (OSError, tarfile.TarError, KeyError, ValueError) as error:
        print(f"tools/container_archive.py: {options.file}: no image: {error}", file=sys.stderr)
        return 1
    options.file.write_bytes(content)
    return 0


if __name__ == "__main__":
    sys.exit(main())
