#!/usr/bin/env python3
"""What fix-echo says of configurations that cannot be: one line with file and line, before it listens, and exit status 2; and that
it serves others that look as if they could not be.

    echo_configuration.py --echo build/release/bin/fix-echo
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

from fix_process import Server

GOOD = 'begin_string = "FIX.4.4"\nsender_comp_id = "ISLD"\ntarget_comp_id = "TW"\n'
# The text behind `port = 0` and `[[session]]`, lines 1 and 2, and the error behind the file's name.
WRONG = [
    (GOOD + 'chekcs = { user_tags = true }\n', ":6: unknown key chekcs"),
    (GOOD + "checks = { nix = true }\n", ":6: unknown key nix"),
    (GOOD + "checks = true\n", ":6: checks: a table of flags"),
    (GOOD + 'profile = "big"\n', ":6: profile: one of canonical, compact"),
    (GOOD + "max_latency_s = -3\n", ":6: max_latency_s: 0 or more seconds"),
    (GOOD + "max_body = 100\n", ":6: max_body: 512 to 60000 bytes"),
    (GOOD.replace("TW", "*") + "max_body = 100\n", ":6: max_body: 512 to 60000 bytes"),
    (GOOD + "store_bytes = 100\n", ":2: the FIX message store is smaller than one message of the largest size"),
    (GOOD.replace("4.4", "9"), ":3: begin_string: FIX.4.0 to FIX.4.4, or FIXT.1.1"),
    ('begin_string = "FIX.4.4"\nsender_comp_id = "ISLD"\n', ":2: target_comp_id: at least one character"),
    (GOOD + 'dictionary = "nix.xml"\n', ":6: cannot read the dictionary "),
    (GOOD + 'dictionary = "broken.xml"\n', "broken.xml:2: "),
    (GOOD + 'store = "journal"\n', ':6: store = "journal" needs store_directory'),
    (GOOD + 'schedule = "daily"\n', ":6: schedule: a table with start and end"),
    (GOOD + 'schedule = { start = "25:00", end = "17:30" }\n', ':6: a time of day such as 08:30 or 08:30:00, not "25:00"'),
    (GOOD + 'schedule = { start = "08:00", end = "17:00", zone = "Europe/Londn" }\n',
     ':6: zone: the system knows no time zone "Europe/Londn"'),
    (GOOD + 'schedule = { start = "08:00", end = "17:00", days = ["Monday"], logon_start = "07:00", logon_end = "09:00" }\n',
     ":6: schedule: logon hours: they are not within the session hours"),
    (GOOD + 'schedule = { start = "08:00", end = "17:00", days = ["Monday"], logon_start = "08:00", logon_end = "09:00", '
     'logon_days = ["Tuesday"] }\n', ":6: schedule: logon hours: they are not within the session hours"),
    (GOOD + 'allowed_hosts = ["10.1.0.0/99"]\n', ":6: allowed_hosts: host names, addresses or networks such as 10.1.0.0/16"),
    (GOOD + 'role = "client"\n', ":6: role: one of acceptor, initiator"),
    (GOOD + 'role = "initiator"\n', ":2: port: where the session connects to, 1 to 65535"),
    (GOOD + "port = 9878\n", ":6: unknown key port"),
    (GOOD + 'role = "initiator"\nport = 9878\nreconnect_ms = 0\n', ":8: reconnect_ms: 1 to 60000"),
    (GOOD + 'role = "initiator"\nport = 9878\nlogout_after_ms = -1\n', ":8: logout_after_ms: 0 or more"),
    (GOOD + 'role = "initiator"\nport = 9878\norders_at_start = -1\n', ":8: orders_at_start: a whole number in its range"),
    (GOOD + 'role = "initiator"\nport = 9878\nheartbeat_interval_s = -1\n', ":8: heartbeat_interval_s: "),
    (GOOD.replace("TW", "*") + 'role = "initiator"\nport = 9878\n',
     ':5: target_comp_id = "*" is a template, which an initiator cannot be'),
    (GOOD + 'role = "initiator"\nport = 9878\n[tls]\ncertificate = "c"\n',
     ':8: tls: of sessions that are connected to; one here has role = "initiator"'),
    (GOOD + "[[session]]\n" + GOOD, ":6: the same session as one before it"),
    (GOOD + 'begin_string = "FIX.4.2"\n', ":6: Error while parsing key-value pair: cannot redefine existing string"),
    (GOOD + "[tls]\nkey = 3\n", ":7: key: a text"),
]
# Hours of logons are of the session's days where they have none of their own.
RIGHT = [
    'schedule = { start = "08:00", end = "17:00", days = ["Monday"], logon_start = "08:00", logon_end = "09:00" }\n',
    'schedule = { start = "18:00", end = "17:00", start_day = "Sunday", end_day = "Friday", logon_start = "18:30", '
    'logon_end = "16:00" }\n',
    'schedule = { start = "18:00", end = "17:00", start_day = "Sunday", end_day = "Friday", logon_start = "07:00", '
    'logon_end = "09:00", logon_days = ["Monday", "Tuesday"] }\n',
]


def complaint_of(echo, file):
    """Exit status and what it said; status None: it went on to listen."""
    try:
        done = subprocess.run([echo, "--config", str(file)], capture_output=True, text=True, timeout=10, check=False)
    except subprocess.TimeoutExpired:
        return None, "it listens"
    return done.returncode, done.stderr.strip()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--echo", required=True)
    arguments = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory(prefix="dojima-echo-configuration-") as name:
        folder = pathlib.Path(name)
        (folder / "broken.xml").write_text("<fix>\n<fields><nix></fields>\n")
        file = folder / "echo.toml"
        cases = [(f"port = 0\n[[session]]\n{text}", expected) for text, expected in WRONG]
        cases += [("port = 0\n", ": at least one [[session]]"), ("port = 70000\n", ":1: port: a whole number in its range")]
        for text, expected in cases:
            file.write_text(text)
            status, said = complaint_of(arguments.echo, file)
            if status != 2 or "\n" in said or not said.startswith(f"fix-echo: {folder}/") or expected not in said:
                failed += 1
                print(f"{text}\nexpected status 2 and {expected!r}, got {status} and {said!r}\n")
        for missing in (folder, folder / "nix.toml"):
            status, said = complaint_of(arguments.echo, missing)
            if status != 2 or not said.startswith(f"fix-echo: {missing}: "):
                failed += 1
                print(f"{missing}: got {status} and {said!r}")
        for text in RIGHT:
            file.write_text(f"port = 0\n[[session]]\n{GOOD}{text}")
            Server([arguments.echo], file).stop()
    print(f"{len(cases) + 2 + len(RIGHT)} configurations, {failed} answered wrongly")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
