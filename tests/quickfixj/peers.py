"""The engines that tests/quickfixj/both_roles.py holds our sessions against. Standard library only."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import maven  # noqa: E402
import quickfix_source  # noqa: E402
from sessions import Commanded  # noqa: E402

JVM = ["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx256m"]


# Session::generateLogon(const Message&) of QuickFIX 1.16 adds one for the Logon that it answers, also where that comes too early.
ONE_TOO_MANY = "its answer to a Logon that is too high names a number in 789 that it misses itself, and it asks for it no more"


class Peer:
    """An engine whose program obeys the commands of QuickFixJSession.java.

    `words` start the program; `settings`: {what ours can do: the engine's settings for the same}, without what it cannot do;
    `day`: seconds that a session day lasts at least, with the start of the two programs; `dictionaries`: folder with its XML files,
    None: it validates by those in it, or not at all; `cannot`: {(role, scenario): why it goes wrong by a mistake of the engine's}.
    """

    def __init__(self, name, words, version, settings, day, dictionaries=None, cannot=None):
        self.name, self.words, self.version, self.settings = name, words, version, settings
        self.day, self.dictionaries, self.cannot = day, dictionaries, cannot or {}

    def session(self, version, role, target, port, folder, settings):
        words = [*self.words, f"role={role}", f"begin={version.begin_string}", "sender=QFJ", f"target={target}", f"port={port}",
                 f"directory={folder}"]
        if version.appl_ver_id:
            words += [f"applver={version.appl_ver_id}", f"DefaultApplVerID={version.quickfix_name}"]
        if self.dictionaries:
            words += ["UseDataDictionary=Y", *self.dictionaries_of(version)]
        return Commanded(self.name, [*words, *settings], folder)

    def dictionaries_of(self, version):
        file = self.dictionaries / ((version.quickfix_name or version.begin_string).replace(".", "") + ".xml")
        if not version.appl_ver_id:
            return [f"DataDictionary={file}"]
        return [f"TransportDataDictionary={self.dictionaries / 'FIXT11.xml'}", f"AppDataDictionary={file}"]


def quickfixj(build):
    """Of Maven, which builds tests/quickfixj into build/peers, offline when it can."""
    del build
    class_path = maven.class_path(ROOT / "tests" / "quickfixj" / "pom.xml", "quickfixj/quickfixj-session.jar")
    core = next((maven.PEERS / "quickfixj" / "lib").glob("quickfixj-core-*.jar")).stem
    settings = {"next expected": ["EnableNextExpectedMsgSeqNum=Y"], "last processed": ["EnableLastMsgSeqNumProcessed=Y"],
                "chunks": ["ResendRequestChunkSize=10"]}
    return Peer("QuickFIX/J", ["java", *JVM, "-cp", class_path, "QuickFixJSession"], core, settings, 12)


def quickfix(build):
    """Debian's, which has neither 789 nor requests in parts, and no dictionaries."""
    program = build / "bin" / "dojima-quickfix-session"
    if not program.exists():
        raise SystemExit(f"{program.name} is not there: ninja -C {build} {program.name}")
    found = subprocess.run(["dpkg-query", "--show", "--showformat=${Version}", "libquickfix17"], capture_output=True, text=True)
    return Peer("QuickFIX", [program], f"QuickFIX {found.stdout or 'of this machine'}", {}, 6)


def quickfix_116(build):
    """Built from PyPI's source package into build/peers; validates every message."""
    del build
    program, dictionaries = quickfix_source.program()
    return Peer("QuickFIX", [program], f"QuickFIX {quickfix_source.VERSION}",
                {"next expected": ["SendNextExpectedMsgSeqNum=Y"]}, 12, dictionaries, {("acceptor", "789 and 369"): ONE_TOO_MANY})


PEERS = {"quickfixj": quickfixj, "quickfix": quickfix, "quickfix-1.16": quickfix_116}
