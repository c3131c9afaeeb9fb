#!/usr/bin/env python3
"""A client changes its password by NewPassword(925); the server is killed with SIGKILL and started again: only the new one counts,
until the configuration has another.

  password_after_kill.py --echo build/release/bin/fix-echo --dojima build/release/bin/dojima

plays it against fix-echo and against `dojima gateway` in every version that they have. The password is looked for in everything that
was written. Exit status 1: something came otherwise.
"""
import argparse
import pathlib
import sys
import tempfile

from fix_process import Server, ask, connect, logon

ECHO = """port = 0
store_directory = "{folder}/stores"
[[session]]
begin_string = "{version}"
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
[journal]
directory = "{folder}/stores"
segment_megabytes = 1
megabytes = 64
[limits]
orders = 64
requests = 256
remembered_ids = 64
held_reports = 64
[message_log]
file = "{folder}/messages.log"
[[symbol]]
symbol = "RICE"
instrument = 1
[[client]]
comp_id = "CLIENT"
version = "{version}"
password = "{password}"
venue_user = "U"
venue_password = "V"
"""
ECHO_VERSIONS = ("FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1")
GATEWAY_VERSIONS = ("FIX.4.2", "FIX.4.4", "FIX.5.0SP2")


def logs_on(port, version, number, fields):
    """Whether such a Logon is answered with one. The connection ends without a Logout."""
    begin_string = "FIXT.1.1" if version.startswith("FIX.5") else version
    with connect(port) as link:
        return "|35=A|" in ask(link, logon(number, fields, begin_string=begin_string))


def play(name, command, config, version):
    with tempfile.TemporaryDirectory(prefix="dojima-password-") as made:
        folder = pathlib.Path(made)
        number = 1
        wrong = []

        def start(password):
            file = folder / "config.toml"
            file.write_text(config.format(folder=folder, password=password, version=version))
            return Server(command, file)

        def expect(server, is_good, what, *fields):
            nonlocal number
            if logs_on(server.port, version, number, fields) != is_good:
                wrong.append(what)
            number += is_good

        server = start("first-secret")
        expect(server, False, "a Logon without a password is taken")
        expect(server, True, "the configured password is not taken", (554, "first-secret"))
        expect(server, True, "a change is not taken", (554, "first-secret"), (925, "second-secret"))
        server.kill()
        for _ in range(3):
            server = start("first-secret")
            expect(server, False, "after a kill the old password is taken", (554, "first-secret"))
            expect(server, True, "after a kill the new password is not taken", (554, "second-secret"))
            server.kill()
        server = start("third-secret")
        expect(server, False, "a password that was taken back is taken", (554, "second-secret"))
        expect(server, True, "another password in the configuration is not taken", (554, "third-secret"))
        server.kill()
        for file in folder.rglob("*"):
            if file.is_file() and b"second-secret" in file.read_bytes():
                wrong.append(f"{file.name} has the password")
        for what in wrong:
            print(f"{name}, {version}: {what}", file=sys.stderr)
        print(f"{name}, {version}: {'wrong' if wrong else 'good'}")
        return not wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--echo", required=True, help="the program fix-echo")
    parser.add_argument("--dojima", required=True, help="the program dojima")
    options = parser.parse_args()
    played = [play("fix-echo", [options.echo], ECHO, version) for version in ECHO_VERSIONS]
    played += [play("dojima gateway", [options.dojima, "gateway"], GATEWAY, version) for version in GATEWAY_VERSIONS]
    return 0 if all(played) else 1


if __name__ == "__main__":
    sys.exit(main())
