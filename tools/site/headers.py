"""Headers as Doxygen reads them: the opening `//` comment of a header becomes the text of its page, examples in it become code,
and signs that Doxygen would take for its own commands are taken as they are.
"""

import re


def escaped(text):
    """Text of a comment with nothing in it that Doxygen obeys; the text between backquotes is left alone."""
    parts = re.split(r"(`[^`]*`)", text)
    parts[::2] = [re.sub(r"([\\@<>#%&$])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts)


def opening(lines):
    """(first, last + 1) of the opening comment: the first run of `//` lines, behind nothing but `#pragma once` and blanks."""
    for first, line in enumerate(lines):
        if line.startswith("//") and not line.startswith("///"):
            last = first
            while last < len(lines) and lines[last].startswith("//") and not lines[last].startswith("///"):
                last += 1
            return first, last
        if line.strip() and not line.startswith("#pragma once"):
            return None
    return None


def is_code(text):
    return text.startswith("   ")


def page_text(comment):
    """The lines of an opening comment, without their `//`, as the inside of a Doxygen comment."""
    out = []
    at = 0
    while at < len(comment):
        text = comment[at][2:]
        # Code is indented, and is behind a blank line.
        if is_code(text) and (at == 0 or comment[at - 1][2:].strip() == "" or comment[at - 1].rstrip().endswith(":")):
            out.append("@code{.unparsed}")
            while at < len(comment) and (is_code(comment[at][2:]) or (comment[at][2:].strip() == "" and at + 1 < len(comment) and
                                                                       is_code(comment[at + 1][2:]))):
                out.append(comment[at][3:].removeprefix("  "))
                at += 1
            out.append("@endcode")
            continue
        out.append(escaped(text.removeprefix(" ")))
        at += 1
    return out


def for_doxygen(text, path):
    """A header's text for Doxygen."""
    lines = text.split("\n")
    found = opening(lines)
    if found:
        first, last = found
        inside = [line.replace("*/", "* /").replace("/*", "/ *") for line in page_text(lines[first:last])]
        lines[first:last] = [f"/*! @file {path}", *inside, "*/"]
    for at, line in enumerate(lines):
        found = re.search(r"///(<?)", line)
        if found and "\"" not in line[:found.start()]:
            lines[at] = line[:found.end()] + escaped(line[found.end():])
    return "\n".join(lines)


def brief(text):
    """The first sentence of a header's opening comment, as Markdown."""
    lines = text.split("\n")
    found = opening(lines)
    if not found:
        return ""
    words = []
    for line in lines[found[0]:found[1]]:
        inside = line[2:].strip()
        if not inside or is_code(line[2:]):
            break
        words.append(inside)
    sentence = re.split(r"(?<=[.:])\s+(?=[A-Z(`])", " ".join(words))[0]
    return sentence
