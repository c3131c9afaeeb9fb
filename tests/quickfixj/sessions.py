"""The programs of tests/quickfixj/both_roles.py as processes: another engine, our client and our echo. Standard library only."""

import json
import pathlib
import queue
import random
import re
import signal
import socket
import subprocess
import threading
import time

PATIENCE = 90  # seconds for a command


class Trouble(Exception):
    """What was wrong with a scenario."""


class Version:
    def __init__(self, name, begin_string, appl_ver_id="", quickfix_name=""):
        self.name, self.begin_string, self.appl_ver_id, self.quickfix_name = name, begin_string, appl_ver_id, quickfix_name

    @property
    def has_next_expected(self):
        return self.begin_string in ("FIX.4.4", "FIXT.1.1")


VERSIONS = [*(Version(f"4.{minor}", f"FIX.4.{minor}") for minor in range(5)), Version("5.0", "FIXT.1.1", "7", "FIX.5.0"),
            Version("5.0SP1", "FIXT.1.1", "8", "FIX.5.0SP1"), Version("5.0SP2", "FIXT.1.1", "9", "FIX.5.0SP2")]


class Ports:
    """Ports of this machine that nobody listens on, each once. They lie below those that the system gives to connections, for one
    of those could take a port while the program that listens there is started again."""

    def __init__(self):
        first_given = int(pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
        self.ports = list(range(max(1024, first_given - 12_000), first_given))
        random.shuffle(self.ports)
        self.lock = threading.Lock()

    def take(self):
        with self.lock:
            while True:
                port = self.ports.pop()
                with socket.socket() as probe:
                    try:
                        probe.bind(("127.0.0.1", port))
                        return port
                    except OSError:
                        continue


PORTS = Ports()


class Process:
    """A program in one life after the other; `words` start each."""

    def __init__(self, name, words, folder):
        self.name, self.words, self.folder = name, list(map(str, words)), pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.process = None

    def start(self):
        self.errors = open(self.folder / "stderr", "a")
        self.process = subprocess.Popen(self.words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, args=(self.process, self.lines), daemon=True).start()

    @staticmethod
    def read(process, lines):
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    def kill(self):
        """SIGKILL."""
        if self.process and self.process.poll() is None:
            self.process.kill()
        self.wait_end()

    def wait_end(self):
        if self.process:
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                raise Trouble(f"{self.name} does not end")
            for pipe in (self.process.stdin, self.errors):
                try:
                    pipe.close()
                except OSError:
                    pass
            self.process = None


class Commanded(Process):
    """QuickFixJSession, dojima-quickfix-session or dojima-quickfixj-client."""

    def start(self):
        super().start()
        self.answer("ready")

    def say(self, command):
        try:
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        except OSError:
            raise Trouble(f"{self.name} has ended: {self.why()}")

    def why(self):
        text = (self.folder / "stderr").read_text().strip()[-300:]
        return text or f"without a word, status {self.process.poll()}"

    def answer(self, command, events=None, on_event=None):
        """The answer to that command; what comes up meanwhile in the queue `events` goes to `on_event`."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if events is not None and not events.empty():
                on_event(events.get())
            try:
                line = self.lines.get(timeout=0.02)
            except queue.Empty:
                continue
            if line is None:
                raise Trouble(f"{self.name} has ended: {self.why()}")
            found = json.loads(line)
            if found["answer"] == command:
                return found
        raise Trouble(f"{self.name}: no answer to {command!r} in {PATIENCE} s{self.state()}")

    def state(self):
        """What its account says, for a report."""
        lines = (self.folder / "account").read_text().splitlines() if (self.folder / "account").exists() else []
        got = {line.split()[1] for line in lines if line.startswith("got")}
        return f": {len(got)} different orders came, {lines.count('logon')} logons, last line {lines[-1:]}"

    def ask(self, command):
        self.say(command)
        return self.answer(command)

    def stop(self):
        """Ends in order. What it says at the end."""
        found = self.ask("stop")
        self.wait_end()
        return found

    def halt(self):
        """Ends at once, without a word to the peer."""
        self.say("halt")
        self.wait_end()


def our_client(build, version, port, folder, options):
    words = [build / "bin" / "dojima-quickfixj-client", "--begin-string", version.begin_string, "--sender", "CLIENT",
             "--target", "QFJ", "--port", port, "--directory", folder]
    if version.appl_ver_id:
        words += ["--appl-ver-id", version.appl_ver_id]
    return Commanded("our client", [*words, *options], folder)


class Echo(Process):
    """fix-echo with its store in a journal."""

    # The peer came again before the end of its first connection was seen; or the engine was still busy with what came over the
    # connection before, and sent a message of that over the new one in front of its Logon. It is refused and comes again.
    HARMLESS = re.compile("session already connected|first message is not a Logon")

    def __init__(self, build, version, port, folder, settings):
        self.build, self.version, self.store = build, version, pathlib.Path(folder) / "store"
        self.store.mkdir(parents=True)
        config = pathlib.Path(folder) / "echo.toml"
        rows = [f"port = {port}", f'store_directory = "{self.store}"', "[[session]]", 'sender_comp_id = "ECHO"',
                'target_comp_id = "QFJ"', 'store = "journal"', f'begin_string = "{version.begin_string}"',
                f'default_appl_ver_id = "{version.appl_ver_id}"', *settings]
        config.write_text("\n".join(rows) + "\n")
        super().__init__("fix-echo", [build / "bin" / "fix-echo", "--config", config], folder)

    def start(self):
        super().start()
        try:
            while (line := self.lines.get(timeout=30)) is not None:
                if "listening" in line:
                    return
        except queue.Empty:
            pass
        raise Trouble(f"fix-echo did not start: {(self.folder / 'stderr').read_text()[-300:]}")

    def stop(self):
        """Ends in order. The numbers in its store, and what it complained of."""
        self.process.send_signal(signal.SIGTERM)
        self.wait_end()
        numbers = subprocess.run(
            [self.build / "bin" / "dojima-quickfixj-client", "--numbers", self.store, "--name", "echo", "--begin-string",
             self.version.begin_string, "--sender", "ECHO", "--target", "QFJ"], capture_output=True, text=True)
        if numbers.returncode != 0:
            raise Trouble(f"the store of fix-echo cannot be read: {numbers.stderr.strip()}")
        return {**json.loads(numbers.stdout), "troubles": self.troubles()}

    def troubles(self):
        return [line for line in (self.folder / "stderr").read_text().splitlines() if not self.HARMLESS.search(line)]
