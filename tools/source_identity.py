#!/usr/bin/env python3
"""Says from which sources a program is built: a digest over the code, the commit, and whether the tree differs from it.

The code is what git tracks under dojima/, bench/ and cmake/ plus the CMake files of the root, without tests and documents.
The digest is the SHA-256 of the lines `sha256  path` of these files, sorted by path: what `sha256sum FILES | sha256sum`
prints. So it names the code as it lies on the disk, committed or not. With --output a C++ source file is written, and
only when it would change; without, the three values are printed.
"""

import argparse
import hashlib
import json
import pathlib
import subprocess
import sys

FOLDERS = ("dojima/", "bench/", "cmake/")
ROOT_FILES = ("CMakeLists.txt", "CMakePresets.json")
SUFFIXES = (".cpp", ".hpp", ".inl", ".cmake", ".in", ".txt")


def is_code(path):
    if path in ROOT_FILES:
        return True
    return path.startswith(FOLDERS) and path.endswith(SUFFIXES) and not path.endswith("_test.cpp")


def git(root, *arguments):
    """The output of a git command, or None where there is no repository (or no git)."""
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout.decode() if done.returncode == 0 else None


def code_files(root):
    listed = git(root, "ls-files", "-z", "--cached")
    if listed is not None:
        paths = listed.split("\0")
    else:
        paths = [file.relative_to(root).as_posix() for folder in FOLDERS for file in (root / folder).rglob("*")]
        paths += ROOT_FILES
    return sorted({path for path in paths if is_code(path) and (root / path).is_file()})


def digest(root, paths):
    lines = "".join(f"{hashlib.sha256((root / path).read_bytes()).hexdigest()}  {path}\n" for path in paths)
    return hashlib.sha256(lines.encode()).hexdigest()


def is_dirty(root):
    """Whether code differs from the commit, files that git does not know included; None outside of a repository."""
    status = git(root, "status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
    if status is None:
        return None
    return any(is_code(entry[3:]) for entry in status.split("\0") if len(entry) > 3)


def identity(root):
    commit = git(root, "rev-parse", "HEAD")
    return {"source_digest": digest(root, code_files(root)), "commit": commit.strip() if commit else "",
            "dirty": is_dirty(root)}


def cpp_source(values):
    dirty = {True: "true", False: "false", None: "std::nullopt"}
    lines = ["// Written by tools/source_identity.py; changes with every build of changed code.",
             '#include "dojima/evidence/build_identity.hpp"', "", "namespace dojima::evidence {", "",
             "const BuildIdentity& build_identity() {", "  static const BuildIdentity k_identity = {"]
    for key, value in values.items():
        lines.append(f"      .{key} = {dirty[value] if key == 'dirty' else json.dumps(value)},")
    lines += ["  };", "  return k_identity;", "}", "", "}  // namespace dojima::evidence", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    parser.add_argument("--output", type=pathlib.Path)
    for name in ("tool-version", "compiler", "flags", "build-type", "sanitizers"):
        parser.add_argument(f"--{name}", default="")
    arguments = parser.parse_args()

    found = identity(arguments.root.resolve())
    if arguments.output is None:
        for key, value in found.items():
            print(f"{key} {value}")
        return 0
    # In the order of the struct's members.
    text = cpp_source({"tool_version": arguments.tool_version, **found, "compiler": arguments.compiler,
                       "flags": " ".join(arguments.flags.split()), "build_type": arguments.build_type,
                       "sanitizers": arguments.sanitizers})
    if not arguments.output.exists() or arguments.output.read_text() != text:
        arguments.output.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
