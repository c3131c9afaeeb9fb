#!/usr/bin/env python3
"""Plays the shipped FIX test cases with fix-script against fix-echo over TCP, for every version at once, and ends what it started.

    over_sockets.py --echo build/release/bin/fix-echo --script build/release/bin/fix-script --cases examples/fix_script/cases

Cases for acceptors as they are shipped are played against one fix-echo with its shipped configuration. A case that names a configuration
(`config`), or is for an initiator (`accept`), gets a fix-echo of its own, configured so. In virtual time the cases' times are held to; here
both programs may be a second late.
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

# BeginString, DefaultApplVerID and the client's name: sessions of one BeginString are distinguished by their names.
VERSIONS = (("FIX.4.0", "", "TW"), ("FIX.4.1", "", "TW"), ("FIX.4.2", "", "TW"), ("FIX.4.3", "", "TW"), ("FIX.4.4", "", "TW"),
            ("FIXT.1.1", "7", "TW50"), ("FIXT.1.1", "8", "TW50SP1"), ("FIXT.1.1", "9", "TW"))
SHIPPED = pathlib.Path(__file__).resolve().parents[2] / "examples/fix_echo/echo.toml"


def configuration():
    """The shipped one, on any free port."""
    text, ports = re.subn(r"^port = \d+$", "port = 0", SHIPPED.read_text(), flags=re.MULTILINE)
    if ports != 1:
        sys.exit(f"{SHIPPED}: no line with its port")
    return text


class Case:
    """A file, and what it says of who can play it."""

    def __init__(self, file):
        text = file.read_text()
        self.file = str(file)
        self.config = dict(re.findall(r"^config (\w+) = (.+)$", text, re.MULTILINE))
        self.is_for_initiators = re.search(r"^(?:\w+: )?accept$", text, re.MULTILINE) is not None
        versions = re.search(r"^versions (.+)$", text, re.MULTILINE)
        self.versions = versions[1].split() if versions else None

    def is_shared(self):
        """Whether it can be played against the shipped configuration."""
        return not self.config and not self.is_for_initiators

    def is_for(self, version):
        return self.versions is None or version[0] in self.versions


class Programs:
    def __init__(self, arguments, folder):
        self.echo, self.script, self.folder = arguments.echo, arguments.script, folder

    def start_echo(self, name, config):
        """fix-echo, and the port that it listens on or connects to."""
        file = self.folder / f"{name}.toml"
        file.write_text(config)
        echo = subprocess.Popen([self.echo, "--config", str(file), "--quiet"], stdout=subprocess.PIPE, text=True)
        line = echo.stdout.readline()
        port = re.search(r"(?:listening on|connecting to) 127\.0\.0\.1:(\d+)", line)
        if port is None:
            echo.kill()
            sys.exit(f"fix-echo does not listen: {line!r}")
        return echo, port[1]

    def words(self, version, *more):
        begin_string, application, name = version
        set_version = ["--set", f"default_appl_ver_id={application}"] if application else []
        return [self.script, "--begin-string", begin_string, "--sender", name, "--quiet", "--slack", "1", *set_version, *more]


def end(echo):
    """What was wrong with it; empty: nothing."""
    status = echo.poll()
    echo.kill()
    echo.wait()
    echo.stdout.close()
    return "" if status is None else f"fix-echo has ended with status {status}"


def session_of(version, case, port):
    """The configuration of fix-echo for one case."""
    begin_string, application, name = version
    keys = {"begin_string": f'"{begin_string}"', "default_appl_ver_id": f'"{application}"', "sender_comp_id": '"ISLD"',
            "target_comp_id": f'"{name}"', "reset_on_logon": "true", "profile": '"canonical"'}
    if case.is_for_initiators:
        keys |= {"role": '"initiator"', "port": port, "reconnect_ms": "50"}
    return "port = 0\n[[session]]\n" + "".join(f"{key} = {value}\n" for key, value in (keys | case.config).items())


def play_once(programs, version, case):
    """One case against a fix-echo of its own: what was wrong; empty: nothing."""
    name = "-".join((*version, pathlib.Path(case.file).stem))
    if not case.is_for_initiators:
        echo, port = programs.start_echo(name, session_of(version, case, None))
        played = subprocess.run(programs.words(version, "--configured", "--port", port, case.file), text=True, capture_output=True,
                                check=False)
        said = played.stdout
    else:
        played = subprocess.Popen(programs.words(version, "--configured", "--listen", "0", case.file), stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        line = played.stdout.readline()
        port = re.search(r"listening on 127\.0\.0\.1:(\d+)", line)
        if port is None:
            sys.exit(f"fix-script does not listen: {line!r}")
        echo, _ = programs.start_echo(name, session_of(version, case, port[1]))
        said = played.stdout.read()
        played.wait()
        played.stdout.close()
    trouble = end(echo)
    return trouble if played.returncode == 0 else f"{said.strip()} {trouble}"


def play_alone(programs, version, case, repeat):
    """The first trouble of so many times; empty: none."""
    return next(filter(None, (play_once(programs, version, case) for _ in range(repeat))), "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--echo", required=True)
    parser.add_argument("--script", required=True)
    parser.add_argument("--cases", required=True)
    parser.add_argument("--repeat", type=int, default=1, help="play each case so often")
    parser.add_argument("--only", action="append", help="the name of a case to play; others are left out unless they are named too")
    parser.add_argument("--except", dest="left_out", action="append", default=[], help="names of cases to leave out")
    arguments = parser.parse_args()
    files = sorted(file for file in pathlib.Path(arguments.cases).glob("*.fixcase") if file.stem not in arguments.left_out
                   and (arguments.only is None or file.stem in arguments.only))
    missing = set(arguments.only or ()) - {file.stem for file in files}
    if missing:
        parser.error(f"no case {', '.join(sorted(missing))}")
    cases = [Case(file) for file in files]
    shared = [case.file for case in cases if case.is_shared()]
    alone = [case for case in cases if not case.is_shared()]
    failed = False
    with tempfile.TemporaryDirectory(prefix="dojima-fix-cases-") as folder:
        programs = Programs(arguments, pathlib.Path(folder))
        echo, port = programs.start_echo("echo", configuration())
        try:
            def play_shared(version):
                words = programs.words(version, "--port", port, "--repeat", str(arguments.repeat), *shared)
                return subprocess.run(words, text=True, capture_output=True, check=False) if shared else None

            # Many at once: a case mostly waits for what its session says after a second or two.
            with concurrent.futures.ThreadPoolExecutor(len(VERSIONS)) as pool, concurrent.futures.ThreadPoolExecutor(24) as alone_pool:
                together = [pool.submit(play_shared, version) for version in VERSIONS]
                separate = [[alone_pool.submit(play_alone, programs, version, case, arguments.repeat) for case in alone
                             if case.is_for(version)] for version in VERSIONS]
                for version, played, each in zip(VERSIONS, together, separate):
                    name = " ".join(word for word in version if word)
                    if shared:
                        print(f"{name}: {played.result().stdout.strip()}", played.result().stderr.strip(), flush=True)
                        failed |= played.result().returncode != 0
                    if alone:
                        troubles = [trouble for trouble in (one.result() for one in each) if trouble]
                        print(f"{name}, configured otherwise or as initiator: {len(each) - len(troubles)} passed, "
                              f"{len(troubles)} failed", *troubles, sep="\n", flush=True)
                        failed |= bool(troubles)
        finally:
            trouble = end(echo)
        if trouble:
            print(trouble)
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
