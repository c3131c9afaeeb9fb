#!/usr/bin/env python3
"""Presses the tab key in bash, zsh and fish, and looks at what the line has become.

    python3 tests/completion/shells.py --program build/release/bin/dojima [--shell bash]...

Each shell runs at a terminal of its own, in an empty folder with an empty home, with the script that `dojima completion`
prints. A shell that is not installed is named and left out. Exit status: 0 right, 1 something else is there, 2 wrong
arguments.
"""

import argparse
import os
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENTER, TAB, KILL_LINE = "\r", "\t", "\x15"
# (what is typed before the tab key, the whole line afterwards)
LINES = [
    ("dojima conf", "dojima config "),
    ("dojima config def", "dojima config default "),
    ("dojima config default ve", "dojima config default venue "),
    ("dojima data info --form", "dojima data info --format "),
    ("dojima data info --format itc", "dojima data info --format itch50 "),
    ("dojima data info --format=itc", "dojima data info --format=itch50 "),
    ("dojima fsm print fix-sess", "dojima fsm print fix-session "),
    ("dojima bench bo", "dojima bench book "),
    ("dojima venue --config ven", "dojima venue --config venue.toml "),
    ("dojima venue --config=ven", "dojima venue --config=venue.toml "),
    ("dojima venue --set listen.po", "dojima venue --set listen.port="),
    ("dojima venue --journal some-f", "dojima venue --journal some-folder/"),
    ("dojima replay 'two days.csv' --only RI", "dojima replay 'two days.csv' --only RICE "),
    ("dojima completion f", "dojima completion fish "),
]
STARTS = {
    # --norc, -f, --no-config: nothing of this machine's; a prompt that is recognised; what the shell prints when it is ready.
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "PS1='> '; bind 'set enable-bracketed-paste off'; source <(dojima completion bash)"),
    "zsh": (["zsh", "-f", "-i"],
            "PS1='> '; ZLE_REMOVE_SUFFIX_CHARS=; unsetopt auto_remove_slash; unset zle_bracketed_paste; autoload -U compinit; compinit -u -D; source <(dojima completion zsh)"),
}


class Shell:
    """A shell at a terminal."""

    def __init__(self, words, folder, environment):
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        self.output = b""

    def send(self, text):
        os.write(self.terminal, text.encode())

    def wait_for(self, text, seconds=20.0):
        """Reads until the text is there; what was read up to its end."""
        end = time.monotonic() + seconds
        while text.encode() not in self.output:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                raise TimeoutError(f"no {text!r} within {seconds} s; there is: {self.output[-600:]!r}")
            try:
                self.output += os.read(self.terminal, 65536)
            except OSError:
                raise TimeoutError(f"the shell ended; there is: {self.output[-600:]!r}") from None
        head, _, self.output = self.output.partition(text.encode())
        return head.decode(errors="replace") + text

    def close(self):
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def try_terminal(name, folder, environment):
    """Wrong lines of bash or zsh."""
    words, start = STARTS[name]
    shell = Shell(words, folder, environment)
    wrong = []
    try:
        # The line comes back from the history, where the shell has kept it as it was typed.
        shell.send(start + ENTER)
        if name == "zsh":
            shell.send("setopt interactive_comments" + ENTER)
            # What runs is in the history of bash already, in that of zsh only afterwards.
            shell.send("preexec() { running=$1; }" + ENTER)
        line = "${running#*#}" if name == "zsh" else "$(fc -ln -1 | sed -e 's/^[^#]*#//')"
        shell.send("said() { printf '<said %s>%s<end>\\n' $1 \"" + line + "\"; }" + ENTER)
        shell.send("said ready #|" + ENTER)
        shell.wait_for("<said ready>")
        for number, (typed, wanted) in enumerate(LINES):
            shell.send(typed + TAB)
            shell.send("\x01said " + str(number) + " #\x05|" + ENTER)
            shell.wait_for(f"<said {number}>")
            got = shell.wait_for("<end>").removesuffix("<end>").removesuffix("|")
            # zsh takes the space or the slash behind a whole word back as soon as the next key inserts nothing.
            if got != wanted and not (name == "zsh" and got == wanted.rstrip(" /")):
                wrong.append((typed, wanted, got))
    finally:
        shell.send(KILL_LINE + "exit" + ENTER)
        shell.close()
    return wrong


def try_fish(folder, environment):
    """Wrong lines of fish, which completes a given line."""
    wrong = []
    for typed, wanted in LINES:
        asked = subprocess.run(
            ["fish", "--no-config", "-c", "dojima completion fish | source; complete -C $argv[1]", typed],
            cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
        found = [line.split("\t")[0] for line in asked.stdout.splitlines()]
        # It answers with the last word.
        last = wanted.rstrip().split(" ")[-1]
        if found != [last]:
            wrong.append((typed, last, found or asked.stderr))
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path, required=True)
    parser.add_argument("--shell", action="append", choices=["bash", "zsh", "fish"])
    options = parser.parse_args()
    program = options.program.resolve()
    if not program.is_file():
        parser.error(f"no program {program}")
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "bin").mkdir()
        # Benchmarks lie beside the program.
        (folder / "bin" / "dojima").write_bytes(program.read_bytes())
        (folder / "bin" / "dojima").chmod(0o755)
        (folder / "bin" / "dojima-bench-book").touch()
        (folder / "some-folder").mkdir()
        (folder / "venue.toml").touch()
        environment = {"PATH": f"{folder}/bin:{os.environ['PATH']}", "HOME": str(folder), "TERM": "dumb",
                       "LANG": "C.UTF-8", "COLUMNS": "200", "HISTFILE": ""}
        subprocess.run([program, "gen", "--model", "poisson", "--seconds", "1", "--out", folder / "two days.csv", "--no-progress"],
                       check=True, capture_output=True)
        for shell in options.shell or ["bash", "zsh", "fish"]:
            if shutil.which(shell) is None:
                print(f"{shell}: not installed, left out")
                continue
            wrong = try_fish(folder, environment) if shell == "fish" else try_terminal(shell, folder, environment)
            for typed, wanted, got in wrong:
                print(f"{shell}: {typed!r} and the tab key: {got!r}, not {wanted!r}")
            print(f"{shell}: {len(LINES) - len(wrong)} of {len(LINES)} lines completed")
            failed += len(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
