#!/usr/bin/env python3
"""A client changes its password by NewPassword(925); the server is killed with SIGKILL and started again: only the new one counts,
until the configuration has another.

  password_after_kill.py --echo build/release/bin/fix-echo --dojima build/release/bin/dojima

plays it against fix-echo and against `dojima gateway`. The password is looked for in everything that was written. Exit status 1:
something came otherwise.
"""
import argparse
import datetime
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

ECHO = """port = 0
store_directory = "{folder}/stores"
[[session]]
begin_string = "FIX.4.4"
sender_comp_id = "VENUE"
target_comp_id = "CLIENT"
password = "{password}"
store = "journal"
"""
GATEWAY = """kind = "gateway"
[listen]
port = 0
[fix]
comp_id = "VENUE"
[store]
directory = "{folder}/stores"
segment_megabytes = 1
megabytes = 16
[message_log]
file = "{folder}/messages.log"
[[symbol]]
symbol = "RICE"
instrument = 1
[[client]]
comp_id = "CLIENT"
password = "{password}"
venue_user = "U"
venue_password = "V"
"""


class Server:
    """One life."""

    def __init__(self, command, config, folder, password):
        file = folder / "config.toml"
        file.write_text(config.format(folder=folder, password=password))
        self.process = subprocess.Popen([*command, "--config", str(file)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        seen = ""
        for line in self.process.stdout:
            seen += line
            found = re.search(r"(?:listening on|FIX 4.4) 127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                return
        raise SystemExit(f"{command[0]} does not listen:\n{seen}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()


def frame(fields):
    body = "".join(f"{tag}={value}\x01" for tag, value in fields)
    head = f"8=FIX.4.4\x019={len(body)}\x01{body}"
    return f"{head}10={sum(head.encode()) % 256:03d}\x01".encode()


def logs_on(port, number, fields):
    """Whether such a Logon is answered with one. The connection ends without a Logout."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d-%H:%M:%S.000")
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        link.sendall(frame([(35, "A"), (34, number), (49, "CLIENT"), (52, now), (56, "VENUE"), (98, 0), (108, 30), *fields]))
        return b"\x0135=A\x01" in link.recv(4096)


def play(name, command, config):
    with tempfile.TemporaryDirectory(prefix="dojima-password-") as made:
        folder = pathlib.Path(made)
        number = 1
        wrong = []

        def expect(server, is_good, what, *fields):
            nonlocal number
            if logs_on(server.port, number, fields) != is_good:
                wrong.append(what)
            number += is_good

        server = Server(command, config, folder, "first-secret")
        expect(server, False, "a Logon without a password is taken")
        expect(server, True, "the configured password is not taken", (554, "first-secret"))
        expect(server, True, "a change is not taken", (554, "first-secret"), (925, "second-secret"))
        server.kill()
        for _ in range(3):
            server = Server(command, config, folder, "first-secret")
            expect(server, False, "after a kill the old password is taken", (554, "first-secret"))
            expect(server, True, "after a kill the new password is not taken", (554, "second-secret"))
            server.kill()
        server = Server(command, config, folder, "third-secret")
        expect(server, False, "a password that was taken back is taken", (554, "second-secret"))
        expect(server, True, "another password in the configuration is not taken", (554, "third-secret"))
        server.kill()
        for file in folder.rglob("*"):
            if file.is_file() and b"second-secret" in file.read_bytes():
                wrong.append(f"{file.name} has the password")
        for what in wrong:
            print(f"{name}: {what}", file=sys.stderr)
        print(f"{name}: {'wrong' if wrong else 'good'}")
        return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--echo", required=True, help="the program fix-echo")
    parser.add_argument("--dojima", required=True, help="the program dojima")
    options = parser.parse_args()
    played = [play("fix-echo", [options.echo], ECHO), play("dojima gateway", [options.dojima, "gateway"], GATEWAY)]
    return 0 if all(played) else 1


if __name__ == "__main__":
    sys.exit(main())
