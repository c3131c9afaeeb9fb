#!/usr/bin/env python3
"""Our journal beside Aeron Archive's recording of the same records, in turn.

    bench/peers/journal_peers.py --build build/native [--rounds 7] [--messages 1000000] [--bytes 176] [--json peers.json]

Builds bench/peers/aeron with Maven (offline when it can, its jars in build/peers) and runs, one behind the other in every
round, so that whatever disturbs the machine disturbs all:

    aeron    an archive in the program's own process records messages of an IPC channel, from the first offer until the
             recording's position has reached the end; before that, a recording of --warmup messages
    dojima   dojima-peer-journal appends the same records with a JournalThread beside, until the last one is durable, and
             settled: until the worker has done all that these records leave to it as well

Before the rounds all of Aeron's settings below are tried --tune times each, and the best is taken, unless --settings
says which. Only ratios mean anything. Without java, javac or mvn: exit status 3. Standard library only.
"""

import argparse
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import artefact  # noqa: E402
import maven  # noqa: E402


THREADING, IDLE, PUBLISH = ("shared", "dedicated"), ("backoff", "yield", "spin"), ("offer", "claim")
LARGEST_CLAIM = 1376  # bytes; one frame of Aeron's default IPC MTU
# As Aeron's own scripts start it, and what CRC32C is called by.
JVM = ["--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED",
       "--add-opens", "java.base/java.util.zip=ALL-UNNAMED", "-XX:+UseParallelGC", "-Xms512m",
       "-XX:+UnlockDiagnosticVMOptions", "-XX:GuaranteedSafepointInterval=300000", "-Dagrona.disable.bounds.checks=true"]

FAIR, MADE_AHEAD = "aeron, CRC32C", "dojima process, segments made ahead"
SPARES, SPARES_MOST = 2, 8  # FileJournalOptions


def build_peer():
    """The class path of Aeron's side."""
    return maven.class_path(ROOT / "bench" / "peers" / "aeron" / "pom.xml", "aeron/aeron-recording.jar")


def run(words):
    """What the program says in its one JSON line."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise SystemExit(f"{pathlib.Path(words[0]).name} failed: {(done.stderr or done.stdout).strip()[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


class Aeron:
    def __init__(self, options, class_path, sync, checksum, settings):
        self.words = ["java", *JVM, "-cp", class_path, "AeronRecording", f"messages={options.messages}",
                      f"warmup={options.warmup}", f"bytes={options.bytes}", f"sync={sync}", f"checksum={checksum}",
                      *(f"{name}={value}" for name, value in settings.items())]

    def round(self, folder):
        return run([*self.words, f"directory={folder}"])


class Dojima:
    def __init__(self, options, durability, spares):
        self.program, self.words = options.build / "bin" / "dojima-peer-journal", [
            options.messages, options.bytes, durability, options.warmup, spares, options.segment_mib]

    def round(self, folder):
        return run([self.program, folder, *self.words])


def in_turn(competitors, rounds, directory):
    """{name: [result of each round]}; each in a directory of its own, which is gone before the next begins."""
    results = {name: [] for name in competitors}
    for at in range(rounds):
        for name, competitor in competitors.items():
            with tempfile.TemporaryDirectory(dir=directory, prefix="journal-peers-") as folder:
                results[name].append(competitor.round(pathlib.Path(folder) / "records"))
        print(f"round {at + 1} of {rounds}", file=sys.stderr)
    return results


def median_of(results, key="ns_per_message"):
    return statistics.median(result[key] for result in results)


def lowest_of(results):
    return min(result["ns_per_message"] for result in results)


def tune(options, class_path):
    """The fastest of Aeron's settings, and the table of all of them."""
    publish = PUBLISH if options.bytes <= LARGEST_CLAIM else PUBLISH[:1]
    settings = {" ".join(words): dict(zip(("threading", "idle", "publish"), words))
                for words in itertools.product(THREADING, IDLE, publish)}
    if options.settings:
        if options.settings not in settings:
            raise SystemExit(f"--settings: one of {', '.join(settings)}")
        return settings[options.settings], None
    competitors = {name: Aeron(options, class_path, 0, "crc32c", each) for name, each in settings.items()}
    results = in_turn(competitors, options.tune, options.directory)
    best = min(results, key=lambda name: median_of(results[name]))
    rows = [[name, artefact.number(median_of(of)), artefact.number(lowest_of(of)), name == best]
            for name, of in results.items()]
    columns = {"settings": "ThreadingMode of driver and archive, idle strategy of their threads, how messages go in",
               "ns_per_message": "median", "lowest": "", "taken": "for the rounds"}
    return settings[best], artefact.table("tuning", "Aeron Archive's settings, with CRC32C", columns, rows,
                                          [f"{options.tune} rounds"])


def spares_for(options):
    """So many that no segment need be made while the records come: the part in use and the reserve count as none."""
    record = 24 + (options.bytes + 7) // 8 * 8
    a_segment = ((options.segment_mib << 20) - 128) // record
    return -(-options.messages // a_segment) + 1


def compare(options, class_path):
    settings, tuning = tune(options, class_path)
    competitors = {FAIR: Aeron(options, class_path, 0, "crc32c", settings)}
    if spares_for(options) <= SPARES_MOST:
        competitors[MADE_AHEAD] = Dojima(options, "process", spares_for(options))
    else:
        print(f"skipped: {MADE_AHEAD}: {options.messages} records need more than {SPARES_MOST} spare segments of "
              f"{options.segment_mib} MiB")
    competitors["aeron, no checksum"] = Aeron(options, class_path, 0, "none", settings)
    ours = f"dojima process, {SPARES} spare segments"
    competitors[ours] = Dojima(options, "process", SPARES)
    for level in (1, 2):
        competitors[f"aeron, CRC32C, fileSyncLevel {level}"] = Aeron(options, class_path, level, "crc32c", settings)
    competitors["dojima power"] = Dojima(options, "power", min(spares_for(options), SPARES_MOST))
    results = in_turn(competitors, options.rounds, options.directory)
    return settings, tuning, results


def times(results, name, key):
    """How many times as fast as the fair row, round by round."""
    return [theirs["ns_per_message"] / each[key] for theirs, each in zip(results[FAIR], results[name])]


def peers_table(results, settings, options):
    columns = {"what": "", "ns_per_message": "until all are recorded, or durable; median of the rounds", "lowest": "",
               "highest": "", "times_as_fast": f"as `{FAIR}`: median of the ratios of a round", "least": "of these ratios",
               "most": "of these ratios",
               "lowest_to_lowest": "the ratio of the lowest times: what else runs on the machine has least part in it",
               "settled_ns": "until the worker has done the rest too; the peer has none",
               "times_settled": "the same ratio with that time", "processor_ns": "of all threads, until settled if there is such",
               "waits": "median of the times that there was no room yet"}
    rows = []
    for name, of in results.items():
        ratios = times(results, name, "ns_per_message")
        is_ours = "settled_ns_per_message" in of[0]
        processor = "settled_processor_ns_per_message" if is_ours else "processor_ns_per_message"
        rows.append([name, *(artefact.number(value) for value in (
            median_of(of), lowest_of(of), max(each["ns_per_message"] for each in of),
            statistics.median(ratios), min(ratios), max(ratios), lowest_of(results[FAIR]) / lowest_of(of))),
            artefact.number(median_of(of, "settled_ns_per_message")) if is_ours else "",
            artefact.number(statistics.median(times(results, name, "settled_ns_per_message"))) if is_ours else "",
            artefact.number(median_of(of, processor)), artefact.number(median_of(of, "refused"))])
    notes = [f'{results[FAIR][0]["version"]}: {", ".join(settings.values())}; IPC, terms of 64 MiB, segment files of 128 MiB',
             f"dojima: segments of {options.segment_mib} MiB; made ahead: all that the records need, before the first one",
             "settled: full segments synced and new ones written with zeros and synced, which the peer never does at "
             "fileSyncLevel 0",
             "Aeron sends each message through a term buffer to another thread, which sums and writes it; ours is called "
             "in place and sums itself",
             "Aeron needs two cores at once, ours one as long as segments are ready: a busy machine costs Aeron more",
             "processor_ns of Aeron is counted in steps of 10 ms of the whole run"]
    return artefact.table("journals", f"{options.messages} records of {options.bytes} bytes", columns, rows, notes)


def checks_of(results):
    checks = []
    for name in results:
        if not name.startswith("dojima process"):
            continue
        for key, label in (("ns_per_message", name), ("settled_ns_per_message", f"{name}, settled")):
            ratio = statistics.median(times(results, name, key))
            checks.append((f"{label}: at least 2 times as fast as {FAIR}", ratio >= 2, f"{ratio:.2f}"))
    return checks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/native", type=pathlib.Path)
    parser.add_argument("--rounds", default=7, type=int)
    parser.add_argument("--tune", default=3, type=int, help="rounds of each of Aeron's settings")
    parser.add_argument("--settings", default="", help="Aeron's, as the tuning's table names them, instead of trying all")
    parser.add_argument("--messages", default=1_000_000, type=int)
    parser.add_argument("--bytes", default=176, type=int)
    parser.add_argument("--warmup", default=1_000_000, type=int, help="messages before the timed ones, for both")
    parser.add_argument("--segment-mib", default=64, type=int, help="of our segments")
    parser.add_argument("--directory", default=maven.PEERS, type=pathlib.Path, help="where the files lie while they are written")
    parser.add_argument("--json", type=pathlib.Path, help="write the result as an artefact")
    options = parser.parse_args()
    class_path = build_peer()
    if not (options.build / "bin" / "dojima-peer-journal").exists():
        raise SystemExit(f"dojima-peer-journal is not there: ninja -C {options.build} dojima-peer-journal")
    before = os.getloadavg()[0]
    settings, tuning, results = compare(options, class_path)
    tables = [each for each in (tuning, peers_table(results, settings, options)) if each]
    shared = (f"{os.cpu_count()} processors, load average {before:.1f} before and {os.getloadavg()[0]:.1f} behind: "
              "on a shared machine only ratios mean anything")
    tables[-1]["notes"].append(shared)
    checks = checks_of(results)
    for table in tables:
        print(artefact.to_text(table))
    for name, ok, detail in checks:
        print(f'{"yes" if ok else "NO"}: {name}: {detail}')
    if options.json:
        parameters = {name: getattr(options, name) for name in (
            "rounds", "tune", "settings", "messages", "bytes", "warmup", "segment_mib")}
        options.json.write_text(artefact.artefact(ROOT, "bench/peers/journal_peers.py", parameters, tables, checks,
                                                  f'{results[FAIR][0]["version"]}, Python {sys.version.split()[0]}'))


if __name__ == "__main__":
    main()
