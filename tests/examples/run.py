#!/usr/bin/env python3
"""Runs the shell examples of README and docs, and compares what they print with what the pages show.

    python3 tests/examples/run.py --program build/release/bin/dojima [PAGE...] [--show]
    python3 tests/examples/run.py --self-test

A ```console block is a session: `$ ` begins a command, `> ` goes on with it, other lines are its output. All blocks of a page run
in one empty folder, in order, in a network of their own, so that ports are free; servers that end in `&` are waited for until they
have printed what the page shows, and stopped at the page's end. They have the job numbers that a shell gives them, one more than
the highest that still runs: what follows `kill [-SIGNAL] %N` finds it gone; `wait %N` waits for its own end, and prints what it has
printed since it was started.
`...` in a line of output stands for anything, on a line of its own for any number of lines; a command without output on the page
may print what it likes. A command must end with status 0; with `# status N` behind it, with that one.

Pages that lead a reader through the program must have such sessions.

Commands of ```sh blocks are not run: each option of `dojima` that they name must be there.

Exit status: 0 as shown, 1 something differs, 2 wrong arguments, 3 this machine gives no network of its own.
"""

import argparse
import concurrent.futures
import ctypes
import dataclasses
import fcntl
import os
import re
import shlex
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120  # for a command; a machine with other work takes its time
# Without a session of theirs the test fails: a way that nobody walks is soon a wrong one.
WALKED = ("README.md", "docs/backtest.md", "docs/cli.md", "docs/dashboard.md", "docs/journal.md", "docs/operations.md", "docs/packaging.md",
          "docs/queueing.md", "docs/risk.md")


@dataclasses.dataclass
class Step:
    page: str
    line: int
    command: str
    output: list


def blocks(page, text, language):
    """(line, lines) of the page's code blocks of that language, without their indentation."""
    inside = None
    for number, line in enumerate(text.split("\n"), 1):
        mark = re.match(r"(\s*)```(\w*)\s*$", line)
        if inside is None and mark:
            inside, indent, begin, lines = mark[2] or "text", len(mark[1]), number, []
        elif inside is not None and mark and not mark[2]:
            if inside == language:
                yield begin, lines
            inside = None
        elif inside is not None:
            lines.append(line[indent:] if not line[:indent].strip() else line)


def sessions(page, text):
    """The steps of a page's sessions."""
    for begin, lines in blocks(page, text, "console"):
        step = None
        for number, line in enumerate(lines, begin + 1):
            if line.startswith("$ "):
                if step:
                    yield step
                step = Step(page, number, line[2:], [])
            elif line.startswith("> ") and step and not step.output:
                step.command += "\n" + line[2:]
            elif line == ">" and step and not step.output:
                step.command += "\n"
            elif step:
                step.output.append(line.rstrip())
        if step:
            yield step


def matches(shown, printed):
    """Whether the lines printed are those shown, `...` standing for anything."""
    if not shown:
        return not printed
    first, rest = shown[0], shown[1:]
    if first.strip() == "...":
        return any(matches(rest, printed[at:]) for at in range(len(printed) + 1))
    pattern = ".*".join(re.escape(part) for part in first.split("..."))
    return bool(printed) and re.fullmatch(pattern, printed[0]) is not None and matches(rest, printed[1:])


def lines_of(text):
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


@dataclasses.dataclass
class Server:
    process: subprocess.Popen
    file: Path
    job: int
    shown: int = 0  # lines of its output that the page has shown


class Session:
    """One page's commands, in one folder."""

    def __init__(self, folder, environment):
        self.folder, self.environment, self.servers = folder, environment, []

    def run(self, step):
        """What is wrong, or nothing."""
        command = step.command.rstrip()
        if re.search(r"(?<!&)&$", command.split("\n")[-1]):
            return self.start(step, command.rstrip().removesuffix("&"))
        job = re.fullmatch(r"(?:kill(?: -(?P<signal>\w+))?|(?P<wait>wait))(?P<jobs>(?: %\d+)+)(?:\s*#.*)?", command)
        try:
            if job:
                servers = [self.of_job(int(number)) for number in re.findall(r"\d+", job["jobs"])]
                status, printed = self.wait(servers[0]) if job["wait"] else self.kill(servers, job["signal"] or "TERM")
            else:
                done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
                status, printed = done.returncode, lines_of(done.stdout.decode(errors="replace"))
        except StopIteration:
            return differing(step, [], "there is no such job")
        except subprocess.TimeoutExpired as late:
            return differing(step, lines_of((late.output or b"").decode(errors="replace")), f"has not ended within {SECONDS} s")
        named = re.search(r"#\s*status\s+(\d+)\s*$", command)
        wanted = int(named[1]) if named else 0
        if status != wanted:
            return differing(step, printed, f"ended with status {status}, not {wanted}")
        if step.output and not matches(step.output, printed):
            return differing(step, printed, "printed something else")
        step.printed = printed
        return None

    def of_job(self, number):
        """The last one that had it."""
        return next(server for server in reversed(self.servers) if server.job == number)

    def kill(self, servers, name):
        for server in servers:
            os.killpg(server.process.pid, int(name) if name.isdecimal() else signal.Signals[f"SIG{name}"])
            server.process.wait(SECONDS)
        return 0, []

    def wait(self, server):
        """(status, the lines that the page has not shown) of a server that ends by itself."""
        status = server.process.wait(SECONDS)
        printed = lines_of(server.file.read_text(errors="replace"))
        return status if status >= 0 else 128 - status, printed[server.shown:]

    def start(self, step, command):
        file = Path(self.folder) / f".output-{len(self.servers)}"
        with file.open("wb") as out:
            server = subprocess.Popen(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                                      stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        running = [each.job for each in self.servers if each.process.poll() is None]
        self.servers.append(Server(server, file, max(running, default=0) + 1))
        end = time.monotonic() + SECONDS / 4
        while True:
            printed = lines_of(file.read_text(errors="replace"))
            if matches(step.output or ["..."], printed) and (step.output or printed):
                step.printed = printed
                self.servers[-1].shown = len(printed)
                return None
            if server.poll() is not None or time.monotonic() > end:
                return differing(step, printed, "ended" if server.poll() is not None else "has not printed what is shown")
            time.sleep(0.02)

    def stop(self):
        processes = [server.process for server in self.servers]
        for process in reversed(processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
        for process in processes:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def differing(step, printed, what):
    shown = "".join(f"    shown   | {line}\n" for line in step.output)
    got = "".join(f"    printed | {line}\n" for line in printed)
    return f"{step.page}:{step.line}: $ {step.command.splitlines()[0]}: {what}\n{shown}{got}"


# ------------------------------------------------------------------------------------------------- options of sh blocks


PREFIXES = {"sudo", "time", "exec", "nice", "nohup", "taskset"}  # a command follows them


def words_in(line):
    """The words of each call of dojima on a line of a ```sh block; none where a shell would do more than run it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    call = None
    is_command = True  # the next word: behind settings of the environment, not an argument
    try:
        for word in lexer:
            if re.fullmatch(r"[;&|<>()]+", word):
                if call:
                    yield call
                call = None
                is_command = True
            elif call is not None:
                call.append(word)
            elif is_command and (word == "dojima" or word.endswith("/bin/dojima")):
                call = ["dojima"]
            elif not re.fullmatch(r"\w+=.*", word) and word not in PREFIXES:
                is_command = False
    except ValueError:
        return  # a quote that goes on
    if call:
        yield call


def calls(page, text):
    """(line, words) of each call of the program in the page's ```sh blocks."""
    for begin, lines in blocks(page, text, "sh"):
        number = begin
        joined = ""
        for line in lines:
            number += 1
            if line.endswith("\\"):
                joined += line[:-1] + " "
                continue
            for words in words_in(joined + line):
                yield number, words
            joined = ""


def unknown_option(program, words):
    """The first option of a call that its command does not have."""
    for at, word in enumerate(words):
        if word == "--":
            return None  # another program's
        if not word.startswith("--"):
            continue
        name = word.partition("=")[0]
        # Asked of the call without what is in front but commands: an option that was given is not offered again.
        command = [each for each in words[:at] if re.fullmatch(r"[a-z][a-z0-9-]*", each)]
        asked = subprocess.run([program, "completion", "--line", " ".join([*commands_of(program, command), name])],
                               capture_output=True, text=True)
        if name not in [line.split("\t")[0] for line in asked.stdout.split("\n")[1:]] and name != "--help":
            return name
    return None


known = {}


def commands_of(program, words):
    """Those of the words that are commands: the program's own first."""
    path = ["dojima"]
    for word in words[1:]:
        line = " ".join([*path, word])
        if line not in known:
            asked = subprocess.run([program, "completion", "--line", line], capture_output=True, text=True)
            # A command has a meaning; a value that fits has none.
            known[line] = any(found.startswith(f"{word}\t") for found in asked.stdout.split("\n")[1:])
        if not known[line]:
            break
        path.append(word)
    return path


# ----------------------------------------------------------------------------------------------------------------- pages


def own_network():
    """Leaves for a network with nothing but a loopback of its own; false where that is not allowed."""
    library = ctypes.CDLL(None, use_errno=True)
    user, group = os.getuid(), os.getgid()
    k_new_user, k_new_net = 0x10000000, 0x40000000
    if library.unshare(k_new_net | (0 if user == 0 else k_new_user)) != 0:
        return False
    if user != 0:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    k_get_flags, k_set_flags, k_up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh", b"lo", 0)
        flags = struct.unpack("16sh", fcntl.ioctl(any_socket, k_get_flags, request)[:18])[1]
        fcntl.ioctl(any_socket, k_set_flags, struct.pack("16sh", b"lo", flags | k_up))
    return True


def run_page(page, text, program, show):
    """What is wrong with a page's sessions."""
    steps = list(sessions(page, text))
    if not steps:
        return [], 0
    with tempfile.TemporaryDirectory() as folder:
        beside = Path(folder) / "build" / "release" / "bin"
        beside.mkdir(parents=True)
        (beside / "dojima").symlink_to(program)
        environment = {"PATH": f"{beside}:{os.environ['PATH']}", "HOME": folder, "LANG": "C.UTF-8", "TERM": "dumb",
                       "TZ": "UTC", "XDG_RUNTIME_DIR": folder}
        session = Session(folder, environment)
        try:
            for step in steps:
                wrong = session.run(step)
                if wrong:
                    return [wrong], len(steps)  # what follows depends on it
                if show:
                    print(f"$ {step.command}", *step.printed, sep="\n")
        finally:
            session.stop()
    return [], len(steps)


def pages(chosen):
    names = chosen or [str(path.relative_to(ROOT)) for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]]
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in names}


def self_test():
    program = "/bin/true"
    cases = [
        ("```console\n$ echo a; echo b\na\nb\n```", True),
        ("```console\n$ echo a\nb\n```", False),
        ("```console\n$ echo 12 of 34; echo x; echo y\n... of 34\n...\ny\n```", True),
        ("```console\n$ echo a; echo b\na\n```", False),
        ("```console\n$ false\n```", False),
        ("```console\n$ false # status 1\n```", True),
        ("   ```console\n   $ cat <<'END'\n   > two  words\n   > END\n   two  words\n   ```", True),
        ("```console\n$ (echo up; sleep 30) &\nup\n$ echo after\nafter\n```", True),
        ("```console\n$ (echo down) &\nup\n```", False),
        ("```console\n$ echo left > file\n```\ntext\n```console\n$ cat file\nleft\n```", True),
        ("```console\n$ echo anything\n```", True),
        ("```console\n$ (echo up; sleep 30) &\nup\n$ kill %1\n$ wait %1 # status 143\n```", True),
        ("```console\n$ (echo up; sleep 30) &\nup\n$ kill -9 %1\n$ wait %1 # status 137\n```", True),
        ("```console\n$ (echo up; sleep 30) &\nup\n$ kill %2\n```", False),
        ("```console\n$ (echo 1; sleep 30) &\n1\n$ (echo 2; sleep 30) &\n2\n$ kill %1\n$ (echo 3; sleep 0.1; echo end) &\n3\n$ wait %3\nend\n"
         "$ kill %2\n$ (echo 4; sleep 0.1; echo end) &\n4\n$ wait %1\nend\n```", True),
        ("```console\n$ (echo up; sleep 0.1; echo down) &\nup\n$ wait %1\ndown\n```", True),
        ("```console\n$ (echo up; sleep 0.1; echo down) &\nup\n$ wait %1\nup\n```", False),
        ("```console\n$ (echo up; sleep 0.1; exit 3) &\nup\n$ wait %1\n```", False),
    ]
    failed = [text for text, is_right in cases if (run_page("a page", text, program, False)[0] == []) != is_right]
    found = list(calls("p", "```sh\nFOO=1 build/release/bin/dojima a --x=1 | dojima b \\\n  --y 'q r'  # --z\nother --n\n```"))
    if found != [(2, ["dojima", "a", "--x=1"]), (3, ["dojima", "b", "--y", "q r"])] and \
            found != [(3, ["dojima", "a", "--x=1"]), (3, ["dojima", "b", "--y", "q r"])]:
        failed.append(str(found))
    print(*failed, f"{len(failed)} of {len(cases) + 1} planted cases are judged wrongly", sep="\n")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", type=Path)
    parser.add_argument("--show", action="store_true", help="print what the commands print")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("page", nargs="*")
    options = parser.parse_args()
    if options.self_test:
        return self_test()
    if options.program is None or not options.program.is_file():
        parser.error(f"no program {options.program}")
    program = options.program.resolve()
    if not own_network():
        print("this machine gives no network of its own (unshare)", file=sys.stderr)
        return 3
    wrong = []
    texts = pages(options.page)
    named = [(page, number, words) for page, text in texts.items() for number, words in calls(page, text)]
    with concurrent.futures.ThreadPoolExecutor(2) as workers:
        for (page, number, words), option in zip(named, workers.map(lambda one: unknown_option(program, one[2]), named)):
            if option:
                wrong.append(f"{page}:{number}: {' '.join(words)}: there is no {option}")
    ran = 0
    for page, text in texts.items():
        differences, steps = run_page(page, text, program, options.show)
        wrong += differences
        ran += steps
        if steps == 0 and page in WALKED:
            wrong.append(f"{page}: it leads through the program, and has no session that is run")
    print(*wrong, sep="\n")
    print(f"{ran} commands run and compared, options of {len(named)} calls looked up, {len(wrong)} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
