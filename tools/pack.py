"""Archives with the same bytes whenever they are made from the same files: sorted, of one date, nobody's."""

import gzip
import io
import os
import subprocess
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def source_date():
    """SOURCE_DATE_EPOCH, or when the last commit was made."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    asked = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True)
    return int(asked.stdout.strip() or 0) if asked.returncode == 0 else 0


def archive(folder, file, date, inside=None):
    """`folder` as a .tar.gz that unpacks into one folder of its name, or of the name `inside`."""
    inside = inside or folder.name
    bytes_of = io.BytesIO()
    with tarfile.open(fileobj=bytes_of, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for path in [folder, *sorted(folder.rglob("*"))]:
            member = tar.gettarinfo(str(path), arcname=str(Path(inside) / path.relative_to(folder)))
            member.uid = member.gid = 0
            member.uname = member.gname = "root"
            member.mtime = date
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            if member.isfile():
                with path.open("rb") as content:
                    tar.addfile(member, content)
            else:
                tar.addfile(member)
    with file.open("wb") as out, gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=date) as packed:
        packed.write(bytes_of.getvalue())
