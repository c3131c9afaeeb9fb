#!/usr/bin/env python3
"""Every link of the Markdown pages leads somewhere: to a file of this tree, and to a heading that its page has.

    python3 tools/site/links.py [--root FOLDER]      prints what leads nowhere
    python3 tools/site/links.py --self-test          planted links are found

Exit status: 0 all lead somewhere, 1 some do not, 2 wrong arguments.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)(\s+\"[^\"]*\")?\)")


def fences(lines):
    """For each line whether it is inside a code block, its fences included."""
    inside = None
    for line in lines:
        mark = re.match(r"\s*(`{3,}|~{3,})", line)
        if inside is None and mark:
            inside = mark[1][0] * 3
            yield True
        elif inside is not None:
            yield True
            if mark and mark[1].startswith(inside) and line.strip(" `~\n") == "":
                inside = None
        else:
            yield False


def spans_hidden(line):
    """The line with the text between backquotes blanked out, so that positions stay."""
    return re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", lambda span: " " * len(span[0]), line)


def links_of(text):
    """(line number from 1, match) of each link outside code."""
    lines = text.split("\n")
    for number, (line, is_code) in enumerate(zip(lines, fences(lines)), 1):
        if is_code:
            continue
        hidden = spans_hidden(line)
        for link in LINK.finditer(line):
            # A link whose text is code is a link; one inside code is not.
            if hidden[link.start(3) - 1] == "(":
                yield number, link


def slug(heading):
    """The anchor of a heading, as GitHub and MyST make it."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    text = re.sub(r"[*]+", "", text).strip().lower()
    text = re.sub(r"[^\w\- ]", "", text)
    return text.replace(" ", "-")


def anchors_of(text):
    lines = text.split("\n")
    seen = {}
    for line, is_code in zip(lines, fences(lines)):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading and not is_code:
            name = slug(heading[1])
            count = seen.get(name, 0)
            seen[name] = count + 1
            yield name if count == 0 else f"{name}-{count}"
    for anchor in re.finditer(r"<a (?:id|name)=\"([^\"]+)\"", text):
        yield anchor[1]


def is_outside(target):
    return re.match(r"[a-z][a-z0-9+.-]*:", target) is not None


def pages_of(root):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=root, capture_output=True, text=True)
    names = listed.stdout.split("\n") if listed.returncode == 0 else []
    if not any(names):
        names = [str(page.relative_to(root)) for page in root.rglob("*.md") if "build" not in page.parts]
    return sorted(name for name in names if name and (root / name).is_file())


def wrong_links(root):
    """What leads nowhere, a line each."""
    texts = {name: (root / name).read_text(encoding="utf-8") for name in pages_of(root)}
    anchors = {name: set(anchors_of(text)) for name, text in texts.items()}
    for name, text in texts.items():
        for number, link in links_of(text):
            target = link[3]
            if is_outside(target):
                continue
            path, _, anchor = target.partition("#")
            to = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
            if to.startswith("..") or os.path.isabs(to):
                yield f"{name}:{number}: {target}: leads out of the tree"
            elif not (root / to).exists():
                yield f"{name}:{number}: {target}: no such file"
            elif anchor and to in anchors and anchor not in anchors[to]:
                near = [known for known in sorted(anchors[to]) if known.startswith(anchor[:4])]
                yield f"{name}:{number}: {target}: {to} has no such heading" + (f"; near: {', '.join(near[:3])}" if near else "")


def self_test():
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        (root / "a.md").write_text("# A `b` c\n[ok](#a-b-c) [gone](b.md) [out](../x.md) `[code](nowhere)`\n"
                                   "```\n[code](nowhere)\n```\n[web](https://nowhere.example/) [h](a.md#no) [`c`](c.md)\n"
                                   "## Twice\n## Twice\n[two](#twice-1) [three](#twice-2)\n")
        found = list(wrong_links(root))
        wanted = ["a.md:2: b.md: no such file", "a.md:2: ../x.md: leads out of the tree",
                  "a.md:6: a.md#no: a.md has no such heading", "a.md:6: c.md: no such file",
                  "a.md:9: #twice-2: a.md has no such heading; near: twice, twice-1"]
        if found != wanted:
            print("planted links: found", *found, "wanted", *wanted, sep="\n  ")
            return 1
    print("planted links are found")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    wrong = list(wrong_links(options.root))
    print(*wrong, sep="\n" if wrong else "")
    print(f"{len(wrong)} links lead nowhere")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
